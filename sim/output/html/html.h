#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace simtrain {

/// Whether a file that starts so is a page of simtrain.
bool is_own_page(std::string_view start);

/// A text for between tags and in quoted attributes of HTML or SVG: UTF-8 stays, control characters
/// are shown as '?'.
std::string html_text(std::string_view text);

/// A figure and what it is, for the row of tiles at the top of a page. Both are HTML.
std::string html_tile(std::string_view value, std::string_view label);

/// A row of a table from cells that are HTML already; `tag` is "td" or "th".
std::string html_row(const std::vector<std::string>& cells, std::string_view tag = "td");

/// A table that scrolls sideways where the screen is too narrow for it. `rows` is HTML.
std::string html_table(const std::vector<std::string>& heads, const std::string& rows);

/// What is folded away behind a line.
std::string html_details(std::string_view summary, const std::string& content);

/// The place of a chart that the page's script draws.
std::string html_chart(std::string_view id, std::string_view label);

/// A whole page that needs no other file: light or dark by the reader's setting, wide and narrow
/// screens, paper. `style` is CSS beyond the common one (web/page.css), `body` what stands in
/// <body>.
std::string html_page(std::string_view title, std::string_view style, std::string_view body);

/// A page with charts: `data` is JSON, which `script` (JavaScript, see web/) finds in the element
/// `data` and draws with Apache ECharts, which the page carries. The page forbids the browser
/// whatever lies outside of it.
std::string html_chart_page(std::string_view title, std::string_view body, std::string_view data,
                            std::string_view script);

}  // namespace simtrain
