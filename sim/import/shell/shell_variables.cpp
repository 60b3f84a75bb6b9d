#include "sim/import/shell/shell_variables.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "sim/core/input/number_text.h"
#include "sim/core/input/text_parts.h"
#include "sim/import/shell/shell_path.h"
#include "sim/import/shell/words/shell_arithmetic.h"
#include "sim/import/shell/words/shell_expansion.h"
#include "sim/import/shell/words/shell_words.h"

namespace simtrain {
namespace {

constexpr std::size_t kLongestWord = 4096;      // of a word with its variables put in
constexpr std::size_t kLongestReference = 512;  // of ${...}; a longer one stays as it is written
constexpr std::size_t kMostVariables = 4096;    // the rest stays unknown
constexpr std::size_t kMostItems = 512;         // of a list; one with more stays unknown
constexpr int kDeepestDefault = 8;              // defaults in defaults

/// Whether `$((` starts here.
bool is_arithmetic(std::string_view word, std::size_t at) { return word.substr(at, 3) == "$(("; }

/// Of `$((...))`; 0 where its brackets do not close.
std::size_t arithmetic_length(const std::string& word, std::size_t at) {
  int depth = 0;
  const std::size_t most = std::min(word.size(), at + kLongestReference);
  for (std::size_t i = at + 1; i < most; ++i) {
    if (word[i] == '(') ++depth;
    if (word[i] == ')' && --depth == 0) return word[i - 1] == ')' ? i - at + 1 : 0;
  }
  return 0;
}

/// Whether commands of a pipe change blanks between words alone.
bool keeps_words(std::string_view commands) {
  constexpr std::array<std::string_view, 6> kOfBlanks{R"(tr '\n' ' ')",      R"(tr "\n" " ")",
                                                      R"(tr -s ' ')",        "xargs",
                                                      R"(sed 's/  \+/ /g')", R"(sed 's/  */ /g')"};
  const std::vector<std::string_view> all = split(commands, '|');
  return std::all_of(all.begin(), all.end(), [&](std::string_view command) {
    return std::find(kOfBlanks.begin(), kOfBlanks.end(), trimmed(command)) != kOfBlanks.end();
  });
}

/// A command whose output a script takes in, and how long all of it is in the script; 0 where there
/// is none that is understood: `expr WORDS` and `echo WORDS | bc` print a number, `echo WORDS` its
/// words, whose lines `tr` may join.
struct PrintedText {
  std::string_view words;
  bool number = false;
  std::size_t length = 0;
};

PrintedText printed_text(std::string_view word, std::size_t at) {
  const bool ticks = word.substr(at, 1) == "`";
  if (!ticks && word.substr(at, 2) != "$(") return {};
  const std::size_t start = at + (ticks ? 1 : 2);
  const std::size_t most = std::min(word.size(), at + kLongestReference);
  std::size_t end = start;
  for (int depth = 1; end < most; ++end) {
    if (ticks ? word[end] == '`' : word[end] == ')' && --depth == 0) break;
    if (!ticks && word[end] == '(') ++depth;
  }
  if (end == most) return {};
  const std::string_view command = word.substr(start, end - start);
  const std::string_view words = command.substr(std::min<std::size_t>(5, command.size()));
  if (command.starts_with("expr ")) return {words, true, end + 1 - at};
  if (!command.starts_with("echo ") || words.starts_with('-')) return {};
  const std::size_t pipe = words.find('|');
  if (pipe == std::string_view::npos) return {words, false, end + 1 - at};
  const std::string_view filters = words.substr(pipe + 1);
  const bool number = trimmed(filters) == "bc";
  if (!number && !keeps_words(filters)) return {};
  return {words.substr(0, pipe), number, end + 1 - at};
}

/// Of `$NAME`, `${...}`, `$((...))`, `$(expr ...)` or `$(echo ...)`; 0 where there is none.
std::size_t reference_length(const std::string& word, std::size_t at) {
  if (const PrintedText text = printed_text(word, at); text.length > 0) return text.length;
  if (at + 1 >= word.size() || word[at] != '$') return 0;
  if (is_arithmetic(word, at)) return arithmetic_length(word, at);
  if (word[at + 1] != '{') {
    std::size_t end = at + 1;
    while (end < word.size() && in_name(word[end])) ++end;
    return starts_name(word[at + 1]) ? end - at : 0;
  }
  int depth = 0;
  const std::size_t most = std::min(word.size(), at + kLongestReference);
  for (std::size_t i = at + 1; i < most; ++i) {
    if (word[i] == '{') ++depth;
    if (word[i] == '}' && --depth == 0) return i - at + 1;
  }
  return 0;
}

/// `NAME` and what follows it in `$NAME` and `${NAME...}`.
struct Reference {
  std::string name;
  std::string rest;
};

Reference parsed(const std::string& reference) {
  const bool braced = reference[1] == '{';
  const std::string inside =
      braced ? reference.substr(2, reference.size() - 3) : reference.substr(1);
  std::size_t end = 0;
  while (end < inside.size() && in_name(inside[end])) ++end;
  return {inside.substr(0, end), inside.substr(end)};
}

std::string without(std::string text, std::string_view signs) {
  std::erase_if(text, [&](char c) { return signs.find(c) != signs.npos; });
  return text;
}

/// Behind the `NAME` or `NAME[key]` that a word starts with; 0 where it starts with none.
std::size_t name_end(const std::string& word) {
  const std::size_t end = leading_name(word).size();
  if (end == 0 || end == word.size() || word[end] != '[') return end;
  const std::size_t close = word.find(']', end);
  return close == std::string::npos ? 0 : close + 1;
}

std::string unquoted(std::string text) {
  const bool quoted = text.size() > 1 && (text.front() == '"' || text.front() == '\'') &&
                      text.back() == text.front();
  return quoted ? text.substr(1, text.size() - 2) : text;
}

}  // namespace

bool ShellVariables::take(const std::string& word, bool maybe) {
  const std::size_t end = name_end(word);
  const std::string_view behind = std::string_view(word).substr(end);
  const bool appends = behind.starts_with("+=");
  if (end == 0 || (!appends && !behind.starts_with('='))) return false;
  const std::string name = put_in(word.substr(0, end));
  std::string value = put_in(word.substr(end + (appends ? 2 : 1)));
  const auto known = values_.find(name);
  if (known == values_.end()) {
    if (values_.size() < kMostVariables) values_[name] = std::move(value);
    return true;
  }
  if (appends && known->second) value = *known->second + value;
  const bool lost = (appends && !known->second) || value.size() > kLongestWord ||
                    (maybe && known->second != value);
  known->second = lost ? std::nullopt : std::optional(std::move(value));
  return true;
}

void ShellVariables::set_list(const std::string& name,
                              std::vector<std::optional<std::string>> values) {
  if (values.size() > kMostItems) return forget_list(name);
  if (lists_.size() < kMostVariables) lists_[name] = std::move(values);
}

const std::vector<std::optional<std::string>>* ShellVariables::list(std::string_view name) const {
  const auto known = lists_.find(name);
  return known == lists_.end() ? nullptr : &known->second;
}

ShellVariables::Kept ShellVariables::kept(const std::string& name) const {
  Kept out;
  if (const auto value = values_.find(name); value != values_.end()) out.value = value->second;
  if (const auto* items = list(name)) out.list = *items;
  return out;
}

void ShellVariables::put_back(const std::string& name, Kept kept) {
  values_.erase(name);
  lists_.erase(name);
  if (kept.value) values_[name] = std::move(*kept.value);
  if (kept.list) lists_[name] = std::move(*kept.list);
}

void ShellVariables::forget_changes(const ShellVariables& before) {
  for (auto& [name, value] : values_) {
    const auto old = before.values_.find(name);
    if (old == before.values_.end() || old->second != value) value.reset();
  }
}

ShellVariables ShellVariables::joined(const std::vector<ShellVariables>& branches) {
  ShellVariables all = branches.front();
  for (std::size_t i = 1; i < branches.size(); ++i) {
    for (const auto& [name, value] : branches[i].values_) {
      const auto [entry, fresh] = all.values_.try_emplace(name, value);
      if (!fresh && entry->second != value) entry->second.reset();
    }
    std::erase_if(all.lists_, [&](const auto& kept) {
      const auto* other = branches[i].list(kept.first);
      return other == nullptr || *other != kept.second;
    });
  }
  return all;
}

std::string ShellVariables::put_in(const std::string& word, int depth) const {
  std::string out;
  for (std::size_t at = 0; at < word.size() && out.size() <= kLongestWord;) {
    const std::size_t length = reference_length(word, at);
    const auto value = length > 0 ? value_of(word.substr(at, length), depth) : std::nullopt;
    const std::size_t taken = length > 0 ? length : 1;
    out += value ? *value : word.substr(at, taken);
    at += taken;
  }
  return out;
}

std::optional<std::string> ShellVariables::number_of(std::string_view formula, int depth) const {
  const auto value = shell_arithmetic(
      formula, [&](const std::string& name) { return value_of("${" + name + "}", depth); });
  return value ? std::optional(std::to_string(*value)) : std::nullopt;
}

std::optional<std::string> ShellVariables::echoed_words(const std::string& words, int depth) const {
  if (depth >= kDeepestDefault) return std::nullopt;
  const std::string text = put_in(words, depth + 1);
  std::string words_apart;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = std::min(text.find_first_not_of(" \t\n", at), text.size());
    at = std::min(text.find_first_of(" \t\n", start), text.size());
    if (start < at)
      words_apart += (words_apart.empty() ? "" : " ") + text.substr(start, at - start);
  }
  return words_apart;
}

