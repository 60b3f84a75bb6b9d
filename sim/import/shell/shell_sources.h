#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/import/shell/shell_variables.h"
#include "sim/import/shell/words/shell_words.h"

namespace simtrain {

/// Of the files to leave out: all that are not there.
inline constexpr std::string_view kAllMissing = "*";

/// The files that a script takes in by `source`.
class ShellSources {
 public:
  /// `left_out` are names of files that are not read.
  ShellSources(std::string script, const std::vector<std::string>& left_out)
      : script_(std::move(script)), left_out_(left_out) {}

  /// The path of the file that a word behind `source` names; none where it is not read: it is left
  /// out, sets up a shell, or is not there, which `refuse_missing` says. Throws InputError at a
  /// path that only a run knows, and at more files than any script takes in.
  std::optional<std::string> find(const ShellWord& word, const ShellVariables& variables);

  /// Throws one InputError for all files that are not there, so that one option reads on.
  void refuse_missing() const;

 private:
  struct Missing {
    SourcePlace place;
    std::string name;
    std::string path;
  };

  std::string script_;
  const std::vector<std::string>& left_out_;
  std::vector<Missing> missing_;
  std::size_t files_ = 0;
};

}  // namespace simtrain
