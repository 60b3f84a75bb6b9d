#include "sim/import/shell/words/shell_functions.h"

#include <algorithm>
#include <utility>

namespace simtrain {
namespace {

using FunctionWords = std::vector<ShellWord>;
using ShellNames = std::set<std::string, std::less<>>;

constexpr std::size_t kMostFunctions = 256;
constexpr std::size_t kLongestBody = 8192;  // words; behind as many none is looked for its end

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

/// Behind the `}` that closes the `{` at `at`; none where none does.
std::optional<std::size_t> behind_body(const FunctionWords& words, std::size_t at) {
  int depth = 0;
  const std::size_t most = std::min(words.size(), at + kLongestBody);
  for (; at < most; ++at) {
    if (is_brace(words[at], "{")) ++depth;
    if (is_brace(words[at], "}") && --depth == 0) return at + 1;
  }
  return std::nullopt;
}

/// Where a function that is defined at `at` ends, and its name; none where none is.
struct FunctionPlace {
  std::string_view name;
  std::size_t begin = 0;
  std::size_t end = 0;
};

std::optional<FunctionPlace> function_place(const FunctionWords& words, std::size_t at) {
  FunctionPlace found;
  found.begin = behind_head(words, at, found.name);
  const bool opens = found.begin > at && found.begin < words.size() &&
                     is_brace(words[found.begin], "{") && !found.name.empty();
  const auto end = opens ? behind_body(words, found.begin) : std::nullopt;
  if (!end) return std::nullopt;
  found.end = *end;
  return found;
}

/// Adds what may be names of functions in a text: `f` of `trap f EXIT`, `$(f)` and `setup; f`, but
/// not of `f.py`.
void add_names(std::string_view text, ShellNames& names) {
  const auto joins = [](char c) { return in_name(c) || c == '-' || c == '.' || c == '/'; };
  for (auto at = text.begin(); at != text.end();) {
    const auto begin = std::find_if(at, text.end(), joins);
    at = std::find_if_not(begin, text.end(), joins);
    if (begin != at) names.emplace(begin, at);
  }
}

/// Whether a command is an argument of what it is in: `"$@"`, `$1`.
bool is_open_command(const ShellWord& word) {
  std::string_view text = word.text;
  if (word.ends || !word.starts || !text.starts_with('$')) return false;
  text.remove_prefix(text.starts_with("${") ? 2 : 1);
  return !text.empty() && !starts_name(text[0]);
}

}  // namespace

std::optional<ShellFunction> function_at(const FunctionWords& words, std::size_t at) {
  const auto place = function_place(words, at);
  if (!place) return std::nullopt;
  const auto word = [&](std::size_t i) { return words.begin() + static_cast<std::ptrdiff_t>(i); };
  ShellFunction found{
      std::string(place->name), {word(place->begin + 1), word(place->end - 1)}, place->end};
  if (!found.body.empty()) found.body.front().starts = true;
  return found;
}

std::size_t behind_functions(const FunctionWords& words, std::size_t at) {
  while (at < words.size()) {
    const auto place = function_place(words, at);
    if (!place) break;
    at = place->end;
  }
  return at;
}

bool ShellFunctions::define(ShellFunction function) {
  Defined* const known = find(function.name);
  if (known == nullptr && functions_.size() >= kMostFunctions) return false;
  Defined& defined = known == nullptr ? functions_.emplace_back() : *known;
  for (const ShellWord& word : function.body) add_names(word.text, defined.names);
  defined.function = std::move(function);
  return true;
}

void ShellFunctions::note(const FunctionWords& words, bool open_arguments) {
  for (std::size_t at = behind_functions(words, 0); at < words.size();
       at = behind_functions(words, at + 1)) {
    add_names(words[at].text, names_);
    calls_any_ = calls_any_ || (open_arguments && is_open_command(words[at]));
  }
}

std::optional<FunctionWords> ShellFunctions::call(std::string_view name) {
  const Defined* const known = find(name);
  if (known == nullptr) return std::nullopt;
  pass_over(name);
  return known->function.body;
}

void ShellFunctions::pass_over(std::string_view name) {
  Defined* const known = find(name);
  if (known != nullptr) known->read = called_ = true;
}

std::optional<FunctionWords> ShellFunctions::next_uncalled() {
  const auto uncalled = [&](const auto& counts) {
    return std::find_if(functions_.begin(), functions_.end(),
                        [&](const Defined& one) { return !one.read && counts(one.function.name); });
  };
  auto next = uncalled([&](const std::string& name) { return names_.contains(name); });
  if (next == functions_.end()) {
    any_ = any_ || calls_any_ || !called_;
    if (!any_) return std::nullopt;
    next = uncalled([&](const std::string& name) { return !is_named_by_others(name); });
    if (next == functions_.end()) next = uncalled([](const std::string&) { return true; });
    if (next == functions_.end()) return std::nullopt;
  }
  next->read = called_ = true;
  return next->function.body;
}

ShellFunctions::Defined* ShellFunctions::find(std::string_view name) {
  for (Defined& one : functions_) {
    if (one.function.name == name) return &one;
  }
  return nullptr;
}

bool ShellFunctions::is_named_by_others(std::string_view name) const {
  return std::any_of(functions_.begin(), functions_.end(), [&](const Defined& one) {
    return one.function.name != name && one.names.contains(name);
  });
}

}  // namespace simtrain
