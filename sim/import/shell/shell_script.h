#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/import/shell/shell_documents.h"
#include "sim/import/shell/shell_sources.h"
#include "sim/import/shell/words/shell_words.h"

namespace simtrain {

/// How a script is read.
struct ScriptRequest {
  std::vector<std::string> left_out{};  ///< files that it takes in and that are not read
  std::optional<int> nodes{};           ///< of the job, in place of what `#SBATCH` lines say
  /// As on its command line: `MODEL=8B 1 8` is a variable and two arguments. None: not known.
  std::optional<std::string> arguments{};
};

/// A script as far as it can be read without running it.
struct ShellScript {
  std::vector<ShellWord> words;  ///< with their variables put in
  /// Variables of its environment (NCCL_*, NVTE_*, CUDA_*) and the words that set them last.
  std::map<std::string, ShellWord> environment;
  ScriptDocuments documents;  ///< those that are written for certain, their variables put in
  /// Loops of which only the first round is read: their variable, and how many rounds there are.
  std::map<std::string, std::size_t> rounds;
  /// Variables whose arguments no command uses; these are not among the words.
  std::vector<std::string> unused;
};

/// Reads a script: comments, quotes, continued lines, `NAME=value` and `$NAME` in their order.
/// Branches of `if` and `case` whose condition the script itself decides are read or passed over;
/// words in one that only a run decides are marked. Of a loop over a list the first round is read.
/// Functions are read where they are called, with their parameters; those that are named but called
/// nowhere are read at the end. Variables of Slurm are as its `#SBATCH` lines make them. Arguments
/// that variables hold are where commands use them (`put_in_arguments`); what echo and printf print
/// is left out. What only a run knows ($1, $(...), a name that is set nowhere or to several values)
/// stays as it is written. Files that it takes in by `source` are read from its folder, but for
/// those of these names in `left_out` (`*`: those that are not there) and set-ups of the shell
/// itself. Throws InputError where such a file is not there, its path only a run knows, or they
/// take in each other, and at arguments that cannot be followed.
ShellScript read_script(const std::string& text, const std::string& file,
                        const ScriptRequest& request = {});

}  // namespace simtrain
