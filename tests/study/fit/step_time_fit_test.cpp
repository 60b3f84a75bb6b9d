#include "sim/study/fit/step_time_fit.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <oneapi/tbb/global_control.h>

#include <doctest/doctest.h>

#include "sim/study/fit/calibrate.h"
#include "sim/study/fit/leave_out.h"
#include "tests/core/checkout.h"
#include "tests/core/data_folder.h"
#include "tests/core/error_of.h"

namespace simtrain::testing::step_time_fit_test {

namespace {

const std::string kDocumented = simtrain::testing::source_dir() + "/validation/documented.yaml";

/// The smallest jobs of some tables.
std::vector<StepTime> few_rows() {
  std::vector<StepTime> rows;
  for (StepTime& row : step_times(data_folder(), kDocumented)) {
    if (row.row == "bf16-16" || row.row == "fp8-16" || row.row == "bf16-32")
      rows.push_back(std::move(row));
  }
  return rows;
}

FittedParameter parameter(const std::string& name, const std::string& key, double current,
                          double error) {
  FittedParameter result;
  result.name = name;
  result.sets = {{"gpus/h100-sxm.yaml", key, {}}};
  result.prior = {current, error, "assumed"};
  result.range = {current / 2, current * 2};
  result.current = current;
  return result;
}

double current(const std::string& key) {
  YamlNode tree = data_folder().load_tree("hardware/gpus", "h100-sxm", {}, "gpu");
  return written_number(find_number(tree, key, {}), key).value;
}

const std::string kBandwidth = "memory_bandwidth";
const std::string kMargin = "streaming.element_wise";

/// Two parameters of an H100 with wide priors.
std::vector<FittedParameter> two_parameters() {
  return {parameter("bandwidth", kBandwidth, current(kBandwidth), current(kBandwidth)),
          parameter("element-wise", kMargin, current(kMargin), 0.05)};
}

/// The rows, measured as they would be on a GPU with these values.
std::vector<StepTime> measured_with(std::vector<StepTime> rows,
                                    const std::vector<FittedParameter>& parameters,
                                    const std::vector<double>& values) {
  const auto truth = predict(with_values(data_folder(), parameters, values), rows);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].measured_s = truth[i].predicted_s;
  return rows;
}

}  // namespace

TEST_CASE("Step times of the headline are read with their group and precision") {
  const std::vector<StepTime> rows = step_times(data_folder(), kDocumented);
  CHECK(rows.size() == 70);
  CHECK(rows.front().series() == "llama-405b-a4:fp8");
  CHECK(rows.front().measured_s == 118.18969259262084);
}

TEST_CASE("Predictions are the same at one thread and at several") {
  const std::vector<StepTime> rows = few_rows();
  REQUIRE(rows.size() > 3);
  const auto many = predict(data_folder(), rows);
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  const auto single = predict(data_folder(), rows);
  for (std::size_t i = 0; i < rows.size(); ++i) CHECK(many[i].predicted_s == single[i].predicted_s);
}

TEST_CASE("The first row's error is thrown, whichever thread meets one") {
  std::vector<StepTime> rows = few_rows();
  rows[1].row = "bf16-17";
  rows[2].row = "bf16-18";
  CHECK(error_of([&] { predict(data_folder(), rows); }).find("'bf16-17' is no row") !=
        std::string::npos);
}

TEST_CASE("A fit finds the value that the step times were made with") {
  const auto parameters = two_parameters();
  const double truth = parameters[0].current * 0.9;
  const StepTimeFit fit(data_folder(), parameters,
                        measured_with(few_rows(), parameters, {truth, parameters[1].current}));
  const Calibration result = calibrate(fit);
  CHECK(result.converged);
  CHECK(result.values[0] == doctest::Approx(truth).epsilon(0.02));
  CHECK(result.standard_errors[0] < parameters[0].prior.standard_error / 2);
  CHECK(summarize(result.before).mean_absolute > 0.005);
  CHECK(summarize(result.after).mean_absolute < 0.001);
  CHECK(result.correlation[0] == doctest::Approx(1));
  CHECK(result.correlation[1] == result.correlation[2]);
  CHECK_FALSE(result.at_end(0));
}

TEST_CASE("The same rows give the same values, to the bit") {
  const auto parameters = two_parameters();
  const StepTimeFit fit(data_folder(), parameters, few_rows());
  const Calibration once = calibrate(fit);
  const Calibration again = calibrate(fit);
  CHECK(once.values == again.values);
  CHECK(once.standard_errors == again.standard_errors);
  CHECK(once.discrepancy == again.discrepancy);
}

