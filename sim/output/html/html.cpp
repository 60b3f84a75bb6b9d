#include "sim/output/html/html.h"

#include <algorithm>

#include "sim/core/json_text.h"
#include "sim/output/html/page_tables.h"
#include "sim/output/html/template.h"
#include "sim/output/text/unit_text.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

/// JSON for inside a <script>: no '<' that could end it.
std::string script_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

std::string script_json(const Json& json) {
  return script_text(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

/// So many stand in the head of a page; kPageHead has room for them.
constexpr std::size_t kMostLines = 100;

std::string says_text(std::vector<ResultLine> lines) {
  if (lines.empty()) return "";
  lines.resize(std::min(lines.size(), kMostLines));
  return lines_json(lines).dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// The frame of all pages around the template `name`; `charts` is null on a page without.
std::string framed(std::string_view name, const Json& content, const Json& charts,
                   const PageResult& result) {
  Json carried = nullptr;
  if (!result.json.empty())
    carried = {{"data", script_text(result.json)}, {"size", file_size_text(result.json.size())}};
  return filled("page",
                {{"title", content.at("title")},
                 {"kind", name},
                 {"says", says_text(result.lines)},
                 {"style", page_style()},
                 {"body", labelled_tables(filled(name, content))},
                 {"saves", result.lines.empty() ? Json() : Json{{"script", web_file("save.js")}}},
                 {"result", std::move(carried)},
                 {"charts", charts}});
}

/// The document with 0 for what simtrain itself took, so that equal runs give equal pages.
std::string timeless(std::string document) {
  constexpr std::string_view kKey = "\"wall_s\":";
  for (std::size_t at = document.find(kKey); at != std::string::npos;
       at = document.find(kKey, at + 1)) {
    const std::size_t from = document.find_first_not_of(' ', at + kKey.size());
    document.replace(from, document.find_first_of(",\n}", from) - from, "0");
  }
  return document;
}

/// What stands in `start` between `mark` and the next quote; empty where it does not.
std::string_view quoted_after(std::string_view start, std::string_view mark) {
  const std::size_t at = is_own_page(start) ? start.find(mark) : std::string_view::npos;
  if (at == std::string_view::npos) return {};
  start.remove_prefix(at + mark.size());
  return start.substr(0, start.find('"'));
}

}  // namespace

bool is_own_page(std::string_view start) {
  const std::string_view page = web_file("templates/page.html");
  return start.starts_with(page.substr(0, page.find("{{")));
}

std::string page_kind(std::string_view start) {
  return std::string(quoted_after(start, "<meta name=\"simtrain-page\" content=\""));
}

std::vector<ResultLine> page_lines(std::string_view start) {
  start = start.substr(0, start.find("<style>"));
  const std::string_view says = quoted_after(start, "<meta name=\"simtrain-says\" content=\"");
  return says.empty() ? std::vector<ResultLine>{} : lines_of(parse_json(plain_text(says)));
}

PageResult::PageResult(std::string document)
    : json(timeless(std::move(document))), lines(document_lines(parse_json(json))) {}

std::string page_style() { return std::string(web_file("page.css")) + stacking_style(); }

std::string html_page(std::string_view name, const Json& content, const PageResult& result) {
  return framed(name, content, nullptr, result);
}

std::string html_chart_page(std::string_view name, const Json& content, const Json& charts,
                            const PageResult& result,
                            std::initializer_list<std::string_view> shared) {
  std::string script(web_file("charts.js"));
  for (const std::string_view file : shared) script += web_file(file);
  script += web_file(std::string(name) + "_page.js");
  return framed(name, content,
                {{"data", script_json(charts)},
                 {"echarts", web_file("echarts/echarts.min.js")},
                 {"script", script}},
                result);
}

}  // namespace simtrain
