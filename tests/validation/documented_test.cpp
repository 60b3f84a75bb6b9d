#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "sim/study/validate.h"

namespace simtrain {
namespace {

/// The documented rows, predicted once.
const std::vector<ValidationRow>& rows() {
  static const std::vector<ValidationRow> all =
      validate(DataFolder(SIMTRAIN_SOURCE_DIR), SIMTRAIN_SOURCE_DIR "/validation/documented.yaml");
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
    CAPTURE(name);
    for (const ValidationRow& row : table) {
      CHECK(std::count_if(table.begin(), table.end(), [&](const ValidationRow& other) {
              return other.row == row.row && other.scenario == row.scenario;
            }) == 1);
    }
  }
}

TEST_CASE("The mean absolute error over all rows is at most 6 %") {
  CHECK(summarize(rows()).mean_absolute <= 0.06);
}

TEST_CASE("No table is off by more than 20 %, none of several rows by more than 10 %") {
  for (const auto& [name, table] : tables()) {
    CAPTURE(name);
    CHECK(summarize(table).mean_absolute <= (table.size() > 1 ? 0.10 : 0.20));
  }
}

TEST_CASE("A table's rows are off alike: scale is predicted, not only its mean") {
  for (const auto& [name, table] : tables()) {
    CAPTURE(name);
    const double mean = summarize(table).bias;
    for (const ValidationRow& row : table) {
      CAPTURE(row.row);
      CHECK(std::abs(row.error() - mean) <= 0.06);
    }
  }
}

/// Last row over first row: the documents' tables go from the smallest job to the largest.
double growth(const std::vector<ValidationRow>& table, double ValidationRow::*time) {
  return table.back().*time / (table.front().*time);
}

TEST_CASE("Step times grow with the job about as much as measured") {
  for (const auto& [name, table] : tables()) {
    CAPTURE(name);
    const double measured = growth(table, &ValidationRow::measured_s);
    const double predicted = growth(table, &ValidationRow::predicted_s);
    CHECK(predicted / measured > 0.90);
    CHECK(predicted / measured < 1.05);
    // What grows in the large jobs of these tables is not modelled yet (jitter over many ranks is
    // the likely part), so a prediction may stay flat; it must not shrink.
    if (measured > 1.03) CHECK(predicted > 0.995);
  }
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
      CAPTURE(bf16);
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
}  // namespace simtrain