std::optional<std::string> ShellVariables::value_of(const std::string& reference, int depth) const {
  if (is_arithmetic(reference, 0))
    return number_of(std::string_view(reference).substr(3, reference.size() - 5), depth);
  if (const PrintedText text = printed_text(reference, 0); text.length > 0) {
    const std::string words = without(std::string(text.words), "\\'\"");
    return text.number ? number_of(words, depth) : echoed_words(words, depth);
  }
  const auto [name, rest] = parsed(reference);
  if (auto item = item_of(name, rest, depth)) return item;
  const auto found = values_.find(name);
  if (found != values_.end() && !found->second) return std::nullopt;
  std::optional<std::string> value;
  if (found != values_.end()) value = found->second;
  if (name == "BASH_SOURCE" && !value) value = source_;
  const bool whole = rest.empty() || rest == "[@]" || rest == "[*]" || rest == "[0]";
  if (whole) return value;
  if (rest == "%/*" || rest == "[0]%/*") return value ? std::optional(folder_of(*value)) : value;
  if (value && depth < kDeepestDefault) {
    const std::string operation = put_in(without(rest, "\"'"), depth + 1);
    const bool known = operation.find('$') == std::string::npos;
    if (auto changed = known ? shell_expansion(*value, operation) : std::nullopt) return changed;
  }
  if (rest.starts_with('+') || rest.starts_with(":+")) {
    const bool there = value && !(rest.starts_with(':') && value->empty());
    if (!there || depth >= kDeepestDefault) return "";
    return put_in(unquoted(rest.substr(rest.find('+') + 1)), depth + 1);
  }
  const bool empty_too = rest.starts_with(":-") || rest.starts_with(":=");
  if (!empty_too && !rest.starts_with('-') && !rest.starts_with('=')) return std::nullopt;
  if (value && !(empty_too && value->empty())) return value;
  if (depth >= kDeepestDefault) return std::nullopt;
  return put_in(unquoted(rest.substr(empty_too ? 2 : 1)), depth + 1);
}

