#include "sim/study/validate/validate.h"

#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "sim/run/simulate.h"
#include "tests/core/data_folder.h"
#include "tests/core/error_of.h"

namespace simtrain::testing::validate_test {

namespace {

ValidationRow row(double measured, double predicted) {
  ValidationRow result;
  result.measured_s = measured;
  result.predicted_s = predicted;
  return result;
}

/// A validation file in a folder of its own that goes with it.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text)
      : folder_(std::filesystem::temp_directory_path() /
                ("simtrain-study-" + std::to_string(++count_) + "-" +
                 std::to_string(reinterpret_cast<std::uintptr_t>(this)))) {
    std::filesystem::create_directories(folder_);
    std::ofstream(path()) << text;
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string path() const { return (folder_ / "tiny.yaml").string(); }

 private:
  inline static int count_ = 0;
  std::filesystem::path folder_;
};

std::string tiny(const std::string& scenario, const std::string& rows) {
  return "name: tiny\ndocuments:\n  - document: a.txt\n    title: A\n    tables:\n"
         "      - table: T\n        use: headline\n        group: g\n        precision: bf16\n"
         "        scenario: " +
         scenario +
         "\n        figures:\n"
         "          - {figure: step-time, label: Time, kind: last-step, rounding: 0.01}\n"
         "        rows:\n" +
         rows;
}

/// A file of one table with more keys, read and simulated.
ValidationResult validated(const std::string& keys, const std::string& rows) {
  std::string text = tiny("llama31_8b_h100.yaml", rows);
  text.insert(text.find("        figures:"), keys);
  const TemporaryFile file(text);
  return validate_documents(data_folder(), file.path());
}

std::string refusal(const std::string& text) {
  const TemporaryFile file(text);
  return error_of([&] { validate_documents(data_folder(), file.path()); });
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("an error is predicted over measured, less one") {
  CHECK(row(10, 11).error() == doctest::Approx(0.1));
  CHECK(row(10, 8).error() == doctest::Approx(-0.2));
}

TEST_CASE("a summary holds the mean and largest absolute error and the signed mean") {
  const ValidationSummary summary = summarize({row(10, 11), row(10, 8), row(20, 21)});
  CHECK(summary.rows == 3);
  CHECK(summary.mean_absolute == doctest::Approx((0.1 + 0.2 + 0.05) / 3));
  CHECK(summary.largest_absolute == doctest::Approx(0.2));
  CHECK(summary.bias == doctest::Approx((0.1 - 0.2 + 0.05) / 3));
}

TEST_CASE("errors of both signs cancel in the bias alone") {
  const ValidationSummary summary = summarize({row(10, 11), row(10, 9)});
  CHECK(summary.mean_absolute == doctest::Approx(0.1));
  CHECK(summary.bias == doctest::Approx(0));
}

TEST_CASE("the summary of no rows is all zeros") {
  const ValidationSummary summary = summarize(std::vector<ValidationRow>{});
  CHECK(summary.rows == 0);
  CHECK(summary.mean_absolute == 0);
  CHECK(summary.largest_absolute == 0);
  CHECK(summary.bias == 0);
}

TEST_CASE("validating simulates the named row and keeps the printed digits") {
  const TemporaryFile file(tiny("llama31_8b_h100.yaml",
                                "          - {row: bf16-8, printed: [\"12.3\"]}\n"
                                "          - {row: fp8-8, printed: [\"9.330\"]}\n"));
  const auto rows = validate_documents(data_folder(), file.path()).rows();
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].document == "a.txt");
  CHECK(rows[0].table == "T");
  CHECK(rows[0].scenario == "llama31_8b_h100.yaml");
  CHECK(rows[0].row == "bf16-8");
  CHECK(rows[0].printed == "12.3");
  CHECK(rows[0].measured_s == 12.3);
  CHECK(rows[1].printed == "9.330");
  const auto source =
      ScenarioSource::from_file(data_folder().root() + "/scenarios/llama31_8b_h100.yaml");
  CHECK(rows[1].predicted_s == simulate(source.scenario(data_folder(), "fp8-8", {})).step_time_s);
}

TEST_CASE("a scenario without a table needs no row") {
  const TemporaryFile file(tiny("llama405b_a4_224.yaml", "          - {printed: [\"118.19\"]}\n"));
  const auto rows = validate_documents(data_folder(), file.path()).rows();
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].row.empty());
  CHECK(rows[0].predicted_s > 0);
}

TEST_CASE("a validation file that is missing is refused by name") {
  CHECK(holds(error_of([] { validate_documents(data_folder(), "/no/such/file.yaml"); }),
              "/no/such/file.yaml"));
}

