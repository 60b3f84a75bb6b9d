#include "sim/output/html/html.h"

#include <fmt/format.h>

#include "sim/output/html/html_assets.h"

namespace simtrain {
namespace {

constexpr std::string_view kPageStart =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"generator\" content=\"simtrain\">\n";

/// <head> up to its end, the body's start included.
std::string page_start(std::string_view title, std::string_view head) {
  return fmt::format(
      "{}<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
      "<title>{}</title>\n{}</head>\n<body>\n",
      kPageStart, html_text(title), head);
}

/// JSON for inside a <script>: no '<' that could end it.
std::string script_json(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

bool is_own_page(std::string_view start) { return start.starts_with(kPageStart); }

std::string html_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += byte < 0x20 || byte == 0x7f ? '?' : c;
    }
  }
  return out;
}

std::string html_tile(std::string_view value, std::string_view label) {
  return fmt::format("<div class=\"tile\"><b>{}</b><span>{}</span></div>", value, label);
}

std::string html_row(const std::vector<std::string>& cells, std::string_view tag) {
  std::string out = "<tr>";
  for (const std::string& cell : cells) out += fmt::format("<{0}>{1}</{0}>", tag, cell);
  return out + "</tr>\n";
}

std::string html_table(const std::vector<std::string>& heads, const std::string& rows) {
  return "<div class=\"scroll\"><table>\n" + html_row(heads, "th") + rows + "</table></div>\n";
}

std::string html_details(std::string_view summary, const std::string& content) {
  return fmt::format("<details><summary>{}</summary>{}</details>\n", summary, content);
}

std::string html_chart(std::string_view id, std::string_view label) {
  return fmt::format(
      "<div class=\"chart\" id=\"{}\" role=\"img\" aria-label=\"{}\"></div>\n"
      "<noscript><p class=\"soft\">This chart is drawn by JavaScript; the tables need "
      "none.</p></noscript>\n",
      id, label);
}

std::string html_page(std::string_view title, std::string_view style, std::string_view body) {
  return fmt::format("{}{}</body>\n</html>\n",
                     page_start(title, fmt::format("<style>{}{}</style>\n", page_style(), style)),
                     body);
}

std::string html_chart_page(std::string_view title, std::string_view body, std::string_view data,
                            std::string_view script) {
  constexpr std::string_view kNothingElse =
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';"
      "style-src 'unsafe-inline';script-src 'unsafe-inline';img-src data:\">\n";
  return fmt::format(
      "{}{}<script type=\"application/json\" id=\"data\">{}</script>\n<script>{}</script>\n"
      "<script>\n{}{}</script>\n</body>\n</html>\n",
      page_start(title, fmt::format("{}<style>{}</style>\n", kNothingElse, page_style())), body,
      script_json(data), echarts_library(), charts_script(), script);
}

}  // namespace simtrain
