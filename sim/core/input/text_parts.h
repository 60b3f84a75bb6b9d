#pragma once

#include <string_view>
#include <vector>

namespace simtrain {

/// Without the blanks around it; of blanks alone nothing, but still where they stand.
std::string_view trimmed(std::string_view text);

/// What stands between separators: one part more than there are of them, empty ones too.
std::vector<std::string_view> split(std::string_view text, char separator);

/// The text behind UTF-8's byte order mark, where one stands before it.
std::string_view without_byte_order_mark(std::string_view text);

}  // namespace simtrain
