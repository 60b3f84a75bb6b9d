#include "sim/output/validation/validation_html.h"

#include <doctest/doctest.h>

#include "tests/output/documented_run.h"
#include "tests/output/page.h"

namespace simtrain::testing::validation_html_test {
namespace {

using testing::count;
using testing::data_of;
using testing::figure;
using testing::has;
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

TEST_CASE("The validation page has errors, figures and breakdown, names escaped") {
  const std::string page = validation_html({one_table()});
  CHECK(has(page, "<h2>T &lt;8B&gt;</h2>"));
  CHECK(has(page, "llama &amp; co"));
  CHECK(has(page, "a &quot;note&quot;"));
  CHECK(!has(page, "T <8B>"));
  CHECK(has(page, "<b>7.50 %</b>"));  // mean of 10 and 5
  CHECK(has(page, "<b>+2.50 %</b>"));
  CHECK(
      has(unlabelled(page), "<td title=\"a GPUs\">a</td><td>10</td><td>11</td><td>+10.00 %</td>"));
  CHECK(has(unlabelled(page), "<td>11.000 s</td><td title=\"75.00 %\">8.250 s</td>"));
  CHECK(has(page, "No bounds are stated."));
  CHECK(!has(page, "bounds hold"));
  testing::check_whole(page);
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

TEST_CASE("What speaks against a log is in its row, escaped") {
  ValidationResult result = one_table();
  CHECK(!has(validation_html({result}), "Partial"));
  result.tables[0].runs[1].caveat = "Partial: the log ends at <3>";
  CHECK(has(unlabelled(validation_html({result})),
            "<td title=\"b GPUs\">b<br><span class=\"bad\">Partial: the log ends at "
            "&lt;3&gt;</span></td>"));
}

TEST_CASE("Two scatters have one legend") {
  const std::string page = validation_html({one_table()});
  CHECK(count(page, "stroke: 90 % interval") == 1);
  for (const char* id : {"errors-legend", "errors-by-time", "errors-by-gpus"})
    CHECK(count(page, std::string("id=\"") + id + "\"") == 1);
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

TEST_CASE("Reported tables and figures that do not follow are marked") {
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
  CHECK(has(unlabelled(page),
            "<td class=\"bad\" title=\"does not follow from the step time\">40</td>"));
  CHECK(has(unlabelled(page), "<td class=\"soft\">n/a</td>"));
  CHECK(!has(page, "id=\"errors-by-time\""));
  CHECK(data_of(page)["errors"]["points"].empty());
}

TEST_CASE("Scatters hold each step time with its error, its interval and its group") {
  ValidationResult result = one_table();
  result.tables.push_back(result.tables[0]);
  result.tables[1].spec.group = "other";
  result.tables[1].spec.precision = Precision::fp8;
  result.tables[1].runs = {run("c", "40", 41, 0.1)};
  const nlohmann::json errors = data_of(validation_html({result}))["errors"];
  REQUIRE(errors["groups"].size() == 2);
  CHECK(errors["groups"][0]["name"] == "llama & co");
  CHECK(errors["groups"][0]["colour"] != errors["groups"][1]["colour"]);
  REQUIRE(errors["points"].size() == 3);
  const auto& last = errors["points"][2];
  CHECK(errors["points"][0]["bf16"] == true);
  CHECK(last["bf16"] == false);
  CHECK(last["group"] == 1);
  CHECK(last["name"] == "T <8B> c");
  CHECK(last["gpus"] == 8);
  CHECK(last["measured_s"] == 40);
  CHECK(last["predicted_s"] == 41);
  CHECK(last["error"].get<double>() == doctest::Approx(0.025));
  CHECK(last["low"].get<double>() < 0);
  CHECK(last["high"].get<double>() > 0.1);
}

/// The bar in the row of a page with one run.
std::string bar_of(const RunResult& run) {
  ValidationResult result = one_table();
  result.tables[0].runs = {run};
  const std::string page = validation_html({result});
  const std::size_t at = page.find("<rect");
  return page.substr(at, page.find("/>", at) - at);
}

TEST_CASE("A bar goes to its side of the middle and no further than its end") {
  CHECK(bar_of(run("a", "10", 10.5)) ==
        "<rect class=\"long\" x=\"56.0\" y=\"3\" width=\"27.5\" height=\"7\"");
  CHECK(has(bar_of(run("a", "10", 9.5)), "class=\"short\" x=\"28.5\" y=\"3\" width=\"27.5\""));
  CHECK(has(bar_of(run("a", "10", 20)), "class=\"long\" x=\"56.0\" y=\"3\" width=\"55.0\""));
}

TEST_CASE("The parts of a breakdown sum to the predicted time; the measured one is beside") {
  ValidationResult result = one_table();
  result.tables[0].runs = {run("a", "10", 8), run("", "20", 20)};
  result.tables[0].spec.use = TableUse::reported;
  result.tables[0].runs[1].figures.clear();
  const std::string page = validation_html({result});
  CHECK(count(page, "id=\"breakdown-0\"") == 1);
  CHECK(count(page, "id=\"breakdown-0-legend\"") == 1);
  const nlohmann::json bars = data_of(page)["breakdowns"][0];
  CHECK(bars["names"] == nlohmann::json{"a\n8.000 s", "-\n20.000 s"});
  CHECK(bars["measured"] == nlohmann::json{10, nullptr});
  REQUIRE(bars["shares"].size() == 2);
  CHECK(bars["shares"][0]["name"] == "gemm");
  CHECK(bars["shares"][0]["values"][0] == 6);
  CHECK(bars["shares"][1]["values"][0] == 2);
}

}  // namespace
}  // namespace simtrain::testing::validation_html_test
