#pragma once

#include <pty.h>
#include <termios.h>

#include "tests/cli/program.h"
#include "tests/core/checkout.h"

namespace simtrain::testing {

/// Runs simtrain with a terminal as standard output and standard error; `out` is what came there.
inline Outcome run_on_terminal(std::vector<std::string> arguments,
                               const std::map<std::string, std::string>& environment = {}) {
  arguments.insert(arguments.begin(), program());
  termios plain{};
  cfmakeraw(&plain);
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, &plain, nullptr);
  invariant(child >= 0, "a process can be started on a terminal");
  if (child == 0) {
    unsetenv("NO_COLOR");
    setenv("TERM", "xterm-256color", 1);
    detail::execute(arguments, {source_dir(), environment, ""});
  }
  std::string shown;
  char buffer[4096];
  for (ssize_t count = read(terminal, buffer, sizeof buffer); count > 0;
       count = read(terminal, buffer, sizeof buffer))
    shown.append(buffer, static_cast<std::size_t>(count));
  close(terminal);
  Outcome outcome = detail::end_of(child);
  outcome.out = std::move(shown);
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
