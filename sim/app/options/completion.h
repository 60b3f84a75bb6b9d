#pragma once

#include <string>

namespace simtrain {

/// A script for bash, and by its bashcompinit for zsh, that completes commands, their options and
/// the words that an option takes, from the usage texts of all commands; names of files and rows
/// it asks the program for.
std::string completion_script();

}  // namespace simtrain
