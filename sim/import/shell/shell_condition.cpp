#include "sim/import/shell/shell_condition.h"

#include <filesystem>

#include "sim/core/input/number_text.h"
#include "sim/import/shell/words/shell_expansion.h"

namespace simtrain {
namespace {

using Tested = std::optional<bool>;

/// A word's value; a variable that nothing sets is empty. None where only a run knows it.
std::optional<std::string> known(const std::string& word, const ShellVariables& variables) {
  if (variables.is_unset(word)) return "";
  std::string value = variables.put_in(word);
  if (value.find_first_of("$`") != std::string::npos) return std::nullopt;
  return value;
}

std::optional<bool> numbers(const std::string& left, const std::string& op,
                            const std::string& right) {
  const auto a = number_as<std::int64_t>(left);
  const auto b = number_as<std::int64_t>(right);
  if (!a || !b) return std::nullopt;
  if (op == "-eq") return *a == *b;
  if (op == "-ne") return *a != *b;
  if (op == "-lt") return *a < *b;
  if (op == "-le") return *a <= *b;
  if (op == "-gt") return *a > *b;
  if (op == "-ge") return *a >= *b;
  return std::nullopt;
}

std::optional<bool> of_file(const std::string& word, const ShellVariables& variables) {
  const auto path = variables.path_in(word);
  std::error_code error;
  if (path && std::filesystem::exists(*path, error)) return true;
  return std::nullopt;
}

std::optional<bool> of_one(const std::string& op, const std::string& word,
                           const ShellVariables& variables) {
  if (op == "-f" || op == "-e" || op == "-r") return of_file(word, variables);
  const auto value = known(word, variables);
  if (!value || (op != "-z" && op != "-n")) return std::nullopt;
  return value->empty() == (op == "-z");
}

std::optional<bool> of_two(const std::string& left, const std::string& op, const std::string& right,
                           bool patterns, const ShellVariables& variables) {
  const auto a = known(left, variables);
  const auto b = known(right, variables);
  if (!a || !b) return std::nullopt;
  if (op.starts_with('-')) return numbers(*a, op, *b);
  if (op != "=" && op != "==" && op != "!=") return std::nullopt;
  return (patterns ? matches_pattern(*b, *a) : *a == *b) == (op != "!=");
}

/// `patterns`: the right side may be one, as in `[[ ... ]]`.
std::optional<bool> of_words(const std::vector<std::string>& words, bool patterns,
                             const ShellVariables& variables) {
  if (words.size() == 3) return of_two(words[0], words[1], words[2], patterns, variables);
  if (words.size() == 2) return of_one(words[0], words[1], variables);
  if (words.size() == 1) return of_one("-n", words[0], variables);
  return std::nullopt;
}

/// One `[ ... ]`, `[[ ... ]]` or `test ...`.
std::optional<bool> test_holds(std::vector<std::string> plain, const ShellVariables& variables) {
  bool negated = false;
  const auto drop_sign = [&] {
    while (!plain.empty() && plain.front() == "!") {
      negated = !negated;
      plain.erase(plain.begin());
    }
  };
  drop_sign();
  if (plain.empty()) return std::nullopt;
  const std::string opening = plain.front();
  plain.erase(plain.begin());
  if (opening == "true" || opening == "false")
    return plain.empty() ? Tested((opening == "true") != negated) : std::nullopt;
  if (opening == "[" || opening == "[[") {
    if (plain.empty() || plain.back() != (opening == "[" ? "]" : "]]")) return std::nullopt;
    plain.pop_back();
  } else if (opening != "test") {
    return std::nullopt;
  }
  drop_sign();
  const auto holds = of_words(plain, opening == "[[", variables);
  return holds ? std::optional(*holds != negated) : holds;
}

/// Whether what `((...))` computes is not 0.
Tested number_holds(const std::string& text, const ShellVariables& variables) {
  const auto value = variables.computed(text);
  return value ? std::optional(*value != "0") : std::nullopt;
}

/// `one && other` or `one || other`, either of which may be known to a run only.
Tested chained(Tested one, const std::string& sign, Tested other) {
  const bool decisive = sign == "|";
  if (one == decisive || other == decisive) return decisive;
  if (!one || !other) return std::nullopt;
  return !decisive;
}

}  // namespace

std::optional<bool> condition_holds(const std::vector<ShellWord>& words,
                                    const ShellVariables& variables) {
  std::optional<Tested> whole;
  std::string sign;
  std::vector<std::string> plain;
  bool counts = false;  // `((...))`, of `number`
  Tested number;
  for (std::size_t i = 0; i <= words.size(); ++i) {
    const bool over = i == words.size();
    if (const auto arithmetic = plain.empty() ? arithmetic_at(words, i) : std::nullopt) {
      number = number_holds(arithmetic->text, variables);
      counts = true;
      i = arithmetic->end - 1;
      continue;
    }
    if (!over && !words[i].ends) {
      plain.push_back(words[i].text);
      continue;
    }
    if (over && plain.empty() && !counts) break;  // behind the `;` before `then`
    const Tested test = counts ? number : test_holds(std::move(plain), variables);
    plain.clear();
    counts = false;
    if (whole && sign.empty()) return std::nullopt;  // several commands
    whole = whole ? chained(*whole, sign, test) : test;
    if (over) break;
    const bool chains = i + 1 < words.size() && words[i + 1].ends &&
                        words[i + 1].text == words[i].text &&
                        (words[i].text == "&" || words[i].text == "|");
    sign = chains ? words[i].text : "";
    if (chains) ++i;
    if (!chains && words[i].text != ";") return std::nullopt;
  }
  return whole ? *whole : std::nullopt;
}

std::optional<bool> pattern_takes(const std::string& pattern, const std::string& text) {
  if (pattern == "*") return true;
  if (pattern.find_first_of("$`") != std::string::npos) return std::nullopt;
  return matches_pattern(pattern, text);
}

}  // namespace simtrain
