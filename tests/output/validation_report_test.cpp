#include "sim/output/validation/validation_report.h"

#include <sstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/output/documented_run.h"

namespace simtrain::testing::validation_report_test {
namespace {

using testing::figure;

/// A run with a stated error of 5 %.
RunResult run(const std::string& row, const std::string& printed, double predicted) {
  return testing::run(row, printed, predicted, 0.05);
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) result.push_back(line);
  return result;
}

bool has_line(const std::string& text, const std::string& wanted) {
  const auto all = lines(text);
  return std::find(all.begin(), all.end(), wanted) != all.end();
}

TableResult table(const std::string& name, std::vector<RunResult> runs) {
  TableResult result;
  result.document = "d.txt";
  result.spec.table = name;
  result.spec.group = "g";
  result.spec.precision = Precision::fp8;
  result.spec.scenario = "s.yaml";
  result.runs = std::move(runs);
  return result;
}

ValidationResult two_tables() {
  return {
      "file",
      std::nullopt,
      {table("one", {run("a", "10", 11), run("b", "10", 9.5)}), table("two", {run("", "4.0", 4)})}};
}

TEST_CASE("Validation rows carry seconds and signed percent, and a summary a table") {
  const std::vector<std::string> text = lines(validation_text({two_tables()}, false));
  CHECK(text[0] == "Errors are predicted over measured, less one.");
  CHECK(text[2] == "one (d.txt)");
  CHECK(text[4] == "  a               10.000 s   11.000 s +10.00 %  8.2 %");
  CHECK(text[5] == "  b               10.000 s    9.500 s  -5.00 %  8.2 %");
  CHECK(text[6] == "  2 rows, mean absolute error 7.50 %, largest 10.00 %, bias +2.50 %");
  CHECK(text[10] == "  -                4.000 s    4.000 s  +0.00 %  8.2 %");
  CHECK(text.back() == "All: 3 rows, mean absolute error 5.00 %, largest 10.00 %, bias +1.67 %");
}

TEST_CASE("An MFU is shown beside the step time where the document prints one") {
  ValidationResult result = two_tables();
  result.tables[0].runs[0].figures.push_back(figure(FigureName::mfu, "40.5", 37.25));
  CHECK(has_line(validation_text({result}, false),
                 "  a               10.000 s   11.000 s +10.00 %  8.2 %       40.50 %    37.25 %"));
}

TEST_CASE("What speaks against a log is below its row, and in its JSON") {
  ValidationResult result = two_tables();
  result.tables[0].runs[0].caveat = "NaN: a loss is no number\x1b";
  const std::vector<std::string> text = lines(validation_text({result}, false));
  CHECK(text[4] == "  a               10.000 s   11.000 s +10.00 %  8.2 %");
  CHECK(text[5] == "    NaN: a loss is no number?");
  CHECK(text[6].starts_with("  b  "));
  const auto rows = nlohmann::json::parse(validation_json({result})).at("tables").at(0).at("rows");
  CHECK(rows.at(0).at("caveat") == "NaN: a loss is no number\x1b");
  CHECK(!rows.at(1).contains("caveat"));
}

TEST_CASE("Growth is shown in percent, its miss in points") {
  ValidationResult result = two_tables();
  result.tables[0].trend = TrendResult{"a", "b", 0.104, 0.1, 0.015};
  CHECK(has_line(validation_text({result}, false),
                 "  growth a to b: measured +10.40 %, predicted +10.00 %, off by -0.40 points"));
}

TEST_CASE("Other figures have lines of their own") {
  ValidationResult result = two_tables();
  result.tables[1].runs[0].figures.push_back(figure(FigureName::peak_memory, "80", 76));
  CHECK(
      has_line(validation_text({result}, false),
               "  -                peak-memory                     80 B           76 B   -5.00 %"));
}

TEST_CASE("Memory has a summary of its own, before that of all step times") {
  CHECK(validation_text({two_tables()}, false).find("Memory:") == std::string::npos);
  ValidationResult result = two_tables();
  result.tables[0].runs[0].figures.push_back(figure(FigureName::peak_memory, "80", 76));
  result.tables[1].runs[0].figures.push_back(figure(FigureName::allocated_memory_gib, "10", 11));
  const std::vector<std::string> text = lines(validation_text({result}, false));
  CHECK(text[text.size() - 2] ==
        "Memory: 2 figures, mean absolute error 7.50 %, largest 10.00 %, bias +2.50 %");
  const auto json = nlohmann::json::parse(validation_json({result}));
  CHECK(json.at("memory_summary").at("rows") == 2);
  CHECK(json.at("memory_summary").at("bias").get<double>() == doctest::Approx(0.025));
}

TEST_CASE("Printed figures that follow from the step time are counted, disputes listed") {
  ValidationResult result = two_tables();
  FigureResult mfu = figure(FigureName::mfu, "40", 41);
  mfu.kind = FigureKind::derived;
  mfu.recomputed = 40.0;
  result.tables[0].spec.figures.resize(1);
  result.tables[0].spec.figures[0].figure = FigureName::mfu;
  result.tables[0].spec.disputed = {{FigureName::mfu, "another peak", {}}};
  result.tables[0].runs[0].figures.push_back(mfu);
  mfu.recomputed = 50.0;
  result.tables[0].runs[1].figures.push_back(mfu);
  const std::string text = validation_text({result}, false);
  CHECK(has_line(text, "  follow from the step time: mfu 1 of 2"));
  CHECK(has_line(text, "  mfu: another peak"));
}

TEST_CASE("A breakdown gives each share of each row's step") {
  const std::string plain = validation_text({two_tables()}, false);
  CHECK(plain.find("gemm") == std::string::npos);
  const std::string text = validation_text({two_tables()}, true);
  CHECK(has_line(text, "  % of the step                          a                  b"));
  CHECK(has_line(text, "  gemm                               75.00              75.00"));
  CHECK(has_line(text, "  pipeline_bubble                    25.00              25.00"));
}

TEST_CASE("Broken bounds are at the end") {
  ValidationResult result = two_tables();
  result.bounds = ErrorBounds{{0.06}, {0.08}};
  CHECK(lines(validation_text({result}, false)).back() ==
        "Outside its bound: file: largest absolute error 10.00 %, bound 8 %");
}

TEST_CASE("Where no table is a headline, there is no summary of all") {
  ValidationResult result = two_tables();
  for (TableResult& table : result.tables) table.spec.use = TableUse::reported;
  CHECK(validation_text({result}, false).find("All:") == std::string::npos);
  CHECK(nlohmann::json::parse(validation_json({result})).at("summary").at("rows") == 0);
}

TEST_CASE("Several files are one validation") {
  CHECK(headline_rows({two_tables(), two_tables()}).size() == 6);
  CHECK(lines(validation_text({two_tables(), two_tables()}, false)).back() ==
        "All: 6 rows, mean absolute error 5.00 %, largest 10.00 %, bias +1.67 %");
}

TEST_CASE("Control characters of a document do not reach the terminal") {
  ValidationResult result = two_tables();
  result.tables[0].document = "doc\n";
  result.tables[0].spec.table = "table\x1b";
  CHECK(validation_text({result}, false).find("\ntable? (doc?)\n") != std::string::npos);
}

TEST_CASE("JSON has everything of the text, and the breakdown always") {
  ValidationResult result = two_tables();
  result.bounds = ErrorBounds{{0.06}, {0.08}};
  result.tables[0].spec.bounds = ErrorBounds{{0.5}, {0.6}};
  result.tables[0].trend = TrendResult{"a", "b", 0.1, 0.25, 0.015};
  result.tables[1].runs[0].figures.push_back(figure(FigureName::peak_memory, "80", 76));
  const auto json = nlohmann::json::parse(validation_json({result}));
  CHECK(json.at("schema") == "simtrain.validation/1");
  CHECK(json.at("summary").at("rows") == 3);
  CHECK(json.at("summary").at("bias").get<double>() == doctest::Approx(0.05 / 3));
  CHECK(json.at("broken_bounds").size() == 2);
  const auto& one = json.at("tables").at(0);
  CHECK(one.at("use") == "headline");
  CHECK(one.at("group") == "g");
  CHECK(one.at("precision") == "fp8");
  CHECK(one.at("bounds").at("max") == 0.6);
  CHECK(one.at("growth").at("predicted") == 0.25);
  CHECK(one.at("growth").at("holds") == false);
  CHECK(one.at("rows").at(0).at("column") == "a GPUs");
  CHECK(one.at("rows").at(0).at("breakdown_s").at("gemm").get<double>() == doctest::Approx(8.25));
  const auto& two = json.at("tables").at(1);
  CHECK(two.at("rows").at(0).at("printed") == "4.0");
  CHECK(two.at("rows").at(0).at("figures").at(1).at("unit") == "B");
  CHECK(two.at("rows").at(0).at("figures").at(1).at("error").get<double>() ==
        doctest::Approx(-0.05));
}

}  // namespace
}  // namespace simtrain::testing::validation_report_test
