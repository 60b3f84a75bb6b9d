#pragma once

#include <string>
#include <vector>

namespace simtrain {

/// A script for bash, and by its bashcompinit for zsh, that completes commands, their options and
/// the words that an option takes, from the tables of all commands; names of files and rows
/// it asks the program for. `topics` are those of `simtrain help`.
std::string completion_script(const std::vector<std::string>& topics);

}  // namespace simtrain
