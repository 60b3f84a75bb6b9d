#include "sim/app/options/usage_text.h"

#include <algorithm>
#include <cctype>
#include <sstream>

#include "sim/core/input/text_parts.h"

namespace simtrain {
namespace {

constexpr std::string_view kOptionLetters = "abcdefghijklmnopqrstuvwxyz0123456789-_";

void append(std::string& text, std::string_view more) {
  if (!text.empty() && !more.empty()) text += ' ';
  text += more;
}

/// Where the text behind a term starts: after a gap, or in the column that all texts start in.
std::size_t end_of_term(std::string_view line) {
  constexpr std::size_t kTextColumn = 20;
  const std::size_t gap = line.find("  ", 2);
  if (gap != std::string_view::npos) return gap;
  const bool full = line.size() > kTextColumn && line[kTextColumn - 1] == ' ';
  return full ? kTextColumn - 1 : line.size();
}

bool begins_item(std::string_view line) {
  if (line.substr(2).starts_with("--"))
    return !trimmed(line.substr(end_of_term(line))).starts_with("--");
  const std::size_t word = std::min(line.find(' ', 2), line.size());
  return word > 3 && line.substr(word).starts_with("  ") &&
         std::all_of(line.begin() + 2, line.begin() + static_cast<std::ptrdiff_t>(word),
                     [](unsigned char c) { return std::isupper(c) != 0; });
}

/// Words in small letters between bars: "text|json"; nothing where it is a placeholder or one word.
std::vector<std::string> listed_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text) {
    if (c == '|') {
      words.push_back(word);
      word.clear();
    } else if (kOptionLetters.find(c) != std::string_view::npos) {
      word += c;
    } else {
      break;
    }
  }
  words.push_back(word);
  const bool listed = words.size() > 1 &&
                      std::none_of(words.begin(), words.end(), [](auto& w) { return w.empty(); });
  return listed ? words : std::vector<std::string>();
}

void add_options(std::string_view text, std::vector<UsageOption>& options) {
  for (std::size_t at = text.find("--"); at != std::string_view::npos; at = text.find("--", at)) {
    const std::size_t end = std::min(text.find_first_not_of(kOptionLetters, at), text.size());
    const std::string name(text.substr(at, end - at));
    std::vector<std::string> values;
    if (end < text.size() && (text[end] == ' ' || text[end] == '='))
      values = listed_words(text.substr(end + 1));
    at = end;
    const auto known = std::find_if(options.begin(), options.end(),
                                    [&](const UsageOption& option) { return option.name == name; });
    if (known == options.end()) {
      options.push_back({name, std::move(values)});
    } else if (known->values.empty()) {
      known->values = std::move(values);
    }
  }
}

}  // namespace

UsageText usage_text(std::string_view usage) {
  UsageText result;
  std::istringstream lines{std::string(usage)};
  bool fresh = true;  // the next line goes on with nothing
  bool synopsis = false;
  for (std::string line; std::getline(lines, line); fresh = false) {
    if (line.empty()) {
      while (lines.peek() == '\n') lines.get();
      fresh = true;
      synopsis = false;
      if (!std::getline(lines, line)) break;
    }
    if (!line.starts_with(' ')) {
      result.synopses.push_back(line);
      synopsis = true;
    } else if (synopsis) {
      append(result.synopses.back(), trimmed(line));
    } else if (begins_item(line)) {
      const std::size_t end = end_of_term(line);
      result.items.push_back(
          {std::string(trimmed(line.substr(0, end))), std::string(trimmed(line.substr(end)))});
    } else if (fresh || result.items.empty()) {
      result.items.push_back({"", std::string(trimmed(line))});
    } else {
      append(result.items.back().text, trimmed(line));
    }
  }
  return result;
}

std::vector<UsageOption> usage_options(std::string_view usage) {
  const UsageText parts = usage_text(usage);
  std::vector<UsageOption> options;
  for (const std::string& synopsis : parts.synopses) add_options(synopsis, options);
  for (const UsageItem& item : parts.items) add_options(item.term, options);
  for (const UsageItem& item : parts.items) {
    if (item.term.empty() && item.text.find("  --") != std::string::npos)
      add_options(item.text, options);
  }
  return options;
}

}  // namespace simtrain
