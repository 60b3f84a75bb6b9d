// Predictions against measured kernels on H100 SXM (700 W). The rows are in gemm_points.csv; the
// first string is their origin there. Of the tensorrt-llm set every 19th of the 500 shapes with m
// of 1024 or more and n and k of 2048 or more is taken; all of them were short runs at full clocks,
// so that the model is asked with the burst rate.
#include <array>
#include <cmath>

#include <doctest/doctest.h>

#include "sim/workload/kernels/kernel_model.h"
#include "tests/workload/recipes.h"

namespace simtrain::testing::measured_kernels_test {

namespace {

struct MeasuredGemm {
  const char* source;
  std::int64_t m;
  std::int64_t n;
  std::int64_t k;
  double tflops;
};

constexpr const char* kAiconfigurator =
    "ai-dynamo/aiconfigurator systems/data trtllm 1.3.0rc10+trtllm 1.3.0rc20";

constexpr std::array kBf16Gemms{
    MeasuredGemm{"stas00/ml-engineering compute/accelerator MAMF", 2048, 2048, 13312, 794.5},
    MeasuredGemm{"pranjalssh/fast.cu (cuBLAS)", 4096, 4096, 4096, 716.0},
    MeasuredGemm{"pranjalssh/fast.cu (cuBLAS)", 8192, 8192, 8192, 795.0},
    MeasuredGemm{"NVIDIA/TransformerEngine issue 2053", 8192, 2048, 2048, 686.8},
    MeasuredGemm{kAiconfigurator, 1024, 2048, 2048, 608.8},
    MeasuredGemm{kAiconfigurator, 1024, 3072, 16384, 775.5},
    MeasuredGemm{kAiconfigurator, 1024, 5120, 12288, 796.7},
    MeasuredGemm{kAiconfigurator, 1024, 7168, 10240, 701.0},
    MeasuredGemm{kAiconfigurator, 1024, 10240, 8192, 771.0},
    MeasuredGemm{kAiconfigurator, 1024, 16384, 7168, 740.9},
    MeasuredGemm{kAiconfigurator, 2048, 3072, 6144, 747.4},
    MeasuredGemm{kAiconfigurator, 2048, 5120, 5120, 779.3},
    MeasuredGemm{kAiconfigurator, 2048, 7168, 4096, 779.9},
    MeasuredGemm{kAiconfigurator, 2048, 10240, 3072, 753.5},
    MeasuredGemm{kAiconfigurator, 2048, 16384, 2048, 746.4},
    MeasuredGemm{kAiconfigurator, 4096, 2048, 16384, 787.6},
    MeasuredGemm{kAiconfigurator, 4096, 4096, 12288, 819.3},
    MeasuredGemm{kAiconfigurator, 4096, 6144, 10240, 736.5},
    MeasuredGemm{kAiconfigurator, 4096, 8192, 8192, 818.3},
    MeasuredGemm{kAiconfigurator, 4096, 12288, 7168, 753.7},
    MeasuredGemm{kAiconfigurator, 8192, 2048, 6144, 811.4},
    MeasuredGemm{kAiconfigurator, 8192, 4096, 5120, 775.6},
    MeasuredGemm{kAiconfigurator, 8192, 6144, 4096, 779.5},
    MeasuredGemm{kAiconfigurator, 8192, 8192, 3072, 762.9},
    MeasuredGemm{kAiconfigurator, 8192, 12288, 2048, 777.8},
    MeasuredGemm{kAiconfigurator, 8192, 16384, 16384, 757.0},
    MeasuredGemm{kAiconfigurator, 16384, 3072, 12288, 798.5},
    MeasuredGemm{kAiconfigurator, 16384, 5120, 10240, 802.7},
    MeasuredGemm{kAiconfigurator, 16384, 7168, 8192, 807.1},
    MeasuredGemm{kAiconfigurator, 16384, 10240, 7168, 824.7},
    MeasuredGemm{kAiconfigurator, 16384, 16384, 6144, 784.2},
};

double error(const KernelModel& model, const MeasuredGemm& row) {
  const Gemm gemm{row.m, row.n, row.k, DataType::bf16, DataType::bf16};
  const double measured = kernel_flops(gemm) / (row.tflops * 1e12);
  return to_seconds(model.time(gemm).time) / measured - 1;
}

}  // namespace

TEST_CASE("BF16 GEMMs on H100 are within 15 % of measured ones each and 6 % on average") {
  const GpuSpec spec = gpu("h100-sxm");
  const FittedKernelModel model(spec);
  double sum = 0;
  for (const MeasuredGemm& row : kBf16Gemms) {
    CAPTURE(row.source);
    CAPTURE(row.m);
    CAPTURE(row.n);
    CAPTURE(row.k);
    CHECK(std::abs(error(model, row)) < 0.15);
    sum += std::abs(error(model, row));
  }
  CHECK(sum / static_cast<double>(kBf16Gemms.size()) < 0.06);
}

}  // namespace simtrain::testing::measured_kernels_test
