#include "sim/output/html/html.h"

#include "sim/output/html/template.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

/// JSON for inside a <script>: no '<' that could end it.
std::string script_json(const Json& json) {
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
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

/// The frame of all pages around the template `name`; `charts` is null on a page without.
std::string framed(std::string_view name, const Json& content, const Json& charts) {
  return filled("page", {{"title", content.at("title")},
                         {"kind", name},
                         {"style", web_file("page.css")},
                         {"body", filled(name, content)},
                         {"charts", charts}});
}

}  // namespace

bool is_own_page(std::string_view start) {
  const std::string_view page = web_file("templates/page.html");
  return start.starts_with(page.substr(0, page.find("{{")));
}

std::string page_kind(std::string_view start) {
  constexpr std::string_view kMark = "<meta name=\"simtrain-page\" content=\"";
  const std::size_t at = is_own_page(start) ? start.find(kMark) : std::string_view::npos;
  if (at == std::string_view::npos) return "";
  start.remove_prefix(at + kMark.size());
  return std::string(start.substr(0, start.find('"')));
}

std::string html_page(std::string_view name, const Json& content) {
  return framed(name, content, nullptr);
}

std::string html_chart_page(std::string_view name, const Json& content, const Json& charts,
                            std::initializer_list<std::string_view> shared) {
  std::string script(web_file("charts.js"));
  for (const std::string_view file : shared) script += web_file(file);
  script += web_file(std::string(name) + "_page.js");
  return framed(name, content,
                {{"data", script_json(charts)},
                 {"echarts", web_file("echarts/echarts.min.js")},
                 {"script", script}});
}

}  // namespace simtrain
