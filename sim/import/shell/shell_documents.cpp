#include "sim/import/shell/shell_documents.h"

#include <filesystem>

namespace simtrain {
namespace {

/// The word that names the file into which the command of the document at `document` writes it;
/// null where it goes elsewhere.
const ShellWord* written_file(const std::vector<ShellWord>& words, std::size_t document) {
  for (std::size_t at = document; at > 0 && !words[at].starts; --at) {
    const bool file = !words[at].ends && !words[at].document;
    if (file && is_operator(words, at - 1, ">")) return &words[at];
  }
  return nullptr;
}

/// `./a.json` is `a.json`.
std::string plain_path(const std::string& path) {
  return std::filesystem::path(path).lexically_normal().string();
}

}  // namespace

std::size_t note_document(const std::vector<ShellWord>& words, std::size_t at,
                          const ShellVariables& variables, ScriptDocuments& documents) {
  if (const ShellWord* file = written_file(words, at)) {
    ShellWord& document = documents[plain_path(variables.put_in(file->text))];
    document = words[at];
    document.text = variables.put_in(document.text);
  }
  return at + 1;
}

const ShellWord* document_of(const ScriptDocuments& documents, const std::string& path) {
  const auto found = documents.find(plain_path(path));
  return found == documents.end() ? nullptr : &found->second;
}

}  // namespace simtrain
