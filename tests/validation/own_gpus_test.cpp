// What hardware/measure found on an H100 and an H200 against the kernel model and the power balance
// of a step; docs/kernel-validation.md and docs/energy.md have the figures.
#include <cmath>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "sim/study/fit/kernel_validation.h"
#include "sim/topology/specs/gpu_fields.h"
#include "sim/workload/plan/program/step_clock.h"
#include "tests/core/checkout.h"

namespace simtrain::testing::own_gpus_test {
namespace {

std::string measured(const std::string& folder) {
  return source_dir() + "/hardware/measured/" + folder;
}

/// Mean absolute error of the points of a GEMM data type, all shapes of 1024 rows and more.
ErrorSummary gemm_errors(const std::string& folder, const std::string& variant) {
  std::vector<double> errors;
  for (const KernelComparison& row :
       compare_kernels(DataFolder(source_dir()), load_kernel_points(measured(folder)))) {
    if (row.point.family == KernelFamily::gemm && row.point.variant == variant &&
        row.point.shape != "m < 1024")
      errors.push_back(row.error());
  }
  return error_summary(errors);
}

/// A GEMM that took turns with an element-wise kernel without a pause.
struct Turns {
  double gemm_share = 0;  // of the time, at the clock that was held
  double stretch = 0;     // of the GEMM, over short runs at full clock
};

std::vector<Turns> turns_with_add(const std::string& folder) {
  std::ifstream file(measured(folder) + "/conditions.yaml");
  const std::regex row(
      "loop: gemm bf16 and add, share: ([0-9.]+), time: ([0-9.]+) us, "
      "time_at_full_clock: ([0-9.]+) us");
  std::vector<Turns> found;
  for (std::string line; std::getline(file, line);) {
    std::smatch cells;
    if (std::regex_search(line, cells, row))
      found.push_back({std::stod(cells[1]), std::stod(cells[2]) / std::stod(cells[3])});
  }
  return found;
}

}  // namespace

TEST_CASE("GEMMs of GPUs of our own, which set no burst rate, are met") {
  struct Case {
    std::string folder, variant;
    std::size_t points;
    double bound;
  };
  for (const Case& row :
       {Case{"h200-cloud", "bf16", 190, 0.03}, Case{"h200-cloud", "fp8", 180, 0.05},
        Case{"h100-cloud", "bf16", 40, 0.05}, Case{"h100-cloud", "fp8", 40, 0.06}}) {
    CAPTURE(row.folder);
    CAPTURE(row.variant);
    const ErrorSummary errors = gemm_errors(row.folder, row.variant);
    CHECK(errors.points >= row.points);
    CHECK(errors.mean < row.bound);
  }
}

TEST_CASE("GEMMs at the power limit are met on the H200 that set their rate") {
  CHECK(gemm_errors("h200-cloud", "bf16 sustained").mean < 0.03);
  CHECK(gemm_errors("h200-cloud", "fp8 sustained").mean < 0.05);
}

TEST_CASE("the clock of a GEMM by turns with a memory-bound kernel follows from their mean draw") {
  const auto gpu = DataFolder(source_dir()).load<GpuSpec>("hardware/gpus", "h200-sxm", {}, "");
  const double draw =
      FittedKernelModel(gpu, 1).time(Gemm{8192, 8192, 8192, DataType::bf16, DataType::bf16}).draw;
  const std::vector<Turns> all = turns_with_add("h200-cloud");
  REQUIRE(all.size() == 6);
  double worst = 0;
  for (const Turns& row : all) {
    const double full = row.gemm_share / row.stretch;
    const double clock = power_limited_clock(gpu.power, {full, full * draw, 1 - row.gemm_share});
    CAPTURE(row.gemm_share);
    const double error = 1 / clock / row.stretch - 1;
    worst = std::max(worst, std::abs(error));
    if (row.gemm_share > 0.6) CHECK(std::abs(error) < 0.03);  // as in a step of training
  }
  CHECK(worst < 0.08);
}

}  // namespace simtrain::testing::own_gpus_test
