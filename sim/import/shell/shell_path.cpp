#include "sim/import/shell/shell_path.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "sim/core/input/text_parts.h"

namespace simtrain {
namespace {

constexpr int kDeepestSubstitution = 8;

/// Where the bracket that opens at `start` is closed, or npos.
std::size_t closing_bracket(const std::string& text, std::size_t start) {
  int depth = 0;
  for (std::size_t i = start; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return i;
  }
  return std::string::npos;
}

class PathReader {
 public:
  explicit PathReader(const std::string& script) : script_(script) {}

  std::optional<std::string> read(const std::string& word, int depth) const {
    if (depth > kDeepestSubstitution || word.starts_with('~')) return std::nullopt;
    std::string out;
    std::size_t at = 0;
    while (at < word.size()) {
      if (word[at] == '"' || word[at] == '\'') {
        ++at;
      } else if (word[at] == '$' || word[at] == '`') {
        const auto piece = expanded(word, at, depth);
        if (!piece) return std::nullopt;
        out += *piece;
      } else {
        out += word[at++];
      }
    }
    return out;
  }

 private:
  /// What the `$...` at `at` is; `at` goes behind it.
  std::optional<std::string> expanded(const std::string& word, std::size_t& at, int depth) const {
    if (word.compare(at, 2, "$(") == 0) {
      const std::size_t end = closing_bracket(word, at + 1);
      if (end == std::string::npos) return std::nullopt;
      const std::string inside = word.substr(at + 2, end - at - 2);
      at = end + 1;
      return command(inside, depth);
    }
    if (word[at] == '`') {
      const std::size_t end = word.find('`', at + 1);
      if (end == std::string::npos) return std::nullopt;
      const std::string inside = word.substr(at + 1, end - at - 1);
      at = end + 1;
      return command(inside, depth);
    }
    for (const std::string_view name : {"$0", "${0}"}) {
      if (word.compare(at, name.size(), name) != 0) continue;
      at += name.size();
      return script_;
    }
    for (const std::string_view name : {"$PWD", "${PWD}", "${0%/*}"}) {
      if (word.compare(at, name.size(), name) != 0) continue;
      at += name.size();
      return folder_of(script_);
    }
    return std::nullopt;
  }

  std::optional<std::string> command(const std::string& text, int depth) const {
    const std::string line(trimmed(text));
    if (line == "pwd" || line == "pwd -P") return folder_of(script_);
    if (line.starts_with("cd ")) return changed_folder(line, depth);
    constexpr std::array<std::string_view, 6> kSame{"readlink -f ", "readlink -e ", "readlink -m ",
                                                    "realpath -s ", "realpath ",    "echo "};
    for (const std::string_view start : kSame) {
      if (line.starts_with(start))
        return read(std::string(trimmed(line.substr(start.size()))), depth + 1);
    }
    if (!line.starts_with("dirname ")) return std::nullopt;
    std::string argument(trimmed(line.substr(8)));
    if (argument.starts_with("-- ")) argument = trimmed(argument.substr(3));
    const auto path = read(argument, depth + 1);
    return path ? std::optional(folder_of(*path)) : path;
  }

  /// `cd X && pwd`, with whatever is done about its messages.
  std::optional<std::string> changed_folder(const std::string& line, int depth) const {
    const std::size_t end = std::min(line.find("&&"), line.find(';'));
    if (end == std::string::npos || (!line.ends_with("pwd") && !line.ends_with("pwd -P")))
      return std::nullopt;
    std::string argument = line.substr(3, end - 3);
    std::size_t redirected = argument.find('>');
    if (redirected != std::string::npos && redirected > 1 && argument[redirected - 2] == ' ')
      --redirected;  // `2>`, `&>`
    argument = trimmed(argument.substr(0, redirected));
    if (argument.starts_with("-- ")) argument = trimmed(argument.substr(3));
    return read(argument, depth + 1);
  }

  const std::string& script_;
};

}  // namespace

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

std::optional<std::string> shell_path(const std::string& word, const std::string& script) {
  return PathReader(script).read(word, 0);
}

}  // namespace simtrain
