#pragma once

#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace simtrain::testing {

// What tests look for in pages.

inline bool has(const std::string& page, const std::string& part) {
  return page.find(part) != std::string::npos;
}

inline std::size_t count(const std::string& page, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = page.find(part); at != std::string::npos; at = page.find(part, at + 1))
    ++found;
  return found;
}

/// The page without the headings that its cells carry.
inline std::string unlabelled(const std::string& page) {
  const std::string label = " data-label=\"";
  std::string out;
  std::size_t from = 0;
  for (std::size_t at = page.find(label); at != std::string::npos; at = page.find(label, from)) {
    out += page.substr(from, at - from);
    from = page.find('"', at + label.size()) + 1;
  }
  return out + page.substr(from);
}

/// The JSON that a page carries in the element `id`.
inline std::string script_of(const std::string& page, const std::string& id) {
  const std::string start = "<script type=\"application/json\" id=\"" + id + "\">";
  const std::size_t from = page.find(start) + start.size();
  return page.substr(from, page.find("</script>", from) - from);
}

/// The data of a page's charts.
inline nlohmann::json data_of(const std::string& page) {
  return nlohmann::json::parse(script_of(page, "data"));
}

/// A page is one document, its elements closed, that forbids the browser what lies outside of it.
inline void check_whole(const std::string& page) {
  CHECK(page.starts_with("<!doctype html>"));
  CHECK(page.ends_with("</html>\n"));
  CHECK(has(page, "default-src 'none'"));
  CHECK(!has(page, "{{"));
  for (const char* outside : {"src=\"http", "href=\"http", "@import", "url(http", "<link"})
    CHECK(!has(page, outside));
  for (const char* tag : {"table", "details", "tr", "h2", "p", "ul", "template"}) {
    CAPTURE(tag);
    CHECK(count(page, std::string("<") + tag + ">") + count(page, std::string("<") + tag + " ") ==
          count(page, std::string("</") + tag + ">"));
  }
}

}  // namespace simtrain::testing
