#include "sim/import/shell/words/shell_chain.h"

#include <string_view>

namespace simtrain {
namespace {

using ChainWords = std::vector<ShellWord>;

/// `&&` or `||`, as its character; 0: neither is at `at`.
char chain_sign(const ChainWords& words, std::size_t at) {
  for (const char sign : {'&', '|'}) {
    const std::string_view text(&sign, 1);
    if (is_operator(words, at, text) && is_operator(words, at + 1, text)) return sign;
  }
  return 0;
}

/// Behind a test; `at` where there is none.
std::size_t behind_test(const ChainWords& words, std::size_t at) {
  const std::string_view opening = words[at].text;
  if (words[at].ends || (opening != "[" && opening != "[[" && opening != "test")) return at;
  const std::string_view closing = opening == "[" ? "]" : opening == "[[" ? "]]" : "";
  for (std::size_t i = at + 1; i < words.size(); ++i) {
    if (!closing.empty() && !words[i].ends && words[i].text == closing) return i + 1;
    if (closing.empty() && (words[i].ends || words[i].starts)) return i;
    if (words[i].starts && opening != "[[") return at;
  }
  return closing.empty() ? words.size() : at;
}

/// Behind a command: a group in braces or brackets, or words up to an operator or the next command.
std::size_t behind_command(const ChainWords& words, std::size_t begin) {
  int brackets = 0;
  int braces = 0;
  for (std::size_t i = begin; i < words.size(); ++i) {
    const ShellWord& word = words[i];
    if (brackets == 0 && braces == 0 && i > begin && (word.starts || word.ends) &&
        !is_operator(words, i, "("))
      return i;
    if (word.ends && word.text == "(") ++brackets;
    if (word.ends && word.text == ")" && --brackets <= 0 && braces == 0) return i + 1;
    if (!word.ends && word.text == "{") ++braces;
    if (!word.ends && word.text == "}" && --braces <= 0 && brackets == 0) return i + 1;
  }
  return words.size();
}

}  // namespace

std::optional<ShellChain> chain_at(const std::vector<ShellWord>& words, std::size_t at) {
  std::size_t end = behind_test(words, at);
  if (end == at) return std::nullopt;
  char sign = chain_sign(words, end);
  while (sign != 0 && end + 2 < words.size()) {
    const std::size_t next = behind_test(words, end + 2);
    if (next == end + 2 || chain_sign(words, next) == 0) break;
    end = next;
    sign = chain_sign(words, end);
  }
  if (sign == 0 || end + 2 >= words.size()) return std::nullopt;
  ShellChain chain;
  chain.tests.assign(words.begin() + static_cast<std::ptrdiff_t>(at),
                     words.begin() + static_cast<std::ptrdiff_t>(end));
  bool wanted = sign == '&';
  while (sign != 0 && end + 2 < words.size()) {
    const std::size_t begin = end + 2;
    end = behind_command(words, begin);
    const bool along = !chain.commands.empty() && sign == '&';
    if (along && !chain.commands.back().wanted) break;  // it runs in any case
    if (along) {
      chain.commands.back().end = end;
    } else {
      chain.commands.push_back({begin, end, wanted});
    }
    if (chain.commands.size() > 1 && !along) break;
    sign = chain_sign(words, end);
    wanted = sign == '|' ? !wanted : wanted;
  }
  return chain;
}

bool is_chained(const ChainWords& words, std::size_t at) {
  if (at < 2 || !words[at - 1].ends || !words[at - 2].ends) return false;
  const std::string& sign = words[at - 1].text;
  return sign == words[at - 2].text && (sign == "&" || sign == "|");
}

}  // namespace simtrain
