#include "sim/study/machine/machine_fit.h"

#include <cmath>

#include <doctest/doctest.h>

#include "sim/study/fit/kernel_validation.h"
#include "sim/topology/specs/gpu_fields.h"
#include "tests/property/rows.h"

namespace simtrain::testing::machine_fit_test {
using testing::data_folder;

namespace {

constexpr const char* kCluster = "dgx-superpod-h100";

KernelPoint point(const GpuSpec& gpu, const Kernel& kernel, double speed) {
  KernelPoint result;
  result.gpu = gpu.name;
  result.kernel = kernel;
  result.run = KernelRun::sustained;
  result.shape = "large";
  result.family = KernelFamily::gemm;
  if (std::holds_alternative<Streaming>(kernel)) {
    result.family = KernelFamily::streaming;
    result.shape = "64 MB and more";
  }
  result.measured_s = predict_kernel(gpu, kernel, result.run) / speed;
  return result;
}

/// What an H100 measures whose GEMMs run at `speed` of those of its file, and memory at `memory`.
std::vector<KernelPoint> points(double speed, double memory) {
  const auto gpu = data_folder().load<GpuSpec>("hardware/gpus", "h100-sxm", {}, "gpu");
  std::vector<KernelPoint> made;
  for (const std::int64_t size : {4096, 6144, 8192, 12288, 16384}) {
    Gemm gemm;
    gemm.m = gemm.n = gemm.k = size;
    made.push_back(point(gpu, gemm, speed));
    Streaming add;
    add.bytes = 1e4 * static_cast<double>(size);
    made.push_back(point(gpu, add, memory));
  }
  return made;
}

const MachineFinding* found(const MachineFit& fit, const std::string& key) {
  for (const MachineFinding& one : fit.findings) {
    if (one.key == key) return &one;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("a slow machine has so much less power that its GEMMs alone run as they were measured") {
  const MachineFit fit = fit_machine(data_folder(), kCluster, {points(0.8, 0.9), {}, {}});
  CHECK(fit.node == "hgx-h100");
  const MachineFinding* power = found(fit, "gpu.power.available");
  REQUIRE(power != nullptr);
  const auto gpu = data_folder().load<GpuSpec>("hardware/gpus", "h100-sxm", {}, "gpu");
  CHECK(std::abs(power->value - std::pow(0.8, gpu.power.exponent.value)) < 1e-3);
  CHECK(power->points == 5);
  CHECK(power->standard_error < 1e-9);
  const MachineFinding* memory = found(fit, "gpu.streaming.element_wise");
  REQUIRE(memory != nullptr);
  CHECK(std::abs(memory->value / memory->before - 0.9) < 0.002);
  CHECK(found(fit, "gpu.streaming.cast") == nullptr);
}

TEST_CASE("a machine faster than the file has all of its power and higher sustained rates") {
  const MachineFit fit = fit_machine(data_folder(), kCluster, {points(1.05, 1), {}, {}});
  CHECK(found(fit, "gpu.power.available")->value == 1);
  const MachineFinding* rate = found(fit, "gpu.gemm.rates[data_type=bf16].sustained");
  REQUIRE(rate != nullptr);
  CHECK(std::abs(rate->value / rate->before - 1.05) < 0.002);
}

TEST_CASE("one wild point among many moves nothing") {
  std::vector<KernelPoint> wild = points(0.8, 0.9);
  wild.front().measured_s *= 50;
  const MachineFit calm = fit_machine(data_folder(), kCluster, {points(0.8, 0.9), {}, {}});
  const MachineFit fit = fit_machine(data_folder(), kCluster, {wild, {}, {}});
  CHECK(found(fit, "gpu.power.available")->value == found(calm, "gpu.power.available")->value);
}

TEST_CASE("points of another GPU, short GEMMs and fewer than four set nothing") {
  std::vector<KernelPoint> other = points(0.8, 0.9);
  for (KernelPoint& one : other) one.gpu = "b200-sxm";
  CHECK_THROWS_AS(fit_machine(data_folder(), kCluster, {other, {}, {}}), InputError);
  std::vector<KernelPoint> short_runs = points(0.8, 0.9);
  for (KernelPoint& one : short_runs) one.run = KernelRun::burst;
  const MachineFit memory = fit_machine(data_folder(), kCluster, {short_runs, {}, {}});
  CHECK(found(memory, "gpu.power.available") == nullptr);
  std::vector<KernelPoint> few = points(0.8, 0.9);
  few.resize(6);
  CHECK_THROWS_AS(fit_machine(data_folder(), kCluster, {few, {}, {}}), InputError);
}

TEST_CASE("runs set the power where no GEMMs do, so that their mean is met") {
  const auto run = [](const DataFolder& data) {
    const Scenario scenario =
        testing::scenario_file("llama31_8b_h100").scenario(data, "bf16-8", {});
    return std::vector<double>{simulate(scenario).step_time_s / 13.4 - 1};
  };
  const MachineFit fit = fit_machine(data_folder(), kCluster, {{}, {}, run});
  REQUIRE(fit.runs_after.size() == 1);
  CHECK(std::abs(fit.runs_after.front()) < 0.003);
  CHECK(std::abs(fit.runs_before.front()) > 0.01);
  CHECK(fit.relative_error >= 0.02);
}

}  // namespace simtrain::testing::machine_fit_test
