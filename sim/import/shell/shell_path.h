#pragma once

#include <optional>
#include <string>

namespace simtrain {

/// The folder of a path, as dirname has it.
std::string folder_of(const std::string& path);

/// What a word of a script is as a path, with `$0`, `$PWD` and the commands with which scripts find
/// their own folder (dirname, readlink -f, realpath, cd X && pwd, pwd). `script` is the path of
/// `$0`, its folder the working directory. None where anything else is left to a run.
std::optional<std::string> shell_path(const std::string& word, const std::string& script);

}  // namespace simtrain
