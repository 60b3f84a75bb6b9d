#include "sim/output/validation/validation_html.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "sim/output/html/html.h"
#include "sim/output/validation/validation_charts.h"
#include "tests/output/documented_run.h"

namespace simtrain {
namespace {

using testing::figure;
using testing::run;

ValidationResult one_table() {
  TableResult table;
  table.document = "d.txt";
  table.spec.table = "T <8B>";
  table.spec.group = "llama & co";
  table.spec.precision = Precision::bf16;
  table.spec.scenario = "s.yaml";
  table.spec.note = "a \"note\"";
  table.spec.figures.resize(1);
  table.spec.figures[0].label = "Time";
  table.runs = {run("a", "10", 11), run("b", "20", 19)};
  return {"file", std::nullopt, {table}};
}

bool has(const std::string& page, const std::string& part) {
  return page.find(part) != std::string::npos;
}

std::size_t count(const std::string& page, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = page.find(part); at != std::string::npos; at = page.find(part, at + 1))
    ++found;
  return found;
}

TEST_CASE("A text for HTML has no markup and no control characters, and keeps its letters") {
  CHECK(html_text("a<b>&\"c\"") == "a&lt;b&gt;&amp;&quot;c&quot;");
  CHECK(html_text("x\x1b\n\x7f") == "x???");
  CHECK(html_text("Größe 数") == "Größe 数");
}

TEST_CASE("A page is whole, knows light and dark, and needs no other file") {
  const std::string page = html_page("T & t", ".x{}", "<p>body</p>");
  CHECK(page.starts_with("<!doctype html>"));
  CHECK(page.ends_with("</html>\n"));
  CHECK(has(page, "<title>T &amp; t</title>"));
  CHECK(has(page, ".x{}"));
  CHECK(has(page, "<p>body</p>"));
  CHECK(has(page, "prefers-color-scheme:dark"));
  CHECK(has(page, "name=\"viewport\""));
  for (const char* outside : {"http", "src=", "href=", "@import", "url(", "<script"})
    CHECK(!has(page, outside));
}

TEST_CASE("The validation page tells errors, figures and breakdown, names escaped") {
  const std::string page = validation_html({one_table()});
  CHECK(has(page, "<h2>T &lt;8B&gt;</h2>"));
  CHECK(has(page, "llama &amp; co"));
  CHECK(has(page, "a &quot;note&quot;"));
  CHECK(!has(page, "T <8B>"));
  CHECK(has(page, "<b>7.50 %</b>"));  // mean of 10 and 5
  CHECK(has(page, "<b>+2.50 %</b>"));
  CHECK(has(page, "<td title=\"a GPUs\">a</td><td>10</td><td>11</td><td>+10.00 %</td>"));
  CHECK(has(page, "gemm: 8.250 s, 75.00 %"));
  CHECK(has(page, "measured 20 s"));
  CHECK(has(page, "No bounds are stated."));
  CHECK(!has(page, "hold"));
  CHECK(count(page, "class=\"point") == 4);
  for (const char* tag : {"table", "div", "svg", "details", "p", "tr", "ul"})
    CHECK(count(page, std::string("<") + tag + ">") + count(page, std::string("<") + tag + " ") ==
          count(page, std::string("</") + tag + ">"));
}

TEST_CASE("Bounds hold where some are stated, anywhere") {
  for (int place = 0; place < 5; ++place) {
    CAPTURE(place);
    ValidationResult result = one_table();
    CHECK(!states_bounds(result));
    TableResult& table = result.tables[0];
    if (place == 0) result.bounds = ErrorBounds{{1}, {1}};
    if (place == 1) result.memory_bounds = ErrorBounds{{1}, {1}};
    if (place == 2) table.spec.bounds = ErrorBounds{{1}, {1}};
    if (place == 3) table.trend = TrendResult{"a", "b", 1, 1, 1};
    if (place == 4) table.spec.figures[0].within = Percent{1};
    CHECK(states_bounds(result));
    CHECK(has(validation_html({one_table(), result}), "All stated bounds hold."));
  }
}

TEST_CASE("What speaks against a log stands in its row, escaped") {
  ValidationResult result = one_table();
  CHECK(!has(validation_html({result}), "Partial"));
  result.tables[0].runs[1].caveat = "Partial: the log ends at <3>";
  CHECK(has(validation_html({result}),
            "<td title=\"b GPUs\">b<br><span class=\"bad\">Partial: the log ends at "
            "&lt;3&gt;</span></td>"));
}

TEST_CASE("Two scatters have one legend") {
  const std::string page = validation_html({one_table()});
  CHECK(count(page, "stroke: 90 % interval") == 1);
  CHECK(count(page, "<svg viewBox=\"0 0 930 400\"") == 2);
}

TEST_CASE("Broken bounds and growth that misses are marked") {
  ValidationResult result = one_table();
  result.bounds = ErrorBounds{{0.01}, {1}};
  result.tables[0].trend = TrendResult{"a", "b", 1.0, 0.75, 0.015};
  const std::string page = validation_html({result});
  CHECK(has(page, "<li>file: mean absolute error 7.50 %, bound 1 %</li>"));
  CHECK(has(page,
            "<p class=\"bad\">Growth a to b: measured +100.00 %, predicted +75.00 %, off by "
            "-25.00 points.</p>"));
}

TEST_CASE("Reported tables and figures that do not follow say so") {
  ValidationResult result = one_table();
  TableResult& table = result.tables[0];
  table.spec.use = TableUse::reported;
  table.spec.figures.resize(2);
  table.spec.figures[1].figure = FigureName::mfu;
  FigureResult mfu = figure(FigureName::mfu, "40", 41);
  mfu.recomputed = 50;
  table.runs[0].figures.push_back(mfu);
  const std::string page = validation_html({result});
  CHECK(has(page, "not in the headline"));
  CHECK(has(page, "<td class=\"bad\" title=\"does not follow from the step time\">40</td>"));
  CHECK(has(page, "<td class=\"soft\">n/a</td>"));
  CHECK(count(page, "class=\"point") == 0);
}

TEST_CASE("A scatter of nothing is nothing; circles are BF16, diamonds FP8") {
  CHECK(error_scatter({}, ScatterBase::gpus).empty());
  ValidationResult result = one_table();
  CHECK(count(validation_html({result}), "<circle") == 4);
  result.tables[0].spec.precision = Precision::fp8;
  const std::string page = validation_html({result});
  CHECK(count(page, "<circle") == 0);
  CHECK(count(page, "rotate(45") == 4);
}

TEST_CASE("A scatter's marks below are round, small times and large jobs alike") {
  ValidationResult result = one_table();
  result.tables[0].runs[0] = run("a", "0.00002", 0.00002);
  result.tables[0].runs[1].report.gpus = 1 << 20;
  const std::string page = validation_html({result});
  CHECK(has(page, ">2e-05 s<"));
  CHECK(has(page, ">1048576<"));
}

TEST_CASE("A bar goes to its side of the middle and no further than its end") {
  CHECK(
      has(error_bar(run("a", "10", 11), 0.2), "class=\"long\" x=\"56.0\" y=\"3\" width=\"27.5\""));
  CHECK(
      has(error_bar(run("a", "10", 9), 0.2), "class=\"short\" x=\"28.5\" y=\"3\" width=\"27.5\""));
  CHECK(
      has(error_bar(run("a", "10", 20), 0.2), "class=\"long\" x=\"56.0\" y=\"3\" width=\"55.0\""));
}

TEST_CASE("The parts of a breakdown fill the predicted time, the mark stands at the measured one") {
  const std::string bar = breakdown_bar(run("a", "10", 8), 16);
  CHECK(has(bar, "class=\"s0\" x=\"0.00\" y=\"2\" width=\"135.00\""));    // 6 of 16 s on 360 pixels
  CHECK(has(bar, "class=\"s10\" x=\"135.00\" y=\"2\" width=\"45.00\""));  // 2 of 16 s
  CHECK(has(bar, "class=\"measured\" x1=\"225.00\" x2=\"225.00\""));      // 10 of 16 s
}

TEST_CASE("Every share has a colour and a place in the legend") {
  const std::string legend = breakdown_legend();
  const std::string style = chart_style();
  for (std::size_t i = 0; i < kShares; ++i) {
    CHECK(has(legend, std::string(EnumNames<Share>::rows[i].first)));
    CHECK(count(style, fmt::format(".s{}{{fill:#", i)) == 2);
  }
}

}  // namespace
}  // namespace simtrain
