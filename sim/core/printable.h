#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace simtrain {

/// Where a UTF-8 text can be cut, at the byte `at` or before it, without a part of a character.
std::size_t cut_before(std::string_view text, std::size_t at);

/// A text of the input on one line of a terminal: control characters, those that end a line or turn
/// the direction of text, and bytes that are no UTF-8 are shown as '?'.
std::string printable(std::string_view text);

/// The same in a message: of a word of more than 300 bytes, and of a text of more than `most`, the
/// middle is left out, with how many bytes that were.
std::string echoed(std::string_view text, std::size_t most);

}  // namespace simtrain
