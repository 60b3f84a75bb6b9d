#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "sim/study/validate/validate.h"
#include "tests/core/checkout.h"

namespace simtrain::testing::documented_test {
namespace {

/// The documented figures, predicted once.
const ValidationResult& documented() {
  static const ValidationResult result = validate_documents(
      DataFolder(testing::source_dir()), testing::source_dir() + "/validation/documented.yaml");
  return result;
}

const std::vector<ValidationRow>& rows() {
  static const std::vector<ValidationRow> all = documented().rows();
  return all;
}

/// Rows by table, in the order of the file.
std::map<std::string, std::vector<ValidationRow>> tables() {
  std::map<std::string, std::vector<ValidationRow>> result;
  for (const ValidationRow& row : rows())
    result[row.document.substr(0, 3) + " " + row.table].push_back(row);
  return result;
}

const ValidationRow& row_of(const std::string& table, const std::string& name) {
  const auto found = std::find_if(rows().begin(), rows().end(), [&](const ValidationRow& row) {
    return row.table == table && row.row == name;
  });
  REQUIRE(found != rows().end());
  return *found;
}

TEST_CASE("All 70 step times of the five documents are predicted") {
  CHECK(rows().size() == 70);
  std::map<std::string, std::size_t> sizes;
  for (const auto& [name, table] : tables()) sizes[name] = table.size();
  CHECK(sizes == std::map<std::string, std::size_t>{
                     {"000 Example of an entry in the DLLogger log, step 12", 1},
                     {"001 Llama 3.1 405b BF16", 6},
                     {"001 Llama 3.1 405b FP8", 6},
                     {"001 Llama 3.1 70b BF16", 6},
                     {"001 Llama 3.1 70b FP8", 6},
                     {"001 Llama 3.1 8b BF16", 5},
                     {"001 Llama 3.1 8b FP8", 5},
                     {"002 Nemotron4 340b 24.11 BF16", 5},
                     {"002 Nemotron4 340b 24.11 FP8", 5},
                     {"003 Train Step Timing and TFLOPS Analysis (iterations 11-44)", 1},
                     {"004 Nemotron4 15b BF16", 8},
                     {"004 Nemotron4 15b FP8", 8},
                     {"004 Nemotron4 340b BF16", 4},
                     {"004 Nemotron4 340b FP8", 4}});
}

TEST_CASE("Step times are kept with the digits that the documents print") {
  CHECK(rows().front().printed == "118.18969259262084");
  CHECK(row_of("Llama 3.1 8b BF16", "bf16-16").printed == "12.3");
  CHECK(row_of("Llama 3.1 405b FP8", "fp8-2048").printed == "12.56");
  for (const ValidationRow& row : rows()) {
    CAPTURE(row.table);
    CAPTURE(row.row);
    CHECK(std::stod(row.printed) == row.measured_s);
  }
}

TEST_CASE("Every row of a document is another one") {
  for (const auto& [name, table] : tables()) {
    const auto& shown = name;
    CAPTURE(shown);
    for (const ValidationRow& row : table) {
      CHECK(std::count_if(table.begin(), table.end(), [&](const ValidationRow& other) {
              return other.row == row.row && other.scenario == row.scenario;
            }) == 1);
    }
  }
}

TEST_CASE("All documented figures are inside the bounds that the file states") {
  CHECK(broken_bounds(documented()) == std::vector<std::string>{});
}

TEST_CASE("Every headline table states its bounds, and those of several rows a trend") {
  for (const TableResult& table : documented().tables) {
    CAPTURE(table.spec.table);
    CHECK(table.spec.bounds.has_value() == table.headline());
    CHECK(table.trend.has_value() == (table.headline() && table.runs.size() > 1));
  }
}

TEST_CASE("The groups are those that a fit can leave out") {
  std::map<std::string, int> headline_rows;
  for (const ValidationRow& row : rows())
    headline_rows[row.group + " " + std::string(name_of(row.precision))] += 1;
  CHECK(headline_rows == std::map<std::string, int>{{"llama-405b bf16", 6},
                                                    {"llama-405b fp8", 6},
                                                    {"llama-405b-a4 fp8", 1},
                                                    {"llama-70b bf16", 6},
                                                    {"llama-70b fp8", 6},
                                                    {"llama-8b bf16", 5},
                                                    {"llama-8b fp8", 5},
                                                    {"nemotron-15b bf16", 8},
                                                    {"nemotron-15b fp8", 8},
                                                    {"nemotron-340b bf16", 4},
                                                    {"nemotron-340b fp8", 4},
                                                    {"nemotron-340b-2411 bf16", 5},
                                                    {"nemotron-340b-2411 fp8", 5},
                                                    {"nemotron-340b-gb200 fp8", 1}});
}

TEST_CASE("The precision of a table is that of its rows") {
  for (const ValidationRow& row : rows()) {
    CAPTURE(row.row);
    if (!row.row.empty()) CHECK(row.row.starts_with(std::string(name_of(row.precision)) + "-"));
  }
}

TEST_CASE("Printed figures follow from the step times beside them, unless the file marks them") {
  int followed = 0;
  for (const TableResult& table : documented().tables) {
    for (const RunResult& run : table.runs) {
      for (const FigureResult& figure : run.figures) {
        if (!figure.recomputed) continue;
        CAPTURE(table.spec.table);
        CAPTURE(run.row);
        CAPTURE(figure.printed);
        CHECK(figure.follows() != figure.disputed);
        followed += figure.follows() ? 1 : 0;
      }
    }
  }
  // 68 rows of three columns, less six days to train and twelve MFUs; TFLOPS of the GB200 run;
  // twelve of the five examples in the text, less one MFU.
  CHECK(followed == 68 * 3 - 6 - 12 + 1 + 12 - 1);
}

TEST_CASE("Growth from the smallest job to the largest is that of the printed step times") {
  const auto growth = [](const std::string& name) {
    for (const TableResult& table : documented().tables) {
      if (table.spec.table == name) return table.trend->measured;
    }
    return -1.0;
  };
  CHECK(growth("Nemotron4 15b FP8") == doctest::Approx(0.056).epsilon(0.01));
  CHECK(growth("Nemotron4 340b 24.11 FP8") == doctest::Approx(0.104).epsilon(0.01));
  CHECK(growth("Llama 3.1 70b BF16") == doctest::Approx(0).epsilon(0.01));
}

TEST_CASE("The two memory lines are predicted within 5 %") {
  int lines = 0;
  for (const TableResult& table : documented().tables) {
    for (const RunResult& run : table.runs) {
      const FigureResult* peak = run.find(FigureName::peak_memory);
      if (peak == nullptr) continue;
      ++lines;
      CAPTURE(run.row);
      CHECK(std::abs(peak->error()) < 0.05);
      CHECK(std::abs(run.find(FigureName::allocated_memory)->error()) < 0.05);
    }
  }
  CHECK(lines == 2);
}

TEST_CASE("Memory that others measured is inside its bounds, and none of it is a headline") {
  const ValidationResult memory = validate_documents(
      DataFolder(testing::source_dir()), testing::source_dir() + "/validation/memory.yaml");
  CHECK(memory.rows().empty());
  CHECK(broken_bounds(memory) == std::vector<std::string>{});
  REQUIRE(memory.memory_bounds);
  CHECK(memory.memory_bounds->mean.fraction <= 0.05);
}

TEST_CASE("FP8 is predicted to be faster than BF16 wherever both were measured") {
  for (const auto& [bf16, fp8] : std::vector<std::pair<std::string, std::string>>{
           {"Llama 3.1 8b BF16", "Llama 3.1 8b FP8"},
           {"Llama 3.1 70b BF16", "Llama 3.1 70b FP8"},
           {"Llama 3.1 405b BF16", "Llama 3.1 405b FP8"},
           {"Nemotron4 15b BF16", "Nemotron4 15b FP8"},
           {"Nemotron4 340b BF16", "Nemotron4 340b FP8"},
           {"Nemotron4 340b 24.11 BF16", "Nemotron4 340b 24.11 FP8"}}) {
    for (const ValidationRow& row : rows()) {
      if (row.table != bf16) continue;
      const auto& shown = bf16;
      CAPTURE(shown);
      CAPTURE(row.row);
      const ValidationRow& other = row_of(fp8, "fp8" + row.row.substr(4));
      const double measured = row.measured_s / other.measured_s;
      const double predicted = row.predicted_s / other.predicted_s;
      CHECK(predicted > 1);
      CHECK(predicted / measured == doctest::Approx(1).epsilon(0.12));
    }
  }
}

}  // namespace
}  // namespace simtrain::testing::documented_test
