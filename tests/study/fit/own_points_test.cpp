#include <algorithm>
#include <map>

#include <doctest/doctest.h>

#include "sim/study/fit/kernel_points.h"
#include "tests/core/checkout.h"

namespace simtrain::testing::own_points_test {
namespace {

/// What hardware/measure/measure.py writes, with made-up times (tests/measure/harness.py).
const std::vector<KernelPoint>& points() {
  static const std::vector<KernelPoint> all =
      load_kernel_points(testing::source_dir() + "/tests/measure/example");
  return all;
}

TEST_CASE("The folder that hardware/measure writes is read, every row of it") {
  std::map<KernelFamily, int> rows;
  for (const KernelPoint& point : points()) ++rows[point.family];
  CHECK(rows == std::map<KernelFamily, int>{{KernelFamily::gemm, 14},
                                            {KernelFamily::attention, 8},
                                            {KernelFamily::streaming, 14}});
}

TEST_CASE("All rows may set parameters; reductions of torch.compile are not the model's kernels") {
  for (const KernelPoint& point : points()) {
    CAPTURE(point.variant);
    CHECK(point.gpu == "h100-sxm");
    CHECK(point.fitted);
    CHECK(point.kernel.has_value() == (point.variant.find("torch_compile") == std::string::npos));
  }
}

TEST_CASE("Rates of hardware/measure become the times that were measured") {
  // Made-up times: GEMMs at 500 TFLOP/s, 400 when sustained; the others at 500 TFLOP/s and 2 TB/s.
  const auto first_of = [](const std::string& variant) {
    const auto found =
        std::find_if(points().begin(), points().end(),
                     [&](const KernelPoint& point) { return point.variant == variant; });
    REQUIRE(found != points().end());
    return *found;
  };
  CHECK(first_of("fp8 sustained").measured_s == doctest::Approx(2 * 8192.0 * 8192 * 8192 / 400e12));
  // 8 heads, 2048 x 2048, half the square, 128 for the product and 128 for the values; 2.5 times.
  CHECK(first_of("cudnn backward").measured_s ==
        doctest::Approx(2.5 * 8 * 2048.0 * 2048 * (128 + 128) / 500e12));
  CHECK(first_of("swiglu backward").measured_s ==
        doctest::Approx(10 * 8192.0 * 3584 / 2e12).epsilon(1e-3));
}

}  // namespace
}  // namespace simtrain::testing::own_points_test
