#include "sim/study/validate/documented.h"

#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

#include "sim/core/input/yaml_tree.h"
#include "tests/core/error_of.h"

namespace simtrain::testing::documented_test {

namespace {

/// The error of reading a file of one table; the table's keys from line 7 on.
std::string refusal(const std::string& keys, const std::string& precision = "bf16") {
  const auto path = std::filesystem::temp_directory_path() /
                    ("simtrain-documented-" + std::to_string(std::hash<std::string>()(keys)));
  std::ofstream(path) << "name: n\ndocuments:\n  - document: a\n    title: A\n    tables:\n"
                         "      - table: T\n        use: headline\n        group: g\n"
                         "        precision: "
                      << precision << "\n        scenario: s.yaml\n"
                      << keys;
  const std::string text = error_of([&] { read_documented(path.string()); });
  std::filesystem::remove(path);
  return text;
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

constexpr const char* kStepTime =
    "        figures: [{figure: step-time, label: l, kind: last-step, rounding: 0.01}]\n";

double percent(const std::string& text) {
  YamlNode node;
  node.kind = YamlNode::Kind::scalar;
  node.text = text;
  node.place = {"a.yaml", 1, 2};
  Percent value;
  scalar_quantity(node, "key", value);
  return value.fraction;
}

}  // namespace

TEST_CASE("percent are written with their sign and kept as a fraction") {
  CHECK(percent("3 %") == doctest::Approx(0.03));
  CHECK(percent("1.5 %") == doctest::Approx(0.015));
  CHECK(percent("0 %") == 0);
}

TEST_CASE("a number without the percent sign, or none, is refused") {
  CHECK(holds(error_of([] { percent("3"); }),
              "a.yaml:1:2: key: needs a number of percent such as '3 %'"));
  CHECK(holds(error_of([] { percent("3%"); }), "found '3%'"));
  CHECK(holds(error_of([] { percent("few %"); }), "must be a number, found 'few'"));
  CHECK(holds(error_of([] { percent("-1 %"); }), "'-1' is out of range"));
}

TEST_CASE("a row needs a cell for each figure") {
  CHECK(
      holds(refusal(std::string(kStepTime) + "        rows: [{row: a, printed: [\"1\", \"2\"]}]\n"),
            ":12:16: printed: has 2 cells for 1 figures"));
}

TEST_CASE("a headline row needs a step time") {
  CHECK(holds(refusal(std::string(kStepTime) + "        rows: [{row: a, printed: [n/a]}]\n"),
              ":12:16: printed: has no step-time, which a headline table needs"));
}

TEST_CASE("a trend goes between rows that are there") {
  const std::string text =
      refusal("        trend: {from: a, to: c, within: 1 %}\n" + std::string(kStepTime) +
              "        rows: [{row: a, printed: [\"1\"]}, {row: b, printed: [\"1\"]}]\n");
  CHECK(holds(text, ":11:16: trend: 'c' is no row with a step-time; "));
}

TEST_CASE("a trend goes from one row to another") {
  const std::string text =
      refusal("        trend: {from: a, to: a, within: 1 %}\n" + std::string(kStepTime) +
              "        rows: [{row: a, printed: [\"1\"]}]\n");
  CHECK(holds(text, ":11:16: trend: goes from 'a' to itself"));
}

TEST_CASE("a table has each row once") {
  CHECK(holds(refusal(std::string(kStepTime) +
                      "        rows: [{row: a, printed: [\"1\"]}, {row: a, printed: [\"2\"]}]\n"),
              ":12:42: row: 'a' is given twice in the table"));
}

TEST_CASE("a dispute is over a figure of the table") {
  CHECK(holds(refusal(std::string(kStepTime) + "        rows: [{row: a, printed: [\"1\"]}]\n"
                                               "        disputed: [{figure: mfu, reason: r}]\n"),
              ":13:20: disputed: 'mfu' is no figure of the table"));
}

TEST_CASE("a precision is bf16 or fp8") {
  CHECK(series_name("llama-70b", Precision::fp8) == "llama-70b:fp8");
  CHECK(holds(refusal(std::string(kStepTime) + "        rows: []\n", "int8"),
              ":9:20: documents[0].tables[0].precision: 'int8' is not known here"));
}

TEST_CASE("a table has each figure once") {
  CHECK(holds(refusal("        figures:\n"
                      "          - {figure: mfu, label: l, kind: derived, rounding: 0.01}\n"
                      "          - {figure: mfu, label: m, kind: derived, rounding: 0.01}\n"
                      "        rows: []\n"),
              "figures: has mfu twice"));
}

TEST_CASE("cells are found by their figure") {
  DocumentedTable table;
  table.figures.resize(2);
  table.figures[0].figure = FigureName::mfu;
  table.figures[1].figure = FigureName::step_time;
  DocumentedRow row;
  row.printed = {"n/a", "2.10"};
  row.values = {std::nullopt, 2.1};
  CHECK(!table.value(row, FigureName::mfu));
  CHECK(*table.value(row, FigureName::step_time) == 2.1);
  CHECK(table.printed(row, FigureName::step_time) == "2.10");
  CHECK(!table.value(row, FigureName::peak_memory));
  CHECK(table.printed(row, FigureName::peak_memory).empty());
}

}  // namespace simtrain::testing::documented_test