TEST_CASE("a row that the scenario does not have is refused") {
  const std::string text =
      refusal(tiny("llama31_8b_h100.yaml", "          - {row: bf16-9, printed: [\"1\"]}\n"));
  CHECK(holds(text, "bf16-9"));
  CHECK(holds(text, "bf16-8"));
}

TEST_CASE("a step time that is no positive number is refused at its place") {
  const std::string text =
      refusal(tiny("llama31_8b_h100.yaml", "          - {row: bf16-8, printed: [soon]}\n"));
  CHECK(holds(text, "tiny.yaml:14:"));
  CHECK(holds(text, "step-time: "));
  CHECK(holds(text, "'soon'"));
}

TEST_CASE("a kind of figure that is not known is refused at its place") {
  std::string file = tiny("llama31_8b_h100.yaml", "          - {row: bf16-8, printed: [\"1\"]}\n");
  file.replace(file.find("last-step"), 9, "best-step");
  const std::string text = refusal(file);
  CHECK(holds(text, "tiny.yaml:12:52: documents[0].tables[0].figures[0].kind: 'best-step'"));
  CHECK(holds(text, "last-step"));
}

TEST_CASE("growth is the last step time over the first, less one, measured and predicted") {
  const ValidationResult result =
      validated("        trend: {from: bf16-8, to: bf16-16, within: 1.5 %}\n",
                "          - {row: bf16-8, printed: [\"10\"]}\n          - {row: bf16-16, printed: "
                "[\"11\"]}\n");
  REQUIRE(result.tables.front().trend);
  const TrendResult& trend = *result.tables.front().trend;
  const auto rows = result.rows();
  CHECK(trend.measured == doctest::Approx(0.1));
  CHECK(trend.predicted == doctest::Approx(rows[1].predicted_s / rows[0].predicted_s - 1));
  CHECK(trend.difference() == trend.predicted - trend.measured);
  CHECK(trend.within == 0.015);
  CHECK(!trend.holds());
  CHECK(broken_bounds(result) ==
        std::vector<std::string>{fmt::format("T: growth misses by {:+.2f} points, bound 1.5 points",
                                             trend.difference() * 100)});
}

TEST_CASE("a trend holds up to its bound") {
  CHECK(TrendResult{"a", "b", 0.25, 0.5, 0.25}.holds());
  CHECK(TrendResult{"a", "b", 0.5, 0.25, 0.25}.holds());
  CHECK(!TrendResult{"a", "b", 0.5, 0.25, 0.2}.holds());
}

TEST_CASE("a table and a file outside their bounds are reported, inside they are silent") {
  const std::string rows = "          - {row: bf16-8, printed: [\"100\"]}\n";
  CHECK(broken_bounds(validated("        bounds: {mean: 100 %, max: 100 %}\n", rows)).empty());
  const auto broken = broken_bounds(validated("        bounds: {mean: 10 %, max: 20 %}\n", rows));
  REQUIRE(broken.size() == 2);
  CHECK(broken[0].starts_with("T: mean absolute error 8"));
  CHECK(broken[0].ends_with("bound 10 %"));
  CHECK(broken[1].starts_with("T: largest absolute error 8"));
  CHECK(broken[1].ends_with("bound 20 %"));
  ValidationResult whole = validated("", rows);
  CHECK(broken_bounds(whole).empty());
  whole.bounds = ErrorBounds{{0.1}, {1.0}};
  REQUIRE(broken_bounds(whole).size() == 1);
  CHECK(broken_bounds(whole)[0].starts_with("tiny: mean absolute error 8"));
}

TEST_CASE("reported tables are simulated and count to no summary") {
  std::string text = tiny("llama31_8b_h100.yaml", "          - {row: bf16-8, printed: [\"12\"]}\n");
  text.replace(text.find("headline"), 8, "reported");
  const TemporaryFile file(text);
  const ValidationResult result = validate_documents(data_folder(), file.path());
  CHECK(result.rows().empty());
  CHECK(result.tables.front().rows().size() == 1);
}

TEST_CASE("a run keeps the report that its prediction is from") {
  const ValidationResult result =
      validated("", "          - {row: fp8-8, column: 8 GPUs, printed: [\"9\"]}\n");
  const RunResult& run = result.tables.front().runs.front();
  CHECK(run.column == "8 GPUs");
  CHECK(run.report.step_time_s == result.rows().front().predicted_s);
  CHECK(run.find(FigureName::step_time)->printed == "9");
  CHECK(run.find(FigureName::mfu) == nullptr);
}

}  // namespace simtrain::testing::validate_test
