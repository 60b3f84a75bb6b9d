#include "sim/import/shell/shell_lists.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace simtrain {
namespace {

using Values = std::vector<std::optional<std::string>>;

constexpr std::size_t kMostValues = 4096;
constexpr std::string_view kSeparator = "IFS=";
constexpr std::string_view kListBlanks = " \t\r\n";

bool is_known(std::string_view text) { return text.find_first_of("$`*?[{") == std::string::npos; }

/// `NAME` of `${NAME[@]}`; empty where a word is something else.
std::string_view list_name(std::string_view word) {
  if (!word.starts_with("${")) return {};
  for (const std::string_view end : {"[@]}", "[*]}"}) {
    if (word.ends_with(end)) return word.substr(2, word.size() - 2 - end.size());
  }
  return {};
}

/// A variable's value is as many values as it has words.
void add_words(std::string_view text, Values& values) {
  for (std::size_t at = text.find_first_not_of(kListBlanks); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(kListBlanks, at), text.size());
    values.emplace_back(std::string(text.substr(at, end - at)));
    at = text.find_first_not_of(kListBlanks, end);
  }
}

/// A quoted text that holds options is one value. The place of its last word.
std::size_t add_text(const std::vector<ShellWord>& words, std::size_t at,
                     const ShellVariables& variables, Values& values) {
  const std::size_t quote = words[at].quote;
  std::string text = variables.put_in(words[at].text);
  for (; at + 1 < words.size() && words[at + 1].quote == quote; ++at)
    text += " " + variables.put_in(words[at + 1].text);
  values.emplace_back(is_known(text) ? std::optional(std::move(text)) : std::nullopt);
  return at;
}

std::vector<std::string> divided(std::string_view text, std::string_view separators,
                                 std::size_t most) {
  std::vector<std::string> parts;
  while (parts.size() + 1 < most && text.find_first_of(separators) != std::string_view::npos) {
    const std::size_t end = text.find_first_of(separators);
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.emplace_back(text);
  parts.resize(most);
  return parts;
}

/// Whether a word is of the command that `read` is: it starts one, or is behind `IFS=`.
bool is_read(const std::vector<ShellWord>& words, std::size_t at) {
  if (words[at].ends || words[at].text != "read") return false;
  return words[at].starts ||
         (at > 0 && words[at - 1].starts && words[at - 1].text.starts_with(kSeparator));
}

/// `NAME = 2`, `NAME *= 2` or `NAME++`, without blanks: the name, and what it is set to. Empty
/// where it is something else.
std::pair<std::string, std::string> assignment_in(std::string_view text) {
  if (text.starts_with("++") || text.starts_with("--"))
    return {std::string(text.substr(2)), fmt::format("{}{}1", text.substr(2), text[0])};
  const std::string name(leading_name(text));
  text.remove_prefix(name.size());
  if (name.empty() || text.empty()) return {};
  if (text == "++" || text == "--") return {name, fmt::format("{}{}1", name, text[0])};
  if (text[0] == '=' && !text.starts_with("==")) return {name, std::string(text.substr(1))};
  const bool changes = text.size() > 2 && text[1] == '=' &&
                       std::string_view("+-*/%").find(text[0]) != std::string_view::npos;
  if (!changes) return {};
  return {name, fmt::format("{}{}({})", name, text[0], text.substr(2))};
}

/// Variables that an arithmetic command sets: all of them, or nothing where one is not known.
void add_computed(std::string_view text, const ShellVariables& variables, ShellRead& read) {
  auto [name, computed] = assignment_in(text);
  if (name.empty()) return;
  const std::string expression = std::move(computed);
  const bool follows = std::any_of(read.names.begin(), read.names.end(), [&](const auto& before) {
    return expression.find(before) != std::string::npos;
  });
  if (follows) read.values.reset();  // what is computed here is not known to those behind it
  read.names.push_back(std::move(name));
  auto value = variables.computed(expression);
  if (!value) read.values.reset();
  if (read.values) read.values->push_back(std::move(*value));
}

/// `((...))` or `let ...` at a word.
std::optional<ShellRead> computed_at(const std::vector<ShellWord>& words, std::size_t at,
                                     const ShellVariables& variables) {
  ShellRead read;
  read.values.emplace();
  if (const auto arithmetic = arithmetic_at(words, at)) {
    const std::string& text = arithmetic->text;
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      add_computed(std::string_view(text).substr(begin, end - begin), variables, read);
      begin = end + 1;
    }
    read.end = arithmetic->end;
    return read;
  }
  if (words[at].ends || !words[at].starts || words[at].text != "let") return std::nullopt;
  for (++at; at < words.size() && !words[at].ends && !words[at].starts; ++at) {
    std::string text = words[at].text;
    std::erase_if(text, [](char c) { return kListBlanks.find(c) != std::string_view::npos; });
    add_computed(text, variables, read);
  }
  read.end = at;
  return read;
}

}  // namespace

Values listed_values(const std::vector<ShellWord>& words, std::size_t at,
                     const ShellVariables& variables) {
  Values values;
  for (; at < words.size() && values.size() < kMostValues; ++at) {
    if (words[at].quote != 0) {
      at = add_text(words, at, variables, values);
      continue;
    }
    if (words[at].ends || (words[at].starts && words[at].text == "do")) break;
    const std::string& written = words[at].text;
    if (const std::string_view name = list_name(written); !name.empty()) {
      const Values* list = variables.list(name);
      if (list == nullptr || values.size() + list->size() > kMostValues) {
        values.emplace_back();
      } else {
        values.insert(values.end(), list->begin(), list->end());
      }
      continue;
    }
    const std::string value = variables.put_in(written);
    if (!is_known(value)) {
      values.emplace_back();
    } else if (written.find('$') == std::string::npos) {
      values.emplace_back(value);
    } else {
      add_words(value, values);
    }
  }
  return values;
}

std::optional<ShellRead> read_at(const std::vector<ShellWord>& words, std::size_t at,
                                 const ShellVariables& variables) {
  if (auto computed = computed_at(words, at, variables)) return computed;
  if (!is_read(words, at)) return std::nullopt;
  std::string separators(kListBlanks);
  if (!words[at].starts) separators = words[at - 1].text.substr(kSeparator.size());
  ShellRead read;
  bool plain = separators.size() == 1 || separators == kListBlanks;
  for (++at; at < words.size() && !words[at].ends && !words[at].starts; ++at) {
    const std::string& word = words[at].text;
    if (!word.starts_with('-')) {
      read.names.push_back(word);
    } else if (word != "-r") {
      plain = false;
    }
  }
  read.end = at;
  const auto is_sign = [&](std::size_t i) { return is_operator(words, i, "<"); };
  if (!is_sign(at) || !is_sign(at + 1) || !is_sign(at + 2) || at + 3 >= words.size() ||
      words[at + 3].ends)
    return read;
  read.end = at + 4;
  const std::string text = variables.put_in(words[at + 3].text);
  if (plain && is_known(text) && !read.names.empty())
    read.values = divided(text, separators, read.names.size());
  return read;
}

}  // namespace simtrain
