#include "sim/workload/kernels/precision.h"

#include <doctest/doctest.h>

#include "tests/workload/recipes.h"

using namespace simtrain;

TEST_CASE("each precision has its row, and what is not quantized computes in BF16") {
  for (const auto& named : EnumNames<Precision>::rows) {
    CAPTURE(named.first);
    const PrecisionRow& row = row_of(named.second);
    CHECK(row.precision == named.second);
    CHECK(!row.meaning.empty());
    CHECK((row.quantized || row.operand == DataType::bf16));
    CHECK((row.quantized || !row.delayed_scaling));
    CHECK(row.operand_bytes() <= 2);
  }
}

TEST_CASE("a GPU whose tensor cores take operands along k alone wants a turned copy as well") {
  const auto copies = [](Precision precision, const char* gpu) {
    return operand_copies(row_of(precision), testing::gpu(gpu));
  };
  CHECK(copies(Precision::fp8, "h100-sxm") == 2);
  CHECK(copies(Precision::fp8, "b200-sxm") == 1);
  CHECK(copies(Precision::bf16, "h100-sxm") == 0);
  CHECK(copies(Precision::bf16, "b200-sxm") == 0);
}
