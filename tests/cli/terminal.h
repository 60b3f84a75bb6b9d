#pragma once

#include <pty.h>
#include <termios.h>

#include "tests/cli/program.h"

namespace simtrain::testing {

/// Runs simtrain with a terminal as standard output and standard error; `out` is what came there.
inline Outcome run_on_terminal(std::vector<std::string> arguments,
                               const std::map<std::string, std::string>& environment = {}) {
  arguments.insert(arguments.begin(), SIMTRAIN_PROGRAM);
  termios plain{};
  cfmakeraw(&plain);
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, &plain, nullptr);
  invariant(child >= 0, "a process can be started on a terminal");
  if (child == 0) {
    unsetenv("NO_COLOR");
    setenv("TERM", "xterm-256color", 1);
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    if (chdir(SIMTRAIN_SOURCE_DIR) != 0) _exit(126);
    std::vector<char*> words;
    words.reserve(arguments.size() + 1);
    for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    execv(words.front(), words.data());
    _exit(127);
  }
  Outcome outcome;
  char buffer[4096];
  for (ssize_t count = read(terminal, buffer, sizeof buffer); count > 0;
       count = read(terminal, buffer, sizeof buffer))
    outcome.out.append(buffer, static_cast<std::size_t>(count));
  close(terminal);
  int state = 0;
  while (waitpid(child, &state, 0) < 0) {
  }
  if (WIFEXITED(state)) outcome.status = WEXITSTATUS(state);
  if (WIFSIGNALED(state)) outcome.signal = WTERMSIG(state);
  return outcome;
}

/// A text without the escapes that colour it.
inline std::string without_colours(const std::string& text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text.compare(at, 2, "\x1b[") == 0)
      at = text.find('m', at);
    else
      plain += text[at];
  }
  return plain;
}

}  // namespace simtrain::testing