std::optional<std::string> ShellVariables::item_of(const std::string& name, std::string_view rest,
                                                   int depth) const {
  constexpr std::string_view kAll = "[@]";
  if (name.empty() && rest.starts_with('#') && rest.ends_with(kAll)) {
    const auto* all = list(rest.substr(1, rest.size() - 1 - kAll.size()));
    return all != nullptr ? std::optional(std::to_string(all->size())) : std::nullopt;
  }
  if (depth >= kDeepestDefault) return std::nullopt;
  const bool indexed = rest.size() > 2 && rest.starts_with('[') && rest.ends_with(']');
  if (!indexed && !rest.empty()) return std::nullopt;
  if (indexed) {
    const auto keyed = values_.find(put_in(name + without(std::string(rest), "\"'"), depth + 1));
    if (keyed != values_.end()) return keyed->second;
  }
  const auto* items = list(name);
  if (items == nullptr) return std::nullopt;
  std::int64_t index = 0;
  if (indexed) {
    const auto number = number_of(rest.substr(1, rest.size() - 2), depth + 1);
    const auto whole = number ? number_as<std::int64_t>(*number) : std::nullopt;
    if (!whole) return std::nullopt;
    index = *whole;
  }
  const auto size = static_cast<std::int64_t>(items->size());
  if (index < 0) index += size;
  return index >= 0 && index < size ? (*items)[static_cast<std::size_t>(index)] : std::nullopt;
}

