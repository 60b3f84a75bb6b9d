#pragma once

#include <string>
#include <vector>

#include "sim/import/shell/words/shell_words.h"

namespace simtrain {

/// A word of a script as it is read.
struct ReadWord {
  ShellWord word;          ///< with those of its variables put in whose values are known
  std::string written;     ///< before that
  bool forgotten = false;  ///< it names a value that only a run knows, and stays as it is written
  bool own = false;        ///< what it sets is a variable of the call that it is in
};

/// Puts arguments that a script keeps in variables (`NAME=(...)`, `NAME="--a 1 --b"` and what `+=`
/// adds) where its commands use them (`"${NAME[@]}"`, `$NAME`), as they are there. Arguments that
/// nothing uses are taken out; their variables are returned. Those of a variable that is exported
/// or used in part (`${NAME[0]}`, `x$NAME`) stay where they are set, as do all of a script none of
/// whose commands uses such a variable: it is one for others to take in.
///
/// `callers`: the call in which each call is, 0 in none; what is a call's own ends with it.
///
/// `looped` are words that loops go over (`${PLANS[@]}`), whose values are read elsewhere: lists
/// that are used so alone are taken out too.
std::vector<std::string> put_in_arguments(std::vector<ReadWord>& words,
                                          const std::vector<std::size_t>& callers,
                                          const std::vector<std::string>& looped);

}  // namespace simtrain
