#pragma once

#include <string>
#include <string_view>

namespace simtrain {

/// A text for between tags and in quoted attributes of HTML or SVG: UTF-8 stays, control characters
/// are shown as '?'.
std::string html_text(std::string_view text);

/// A whole page that needs no other file: light or dark by the reader's setting, wide and narrow
/// screens. `style` is CSS beyond the common one, `body` what stands in <body>.
std::string html_page(std::string_view title, std::string_view style, std::string_view body);

}  // namespace simtrain
