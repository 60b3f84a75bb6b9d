#pragma once

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "sim/core/invariant.h"
#include "tests/core/checkout.h"

namespace simtrain::testing {

/// What one call of the program left.
struct Outcome {
  int status = -1;  ///< exit status; -1 where a signal ended it
  int signal = 0;   ///< the signal, 0 where it exited
  std::string out;
  std::string err;
};

/// A folder that is gone with its owner.
class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "simtrain-XXXXXX").string();
    invariant(mkdtemp(name.data()) != nullptr, "the temporary folder can be made");
    path_ = name;
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::string file(std::string_view name) const { return (path_ / name).string(); }

  /// Writes a file in the folder; the bytes as they are.
  void write(std::string_view name, std::string_view text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
  }

 private:
  std::filesystem::path path_;
};

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// `text` with the first `replaced` in it replaced by `by`; it has to be there.
inline std::string edited(std::string text, std::string_view replaced, std::string_view by) {
  const std::size_t at = text.find(replaced);
  invariant(at != std::string::npos, "the edited text holds what is replaced");
  return text.replace(at, replaced.size(), by);
}

struct CallOptions {
  std::string folder = source_dir();               ///< where it runs
  std::map<std::string, std::string> environment;  ///< beside what the tests have
  std::string standard_output;                     ///< this file, "-" for a closed one
};

namespace detail {

/// Takes the place of this process.
[[noreturn]] inline void execute(const std::vector<std::string>& command,
                                 const CallOptions& options) {
  for (const auto& [name, value] : options.environment) setenv(name.c_str(), value.c_str(), 1);
  if (chdir(options.folder.c_str()) != 0) _exit(126);
  std::vector<char*> words;
  words.reserve(command.size() + 1);
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execv(words.front(), words.data());
  _exit(127);
}

/// How a process ends.
inline Outcome end_of(pid_t child) {
  int state = 0;
  while (waitpid(child, &state, 0) < 0) {
  }
  Outcome outcome;
  if (WIFEXITED(state)) outcome.status = WEXITSTATUS(state);
  if (WIFSIGNALED(state)) outcome.signal = WTERMSIG(state);
  return outcome;
}

inline void become(const std::vector<std::string>& command, const CallOptions& options,
                   const std::string& out, const std::string& err) {
  const int flags = O_WRONLY | O_CREAT | O_TRUNC;
  const int in = open("/dev/null", O_RDONLY);
  const int errors = open(err.c_str(), flags, 0600);
  dup2(in, 0);
  dup2(errors, 2);
  if (options.standard_output == "-") {
    close(1);
  } else {
    const std::string& path = options.standard_output.empty() ? out : options.standard_output;
    dup2(open(path.c_str(), flags, 0600), 1);
  }
  execute(command, options);
}

}  // namespace detail

/// Runs a command without a terminal; its output goes through files, so that no pipe can fill up.
inline Outcome run_command_line(const std::vector<std::string>& command,
                                const CallOptions& options = {}) {
  const TempFolder folder;
  const std::string out = folder.file("out");
  const std::string err = folder.file("err");
  const pid_t child = fork();
  invariant(child >= 0, "a process can be started");
  if (child == 0) detail::become(command, options, out, err);
  Outcome outcome = detail::end_of(child);
  outcome.out = read_file(out);
  outcome.err = read_file(err);
  return outcome;
}

/// Runs simtrain as a user types it.
inline Outcome run_simtrain(std::vector<std::string> arguments, const CallOptions& options = {}) {
  arguments.insert(arguments.begin(), program());
  return run_command_line(arguments, options);
}

/// The same through the shell, for pipes: `$SIMTRAIN` is the program.
inline Outcome shell(const std::string& line, CallOptions options = {}) {
  options.environment["SIMTRAIN"] = program();
  return run_command_line({"/bin/sh", "-c", line}, options);
}

inline std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) result.push_back(line);
  return result;
}

/// The words of a command line without quotes in it.
inline std::vector<std::string> words(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> result;
  for (std::string word; stream >> word;) result.push_back(word);
  return result;
}

}  // namespace simtrain::testing
