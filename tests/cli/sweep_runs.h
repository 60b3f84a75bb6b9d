#pragma once

#include <algorithm>
#include <chrono>
#include <csignal>
#include <sys/types.h>
#include <thread>

#include "tests/cli/program.h"
#include "tests/core/checkout.h"

namespace simtrain::testing {

/// A sweep of `rows` cheap candidates, some of them illegal, as words of a command line.
inline std::vector<std::string> cheap_sweep(int rows) {
  const std::string last = std::to_string(100 + rows / 4);
  return {"sweep",  "scenarios/llama31_8b_h100.yaml",
          "--row",  "bf16-8",
          "--vary", "tp=1,2,3,4",
          "--vary", "optimizer.bucket_size_mb=101:" + last,
          "--set",  "model_overrides.num_layers=2"};
}

inline std::vector<std::string> with(std::vector<std::string> words,
                                     const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// A program at work, to be disturbed.
class Running {
 public:
  explicit Running(const std::vector<std::string>& command) {
    child_ = fork();
    invariant(child_ >= 0, "a process can be started");
    if (child_ == 0) detail::become(command, {}, folder_.file("out"), folder_.file("err"));
  }
  ~Running() { static_cast<void>(finish()); }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  void signal(int number) const {
    if (!finished_) kill(child_, number);
  }
  const Outcome& finish() {
    if (finished_) return outcome_;
    int state = 0;
    while (waitpid(child_, &state, 0) < 0) {
    }
    finished_ = true;
    if (WIFEXITED(state)) outcome_.status = WEXITSTATUS(state);
    if (WIFSIGNALED(state)) outcome_.signal = WTERMSIG(state);
    outcome_.out = read_file(folder_.file("out"));
    outcome_.err = read_file(folder_.file("err"));
    return outcome_;
  }

 private:
  TempFolder folder_;
  pid_t child_ = -1;
  bool finished_ = false;
  Outcome outcome_;
};

inline std::size_t line_count(const std::filesystem::path& file) {
  const std::string text = read_file(file);
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// Waits until a file has so many lines, at most half a minute.
inline bool has_lines(const std::filesystem::path& file, std::size_t lines) {
  for (int i = 0; i < 3000 && line_count(file) < lines; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return line_count(file) >= lines;
}

inline std::vector<std::string> simtrain_command(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), program());
  return arguments;
}

}  // namespace simtrain::testing
