#include "sim/output/html/page_tables.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "sim/core/input/number_text.h"
#include "sim/output/html/template.h"

namespace simtrain {
namespace {

struct Stacking {
  std::size_t columns = 0;  ///< at least
  std::string_view name;
  int below = 0;  ///< the width of the window, in pixels, under which rows become cards
};

constexpr std::array kStacking{Stacking{14, "stack-always", 10000},
                               Stacking{10, "stack-large", 1100}, Stacking{7, "stack-middle", 900},
                               Stacking{4, "stack-small", 640}};

/// What is shown of a piece of HTML: without tags, white space once.
std::string shown_text(std::string_view html) {
  std::string out;
  bool tag = false;
  for (const char c : html) {
    if (c == '<') tag = true;
    const bool space = tag || c == ' ' || c == '\n';
    if (c == '>') tag = false;
    if (!space && c != '>') {
      out += c;
    } else if (space && !out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

bool is_tag(std::string_view tag, std::string_view name) {
  if (!tag.starts_with('<') || !tag.substr(1).starts_with(name)) return false;
  const char next = tag[name.size() + 1];
  return next == '>' || next == ' ';
}

/// The value of an attribute of a tag; empty where it has none.
std::string_view attribute(std::string_view tag, std::string_view name) {
  const std::string key = fmt::format(" {}=\"", name);
  const std::size_t at = tag.find(key);
  if (at == std::string_view::npos) return {};
  tag.remove_prefix(at + key.size());
  return tag.substr(0, tag.find('"'));
}

/// The headings of a table's columns; `html` begins behind its tag.
std::vector<std::string> headings_of(std::string_view html) {
  std::vector<std::string> headings;
  html = html.substr(0, html.find("</tr>"));
  for (std::size_t at = html.find("<th"); at != std::string_view::npos; at = html.find("<th", at)) {
    const std::size_t from = html.find('>', at) + 1;
    at = html.find("</th>", from);
    headings.push_back(shown_text(html.substr(from, at - from)));
  }
  return headings;
}

class TableLabels {
 public:
  explicit TableLabels(std::string_view body) : rest_(body) {}

  std::string labelled() {
    for (std::size_t at = rest_.find('<'); at != std::string_view::npos; at = rest_.find('<')) {
      out_ += rest_.substr(0, at);
      const std::size_t end = rest_.find('>', at) + 1;
      const std::string_view tag = rest_.substr(at, end - at);
      rest_.remove_prefix(end);
      out_ += tag.substr(0, tag.size() - 1);
      add_attributes(tag);
      out_ += '>';
    }
    return std::move(out_) + std::string(rest_);
  }

 private:
  void add_attributes(std::string_view tag) {
    if (is_tag(tag, "h1") || is_tag(tag, "h2") || is_tag(tag, "h3")) {
      heading_ = above_ = shown_text(rest_.substr(0, rest_.find("</h")));
    } else if (is_tag(tag, "summary")) {
      above_ = heading_ + ": " + shown_text(rest_.substr(0, rest_.find("</summary")));
    } else if (is_tag(tag, "/details")) {
      above_ = heading_;
    } else if (is_tag(tag, "div") && attribute(tag, "class") == "scroll") {
      add(tag, "tabindex", "0");
      add(tag, "role", "region");
      add(tag, "aria-label", above_);
    } else if (is_tag(tag, "table")) {
      headings_ = headings_of(rest_);
      add(tag, "class", stacking_class(headings_.size()));
    } else if (is_tag(tag, "tr")) {
      column_ = 0;
    } else if (is_tag(tag, "th")) {
      add(tag, "scope", "col");
    } else if (is_tag(tag, "td")) {
      if (column_ < headings_.size()) add(tag, "data-label", headings_[column_]);
      column_ += number_as<std::size_t>(attribute(tag, "colspan")).value_or(1);
    }
  }

  void add(std::string_view tag, std::string_view name, std::string_view value) {
    if (!value.empty() && attribute(tag, name).empty())
      out_ += fmt::format(" {}=\"{}\"", name, value);
  }

  std::string_view rest_;
  std::string out_;
  std::string heading_;
  std::string above_;  ///< a table: its heading, and the summary of details
  std::vector<std::string> headings_;
  std::size_t column_ = 0;
};

}  // namespace

std::string labelled_tables(std::string_view body) { return TableLabels(body).labelled(); }

std::string_view stacking_class(std::size_t columns) {
  const auto* const found =
      std::find_if(kStacking.begin(), kStacking.end(),
                   [&](const Stacking& one) { return columns >= one.columns; });
  return found == kStacking.end() ? std::string_view{} : found->name;
}

std::string stacking_style() {
  std::string style;
  for (const auto& [columns, name, below] : kStacking)
    style += filled("stacked", {{"class", name}, {"below", below}});
  return style;
}

}  // namespace simtrain
