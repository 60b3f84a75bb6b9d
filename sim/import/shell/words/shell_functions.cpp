#include "sim/import/shell/words/shell_functions.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace simtrain {
namespace {

using FunctionWords = std::vector<ShellWord>;

constexpr std::size_t kMostFunctions = 256;  // a script with more of them keeps all

struct ShellFunction {
  std::string_view name;
  std::size_t begin = 0;
  std::size_t end = 0;
  bool called = false;
};

bool is_brace(const ShellWord& word, std::string_view text) {
  return !word.ends && word.text == text;
}

/// Behind `NAME ( )` or `function NAME`; `at` where no function is defined.
std::size_t behind_head(const FunctionWords& words, std::size_t at, std::string_view& name) {
  if (!words[at].starts || words[at].ends) return at;
  const bool keyword = words[at].text == "function" && at + 1 < words.size();
  const std::size_t named = keyword ? at + 1 : at;
  name = words[named].text;
  std::size_t next = named + 1;
  const bool brackets = is_operator(words, next, "(") && is_operator(words, next + 1, ")");
  if (brackets) next += 2;
  return keyword || brackets ? next : at;
}

/// The function that is defined at `at`, where its body closes.
std::optional<ShellFunction> function_at(const FunctionWords& words, std::size_t at) {
  ShellFunction found;
  std::size_t next = behind_head(words, at, found.name);
  if (next == at || next >= words.size() || !is_brace(words[next], "{") || found.name.size() < 2)
    return std::nullopt;
  int depth = 0;
  for (; next < words.size(); ++next) {
    if (is_brace(words[next], "{")) ++depth;
    if (!is_brace(words[next], "}") || --depth > 0) continue;
    found.begin = at;
    found.end = next + 1;
    return found;
  }
  return std::nullopt;
}

std::vector<ShellFunction> functions_in(const FunctionWords& words) {
  std::vector<ShellFunction> functions;
  for (std::size_t at = 0; at < words.size();) {
    const auto found = function_at(words, at);
    if (found) functions.push_back(*found);
    at = found ? found->end : at + 1;
  }
  return functions;
}

/// Marks the functions that words from `begin` up to before `end` name.
void mark_called(const FunctionWords& words, std::size_t begin, std::size_t end,
                 std::vector<ShellFunction>& functions) {
  for (std::size_t at = begin; at < end; ++at) {
    for (ShellFunction& function : functions)
      function.called = function.called || words[at].text.find(function.name) != std::string::npos;
  }
}

/// Calls from outside of all functions, and from those that are called.
void follow_calls(const FunctionWords& words, std::vector<ShellFunction>& functions) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    mark_called(words, at, functions[i].begin, functions);
    at = functions[i].end;
  }
  mark_called(words, at, words.size(), functions);
  std::vector<bool> followed(functions.size(), false);
  for (bool more = true; more;) {
    more = false;
    for (std::size_t i = 0; i < functions.size(); ++i) {
      if (!functions[i].called || followed[i]) continue;
      followed[i] = true;
      mark_called(words, functions[i].begin + 1, functions[i].end, functions);
      more = true;
    }
  }
}

/// Whether a command is an argument of the script: `"$@"`, `$1`.
bool calls_any(const FunctionWords& words) {
  return std::any_of(words.begin(), words.end(), [](const ShellWord& word) {
    std::string_view text = word.text;
    if (word.ends || !word.starts || !text.starts_with('$')) return false;
    text.remove_prefix(text.starts_with("${") ? 2 : 1);
    return !text.empty() && !starts_name(text[0]);
  });
}

}  // namespace

std::vector<ShellWord> with_functions(std::vector<ShellWord> words, bool uncalled_too) {
  std::vector<ShellFunction> functions = functions_in(words);
  for (std::size_t i = 0; i < functions.size(); ++i) {
    for (std::size_t at = functions[i].begin; at < functions[i].end; ++at)
      words[at].function = i + 1;
  }
  if (uncalled_too || functions.empty() || functions.size() > kMostFunctions || calls_any(words))
    return words;
  follow_calls(words, functions);
  const auto called = [](const ShellFunction& function) { return function.called; };
  if (std::none_of(functions.begin(), functions.end(), called)) return words;
  std::vector<ShellWord> kept;
  kept.reserve(words.size());
  std::size_t at = 0;
  for (const ShellFunction& function : functions) {
    const std::size_t end = function.called ? function.end : function.begin;
    for (; at < end; ++at) kept.push_back(words[at]);
    at = function.end;
  }
  for (; at < words.size(); ++at) kept.push_back(words[at]);
  return kept;
}

}  // namespace simtrain
