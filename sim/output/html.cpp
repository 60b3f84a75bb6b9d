#include "sim/output/html.h"

#include <fmt/format.h>

namespace simtrain {
namespace {

constexpr std::string_view kCommonStyle = R"(
:root{color-scheme:light dark;--paper:#fff;--card:#f6f7f9;--ink:#1b2430;--soft:#5b6675;--line:#d5dae1;
--good:#1a7f4b;--bad:#b42318}
@media(prefers-color-scheme:dark){:root{--paper:#12161c;--card:#1b222b;--ink:#e8ecf2;--soft:#9aa6b5;
--line:#38424f;--good:#4cc38a;--bad:#ff8579}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1180px;padding:24px 20px 60px;background:var(--paper);color:var(--ink);
font:15px/1.5 system-ui,"Segoe UI",Helvetica,Arial,sans-serif}
h1{font-size:26px;margin:0 0 4px}h2{font-size:18px;margin:36px 0 4px}p{margin:4px 0}
.soft{color:var(--soft)}.good{color:var(--good)}.bad{color:var(--bad)}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums;font-size:14px}
th,td{padding:4px 10px;text-align:right;white-space:nowrap;border-bottom:1px solid var(--line)}
th{color:var(--soft);font-weight:600;font-size:12px;line-height:1.3;vertical-align:bottom}th:first-child,td:first-child{text-align:left}
svg{display:block}svg text{fill:var(--ink);font:12px system-ui,"Segoe UI",Helvetica,Arial,sans-serif}
)";

}  // namespace

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

std::string html_page(std::string_view title, std::string_view style, std::string_view body) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
      "<title>{}</title>\n<style>{}{}</style>\n</head>\n<body>\n{}</body>\n</html>\n",
      html_text(title), kCommonStyle, style, body);
}

}  // namespace simtrain
