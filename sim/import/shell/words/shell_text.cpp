#include "sim/import/shell/words/shell_text.h"

#include <string_view>

namespace simtrain {
namespace {

using TextWords = std::vector<ShellWord>;

/// Whether what a command prints, whose words end here, is of use to another.
bool goes_on(const TextWords& words, std::size_t end) {
  const bool piped = is_operator(words, end, "|") && !is_operator(words, end + 1, "|");
  return piped || (is_operator(words, end, ">") && !is_operator(words, end + 1, "&"));
}

/// Behind `<<END ... END` at `at`; none where there is no such text or it has no end.
std::optional<std::size_t> behind_document(const TextWords& words, std::size_t at) {
  if (!is_operator(words, at, "<") || !is_operator(words, at + 1, "<") || at + 2 >= words.size() ||
      words[at + 2].ends || goes_on(words, at + 3))
    return std::nullopt;
  std::string_view end = words[at + 2].text;
  if (end.starts_with('-')) end.remove_prefix(1);
  for (at += 3; at < words.size(); ++at) {
    if (words[at].document) return at + 1;
    if (words[at].starts && words[at].text == end) return at + 1;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::size_t> behind_text(const std::vector<ShellWord>& words, std::size_t at) {
  const std::string_view command = words[at].text;
  const bool quoted = at + 1 < words.size() && words[at + 1].quote != 0;
  if (command == ":" && quoted) return behind_words(words, at + 1);
  if (command == "cat" || command == ":") return behind_document(words, at + 1);
  if (command != "echo" && command != "printf") return std::nullopt;
  const std::size_t end = behind_words(words, at + 1);
  return goes_on(words, end) ? std::nullopt : std::optional(end);
}

}  // namespace simtrain
