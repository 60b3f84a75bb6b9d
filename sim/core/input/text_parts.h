#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace simtrain {

/// Without the blanks around it; of blanks alone an empty view at their place.
std::string_view trimmed(std::string_view text);

/// The parts between separators: one more than there are of them, empty ones too.
std::vector<std::string_view> split(std::string_view text, char separator);

/// With ASCII letters small.
std::string lower_case(std::string text);

/// "a, b and c"; nothing of none.
std::string enumerated(const std::vector<std::string_view>& words);

/// The text behind UTF-8's byte order mark, where it has one.
std::string_view without_byte_order_mark(std::string_view text);

}  // namespace simtrain
