#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace simtrain {

/// Whether a file that starts so is a page of simtrain.
bool is_own_page(std::string_view start);

/// Longer than the title and kind of any page take.
inline constexpr std::size_t kPageHead = std::size_t{1} << 16U;

/// What such a page is about, as its template is called ("run", "sweep"); empty where it is none,
/// or of a release that did not write it.
std::string page_kind(std::string_view start);

/// A whole page that needs no other file and may fetch none: light or dark by the reader's setting,
/// wide and narrow screens, paper. `content` fills web/templates/`name`.html; its `title` is the
/// page's as well.
std::string html_page(std::string_view name, const nlohmann::ordered_json& content);

/// The same with charts: web/`name`_page.js finds `charts` as JSON in the element `data` and draws
/// with Apache ECharts, which the page carries. `shared` are files of web/ that this script builds
/// on beside web/charts.js.
std::string html_chart_page(std::string_view name, const nlohmann::ordered_json& content,
                            const nlohmann::ordered_json& charts,
                            std::initializer_list<std::string_view> shared = {});

}  // namespace simtrain