void ShellVariables::take_default(const std::string& word) {
  for (std::size_t at = word.find("${"); at != std::string::npos; at = word.find("${", at + 2)) {
    const std::size_t length = reference_length(word, at);
    if (length == 0) continue;
    const Reference reference = parsed(word.substr(at, length));
    if (!reference.rest.starts_with(":=") && !reference.rest.starts_with('=')) continue;
    const auto value = value_of(word.substr(at, length), 0);
    if (value && starts_name(reference.name.front())) values_.try_emplace(reference.name, *value);
  }
}

std::optional<std::string> ShellVariables::computed(const std::string& expression) const {
  std::string value = put_in("$((" + expression + "))");
  return value.starts_with('$') ? std::nullopt : std::optional(std::move(value));
}

bool ShellVariables::has_forgotten(const std::string& word) const {
  for (std::size_t at = 0; at < word.size(); ++at) {
    const std::size_t length = reference_length(word, at);
    if (length == 0) continue;
    const PrintedText text = printed_text(word, at);
    if (text.length > 0 || is_arithmetic(word, at)) {
      const auto whole = std::string_view(word).substr(at, length);
      if (names_forgotten(text.length > 0 ? text.words : whole.substr(3, length - 5))) return true;
      at += length - 1;
      continue;
    }
    const auto known = values_.find(parsed(word.substr(at, length)).name);
    if (known != values_.end() && !known->second) return true;
  }
  return false;
}

bool ShellVariables::names_forgotten(std::string_view formula) const {
  for (std::size_t at = 0; at < formula.size();) {
    std::size_t end = at;
    while (end < formula.size() && in_name(formula[end])) ++end;
    const auto known = values_.find(formula.substr(at, end - at));
    if (known != values_.end() && !known->second) return true;
    at = std::max(end, at + 1);
  }
  return false;
}

bool ShellVariables::is_unset(const std::string& word) const {
  const std::size_t length = reference_length(word, 0);
  if (length == 0 || length != word.size()) return false;
  const Reference reference = parsed(word);
  return reference.rest.empty() && !reference.name.empty() && starts_name(reference.name[0]) &&
         values_.count(reference.name) == 0;
}

std::optional<std::string> ShellVariables::path_in(const std::string& word) const {
  return shell_path(put_in(word), script_);
}

}  // namespace simtrain
