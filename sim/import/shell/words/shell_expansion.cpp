#include "sim/import/shell/words/shell_expansion.h"

#include <algorithm>
#include <cctype>
#include <fnmatch.h>

#include "sim/core/input/number_text.h"

namespace simtrain {
namespace {

/// Without the shortest or longest start that a pattern takes.
std::string without_start(const std::string& value, const std::string& pattern, bool longest) {
  std::size_t taken = 0;
  for (std::size_t length = 0; length <= value.size(); ++length) {
    if (!matches_pattern(pattern, value.substr(0, length))) continue;
    taken = length;
    if (!longest) break;
  }
  return value.substr(taken);
}

/// Without the shortest or longest end that a pattern takes.
std::string without_end(const std::string& value, const std::string& pattern, bool longest) {
  std::size_t kept = value.size();
  for (std::size_t length = 0; length <= value.size(); ++length) {
    if (!matches_pattern(pattern, value.substr(value.size() - length))) continue;
    kept = value.size() - length;
    if (!longest) break;
  }
  return value.substr(0, kept);
}

/// The longest match that starts at `at`; 0 where none does.
std::size_t match_length(const std::string& value, std::size_t at, const std::string& pattern) {
  for (std::size_t length = value.size() - at; length > 0; --length) {
    if (matches_pattern(pattern, value.substr(at, length))) return length;
  }
  return 0;
}

std::string replaced(const std::string& value, const std::string& pattern, std::string_view text,
                     bool all) {
  std::string out;
  bool goes_on = !pattern.empty();
  for (std::size_t at = 0; at < value.size();) {
    const std::size_t length = goes_on ? match_length(value, at, pattern) : 0;
    if (length == 0) {
      out += value[at++];
      continue;
    }
    out += text;
    at += length;
    goes_on = all;
  }
  return out;
}

/// Of `FROM` or `FROM:LENGTH`, whole numbers that are not negative.
std::optional<std::string> part_of(const std::string& value, std::string_view operation) {
  const std::size_t colon = operation.find(':');
  const auto from = number_as<std::int64_t>(operation.substr(0, colon));
  const auto length = colon == operation.npos
                          ? std::optional(static_cast<std::int64_t>(value.size()))
                          : number_as<std::int64_t>(operation.substr(colon + 1));
  if (!from || !length || *from < 0 || *length < 0) return std::nullopt;
  const std::size_t begin = std::min(static_cast<std::size_t>(*from), value.size());
  return value.substr(begin, static_cast<std::size_t>(*length));
}

std::string in_case(std::string value, int (*change)(int)) {
  std::transform(value.begin(), value.end(), value.begin(), [change](char c) {
    return static_cast<char>(change(static_cast<unsigned char>(c)));
  });
  return value;
}

}  // namespace

bool matches_pattern(const std::string& pattern, const std::string& text) {
  return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

std::optional<std::string> shell_expansion(const std::string& value, std::string_view operation) {
  constexpr std::size_t kLongest = 192;  // matches of longer texts would take long to find
  if (operation == "^^") return in_case(value, &std::toupper);
  if (operation == ",,") return in_case(value, &std::tolower);
  if (operation.empty() || operation.size() + value.size() > kLongest) return std::nullopt;
  const char sign = operation[0];
  operation.remove_prefix(1);
  if (sign == ':') return part_of(value, operation);
  if (sign != '#' && sign != '%' && sign != '/') return std::nullopt;
  const bool twice = operation.starts_with(sign);
  if (twice) operation.remove_prefix(1);
  if (sign == '#') return without_start(value, std::string(operation), twice);
  if (sign == '%') return without_end(value, std::string(operation), twice);
  const std::size_t slash = operation.find('/');
  const std::string_view text = slash == operation.npos ? "" : operation.substr(slash + 1);
  return replaced(value, std::string(operation.substr(0, slash)), text, twice);
}

}  // namespace simtrain
