#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "sim/output/results/result_kinds.h"

namespace simtrain {

/// Whether a file that starts so is a page of simtrain.
bool is_own_page(std::string_view start);

/// Longer than the title and kind of any page take.
inline constexpr std::size_t kPageHead = std::size_t{1} << 16U;

/// What such a page is about, as its template is called ("run", "sweep"); empty where it is none,
/// or of a release that did not write it.
std::string page_kind(std::string_view start);

/// What indices say of such a page. Throws nlohmann::json::exception where its head does not say it
/// as simtrain does; empty where it is of a release that did not write it.
std::vector<ResultLine> page_lines(std::string_view start);

/// The result that a page shows. The page carries `json`, what --format json prints of it with 0
/// for the time that simtrain took, to be saved; `lines` are those of the document, for indices.
struct PageResult {
  std::string json;
  std::vector<ResultLine> lines;

  PageResult() = default;
  /// The page carries the document.
  explicit PageResult(std::string document);
  /// The page does not carry it.
  explicit PageResult(std::vector<ResultLine> says) : lines(std::move(says)) {}
};

/// A whole page that needs no other file and may fetch none: light or dark by the reader's setting,
/// wide and narrow screens, paper. `content` fills web/templates/`name`.html; its `title` is the
/// page's as well.
std::string html_page(std::string_view name, const nlohmann::ordered_json& content,
                      const PageResult& result = {});

/// The same with charts: web/`name`_page.js finds `charts` as JSON in the element `data` and draws
/// with Apache ECharts, which the page carries. `shared` are files of web/ that this script builds
/// on beside web/charts.js.
std::string html_chart_page(std::string_view name, const nlohmann::ordered_json& content,
                            const nlohmann::ordered_json& charts, const PageResult& result = {},
                            std::initializer_list<std::string_view> shared = {});

/// The style sheet of all pages.
std::string page_style();

}  // namespace simtrain
