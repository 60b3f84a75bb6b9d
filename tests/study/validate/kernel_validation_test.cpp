#include "sim/study/fit/kernel_validation.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "sim/topology/specs/gpu_fields.h"
#include "tests/core/data_folder.h"

namespace simtrain::testing::kernel_validation_test {

namespace {

KernelPoint cast_of(const std::string& gpu, double bytes, double seconds) {
  KernelPoint point;
  point.family = KernelFamily::streaming;
  point.gpu = gpu;
  point.variant = "cast forward";
  point.shape = "large";
  point.kernel = Streaming{StreamingKind::cast, bytes};
  point.measured_s = seconds;
  return point;
}

}  // namespace

TEST_CASE("a summary has mean, median and 90th percentile of the size of errors, and mean bias") {
  // Sizes 0, 10, 20, 30 and 50 %.
  const ErrorSummary five = error_summary({0.2, -0.5, 0, 0.3, -0.1});
  CHECK(five.points == 5);
  CHECK(five.mean == doctest::Approx(0.22));
  CHECK(five.median == doctest::Approx(0.2));
  CHECK(five.percentile_90 == doctest::Approx(0.3 + 0.6 * 0.2));
  CHECK(five.bias == doctest::Approx(-0.02));
  CHECK(error_summary({}).points == 0);
}

TEST_CASE("short runs are predicted at full clock, sustained ones as the file has it") {
  const auto gpu = data_folder().load<GpuSpec>("hardware/gpus", "h100-sxm", {}, "gpu");
  const Gemm gemm{16384, 16384, 16384, DataType::bf16, DataType::bf16};
  const double burst = predict_kernel(gpu, gemm, KernelRun::burst);
  const double sustained = predict_kernel(gpu, gemm, KernelRun::sustained);
  const GemmRate& rate = gpu.gemm.rates[0];
  CHECK(sustained / burst ==
        doctest::Approx(rate.burst.value() / rate.sustained.value()).epsilon(0.01));
}

TEST_CASE("comparisons keep what simtrain does not have, without a prediction") {
  auto foreign = cast_of("no-such-gpu", 1e9, 1e-3);
  auto unknown = cast_of("h100-sxm", 1e9, 1e-3);
  unknown.kernel.reset();
  auto backward = cast_of("h100-sxm", 1e9, 1e-3);
  backward.kernel =
      Attention{1, 1, 128, 128, 128, true, Direction::backward, AttentionKernel::flash_attention_3};
  const auto comparisons =
      compare_kernels(data_folder(), {cast_of("h100-sxm", 1e9, 1e-3), foreign, unknown, backward});
  REQUIRE(comparisons.size() == 4);
  CHECK(comparisons[0].predicted_s);
  CHECK_FALSE(comparisons[1].predicted_s);
  CHECK_FALSE(comparisons[2].predicted_s);
  CHECK_FALSE(comparisons[3].predicted_s);
  const auto groups = group_kernels(comparisons);
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].gpu == "h100-sxm");
  CHECK(groups[0].errors.points == 1);
  CHECK(groups[0].not_predicted == 2);
  CHECK(groups[1].not_predicted == 1);
}

TEST_CASE("an error is what the prediction is above the measured time, and points may not count") {
  auto point = cast_of("h100-sxm", 1e9, 1);
  KernelComparison comparison{point, 1.5};
  CHECK(comparison.error() == doctest::Approx(0.5));
  point.fitted = false;
  CHECK(summarize_fitted({comparison, {point, 9.0}}).mean == doctest::Approx(0.5));
}

namespace {

bool measured(const KernelGroup& group) {
  return data_folder().load<GpuSpec>("hardware/gpus", group.gpu, {}, "").kernels.value ==
         KernelKnowledge::measured;
}

bool large_gemms(const KernelGroup& group) {
  return group.family == KernelFamily::gemm && group.shape == "large" &&
         !group.variant.ends_with("sustained") && group.errors.points > 0;
}

}  // namespace

// What GPU files reach on the published points. Attention is held to 12 % where there are enough
// points; what misses it is in docs/kernel-validation.md.
TEST_CASE("large GEMMs, attention and casts are met by the GPU files within bounds") {
  const auto comparisons = compare_kernels(
      data_folder(), load_kernel_points(data_folder().root() + "/hardware/measured/published"));
  CHECK(summarize_fitted(comparisons).mean <= 0.07);
  int groups = 0;
  for (const KernelGroup& group : group_kernels(comparisons)) {
    if (!large_gemms(group) || !measured(group)) continue;
    INFO(fmt::format("{} {}: {:.4f}", group.gpu, group.variant, group.errors.mean));
    CHECK(group.errors.median <= 0.08);  // B200 BF16 has a node in it that sets nothing
    ++groups;
  }
  CHECK(groups == 21);
}

TEST_CASE("GPUs derived from others by ratios are met as well where several points are published") {
  const auto comparisons = compare_kernels(
      data_folder(), load_kernel_points(data_folder().root() + "/hardware/measured/published"));
  int groups = 0;
  for (const KernelGroup& group : group_kernels(comparisons)) {
    if (!large_gemms(group) || measured(group) || group.errors.points < 2) continue;
    INFO(fmt::format("{} {}: {:.4f}", group.gpu, group.variant, group.errors.mean));
    CHECK(group.errors.mean <= 0.1);
    ++groups;
  }
  CHECK(groups == 3);  // a100-sxm-40gb bf16, h800-sxm fp8 and fp8_block
}

}  // namespace simtrain::testing::kernel_validation_test
