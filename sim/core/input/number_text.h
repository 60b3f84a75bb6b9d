#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string_view>

namespace simtrain {

/// Takes the number that a text starts with off it: decimal digits (of `base`, where whole numbers
/// are written in another), maybe behind a minus; of a real number also `1.5`, `1e-3`, `inf` and
/// `nan`. No plus, no blanks before it, and nothing of the user's language counts. Nothing where
/// the text starts with none, which is left as it is; and where the number does not fit its type,
/// which is taken off all the same.
template <class Number>
std::optional<Number> take_number(std::string_view& text, int base = 10) {
  Number number{};
  const char* const begin = text.data();
  std::from_chars_result read{};
  if constexpr (std::integral<Number>) {
    read = std::from_chars(begin, begin + text.size(), number, base);
  } else {
    read = std::from_chars(begin, begin + text.size(), number);
  }
  if (read.ec == std::errc::invalid_argument) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(read.ptr - begin));
  return read.ec == std::errc() ? std::optional(number) : std::nullopt;
}

/// The number that is all of a text, as `take_number` reads it.
template <class Number>
std::optional<Number> number_as(std::string_view text, int base = 10) {
  const auto number = take_number<Number>(text, base);
  return text.empty() ? number : std::nullopt;
}

}  // namespace simtrain
