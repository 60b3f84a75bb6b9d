#pragma once

#include <string>

#include "sim/import/shell/shell_script.h"

namespace simtrain::testing {

/// Words that follow `run`, the command of these scripts, a mark before those that a run decides.
inline std::string run_words(const std::string& text, const std::string& file = "s.sh") {
  std::string out;
  bool running = false;
  for (const ShellWord& word : read_script(text, file).words) {
    if (word.ends || word.starts) running = false;
    if (running) out += (word.undecided ? "?" : "") + word.text + " ";
    if (word.text == "run") running = true;
  }
  return out;
}

}  // namespace simtrain::testing
