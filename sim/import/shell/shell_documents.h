#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "sim/import/shell/shell_variables.h"
#include "sim/import/shell/words/shell_words.h"

namespace simtrain {

/// JSON that a script writes into files (`cat <<END >FILE`), by their plain paths.
using ScriptDocuments = std::map<std::string, ShellWord>;

/// Keeps the here-document at `at`, its variables put in, where its command writes it into a file;
/// the place behind it.
std::size_t note_document(const std::vector<ShellWord>& words, std::size_t at,
                          const ShellVariables& variables, ScriptDocuments& documents);

/// What a script wrote into the file that it names so; null where it wrote none.
const ShellWord* document_of(const ScriptDocuments& documents, const std::string& path);

}  // namespace simtrain
