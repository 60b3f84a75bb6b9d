#include "sim/output/html/page_tables.h"

#include <doctest/doctest.h>

#include "tests/output/page.h"

namespace simtrain::testing::page_tables_test {
namespace {

TEST_CASE("Cells have the headings of their columns, and headings say what they head") {
  CHECK(labelled_tables(
            "<table>\n<tr><th>step<br>time</th><th class=\"text\">a &lt; <b>b</b></th></tr>\n"
            "<tr><td>1</td><td class=\"x\">2</td></tr></table>") ==
        "<table>\n<tr><th scope=\"col\">step<br>time</th><th class=\"text\" scope=\"col\">a &lt; "
        "<b>b</b></th></tr>\n<tr><td data-label=\"step time\">1</td><td class=\"x\" "
        "data-label=\"a &lt; b\">2</td></tr></table>");
}

TEST_CASE("A cell over several columns counts as several, one of no heading has no label") {
  const std::string page = labelled_tables(
      "<table><tr><th>a</th><th></th><th>c</th></tr>"
      "<tr><td colspan=\"2\">1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></table>"
      "<table><tr><td>no heading</td></tr></table>");
  CHECK(has(page, "<td colspan=\"2\" data-label=\"a\">1</td><td data-label=\"c\">2</td>"));
  CHECK(has(page, "<td data-label=\"a\">3</td><td>4</td>"));
  CHECK(has(page, "<td>no heading</td>"));
}

TEST_CASE("Areas of tables are reached by keyboard, with the name of what stands above them") {
  const std::string page = labelled_tables(
      "<h1>all</h1><h2>Sizes <span class=\"soft\">3</span></h2><div "
      "class=\"scroll\"></div><details>"
      "<summary>As a table</summary><div class=\"scroll\"></div></details><div "
      "class=\"scroll\"></div>"
      "<div class=\"scroll\" aria-label=\"mine\"></div><div class=\"tiles\"></div>");
  const std::string area = "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"";
  CHECK(count(page, area + "Sizes 3\"") == 2);
  CHECK(count(page, area + "Sizes 3: As a table\"") == 1);
  CHECK(count(page, "aria-label=\"mine\"") == 1);
  CHECK(count(page, "tabindex") == 4);
}

TEST_CASE("Tables of many columns become cards, of few ones stay tables") {
  CHECK(stacking_class(3).empty());
  CHECK(stacking_class(4) == "stack-small");
  CHECK(stacking_class(40) == "stack-always");
  CHECK(has(labelled_tables("<table><tr><th>a</th><th>b</th><th>c</th><th>d</th></tr></table>"),
            "<table class=\"stack-small\">"));
  for (const std::size_t columns : {4U, 7U, 10U, 14U})
    CHECK(has(stacking_style(),
              "." + std::string(stacking_class(columns)) + " td::before{content:attr(data-label)"));
}

TEST_CASE("What is no table stays as it is, cut or not") {
  for (const char* text :
       {"", "plain", "<p class=\"scroll\">a < b</p>", "<template><svg></svg></template>"})
    CHECK(labelled_tables(text) == text);
}

}  // namespace
}  // namespace simtrain::testing::page_tables_test