TEST_CASE("A value stops at the end of its range and is marked") {
  auto parameters = two_parameters();
  parameters.resize(1);
  const auto rows = measured_with(few_rows(), parameters, {parameters[0].current * 0.6});
  parameters[0].range = {parameters[0].current * 0.8, parameters[0].current * 1.2};
  const Calibration result = calibrate(StepTimeFit(data_folder(), parameters, rows));
  CHECK(result.values[0] == doctest::Approx(parameters[0].current * 0.8));
  CHECK(result.at_end(0));
}

TEST_CASE("Slopes stay in a range that is narrower than their step") {
  auto parameters = two_parameters();
  parameters.resize(1);
  const double current = parameters[0].current;
  // A quarter of this prior's error below would be a negative bandwidth.
  parameters[0].prior.standard_error = 8 * current;
  parameters[0].range = {current * 0.8, current * 1.1};
  const auto slope = [&] {
    const StepTimeFit fit(data_folder(), parameters, few_rows());
    return fit.slopes(fit.start())[0][0];
  };
  const double narrow = slope();
  CHECK(narrow < 0);
  parameters[0].range = {current / 4, current * 4};
  parameters[0].prior.standard_error = 0.8 * current;  // steps by a fifth upwards
  CHECK(narrow / 8 < slope() / 0.8);                   // steeper downwards
}

TEST_CASE("A table of many rows weighs no more than one of a single row") {
  auto parameters = two_parameters();
  parameters.resize(1);
  const auto base = few_rows();
  auto rows = measured_with(base, parameters, {parameters[0].current * 0.9});
  const auto fitted = [&](const std::vector<StepTime>& some) {
    return calibrate(StepTimeFit(data_folder(), parameters, some)).values[0];
  };
  std::vector<StepTime> repeated = rows;
  for (int i = 0; i < 3; ++i) {
    for (const StepTime& row : rows) {
      if (row.series() == rows.front().series()) repeated.push_back(row);
    }
  }
  CHECK(fitted(repeated) == doctest::Approx(fitted(rows)).epsilon(1e-3));
}

TEST_CASE("What is left out does not influence its own prediction") {
  const auto parameters = two_parameters();
  auto rows =
      measured_with(few_rows(), parameters, {parameters[0].current * 0.9, parameters[1].current});
  // One table is measured 30 % too slow: the others' fit does not follow it.
  for (StepTime& row : rows) {
    if (row.series() == "nemotron-15b:fp8") row.measured_s *= 1.3;
  }
  const StepTimeFit fit(data_folder(), parameters, rows);
  const auto parts = leave_out(fit, fit_all(fit, fit.start()), LeftOut::table);
  std::size_t seen = 0;
  for (const LeftOutPart& part : parts) {
    seen += part.rows.size();
    if (part.name != "nemotron-15b:fp8") continue;
    for (const ValidationRow& row : part.rows)
      CHECK(row.error() == doctest::Approx(1 / 1.3 - 1).epsilon(0.01));
  }
  CHECK(seen == rows.size());
  const auto groups = leave_out(fit, fit_all(fit, fit.start()), LeftOut::group);
  CHECK(groups.size() < parts.size());
}

TEST_CASE("Intervals are counted over all rows left out") {
  LeftOutPart part;
  ValidationRow row;
  row.measured_s = 11;
  row.predicted_s = 10;
  part.rows = {row, row};
  part.intervals = {{9, 11.5}, {9.5, 10.5}};
  const LeftOutSummary summary = summarize({part});
  CHECK(summary.covered == doctest::Approx(0.5));
  CHECK(summary.half_width == doctest::Approx((0.125 + 0.05) / 2));
  CHECK(summary.errors.mean_absolute == doctest::Approx(1.0 / 11));
  // One row needs log(1.1) where log(1.15) is stated, the other where log(1.05) is: 9 tenths of the
  // way from the one to the other.
  CHECK(summary.widening ==
        doctest::Approx(std::log(1.1) * (0.1 / std::log(1.15) + 0.9 / std::log(1.05))));
}

TEST_CASE("Rows are picked by group and by table") {
  const std::vector<StepTime> rows = step_times(data_folder(), kDocumented);
  CHECK(selected(rows, "llama-70b").size() == 12);
  CHECK(selected(rows, "llama-70b:fp8,llama-8b:bf16").size() == 11);
  CHECK(error_of([&] { selected(rows, "llama-71b"); }) ==
        "--rows: 'llama-71b' is no group or table; did you mean 'llama-70b'?");
  CHECK(error_of([&] { selected(rows, ""); }) == "--rows: names no groups or tables");
  CHECK(error_of([&] { selected(rows, "llama-70b,"); }).starts_with("--rows: '' is no group"));
}

}  // namespace simtrain::testing::step_time_fit_test
