#include "sim/workload/kernels/precision.h"

#include <doctest/doctest.h>

#include "tests/workload/recipes.h"

using namespace simtrain;

TEST_CASE("each precision has its row, and none has operands larger than activations") {
  for (const auto& named : EnumNames<Precision>::rows) {
    CAPTURE(named.first);
    const PrecisionRow& row = row_of(named.second);
    CHECK(row.precision == named.second);
    CHECK(!row.meaning.empty());
    CHECK((row.quantized() || !row.delayed_scaling));
    CHECK(!row.high.quantized());
    for (const Operand& operand : {row.layers.input, row.layers.weight, row.layers.gradient}) {
      CHECK(operand.rowwise.bytes() <= row.activation.bytes());
      CHECK((operand.rowwise.quantized || operand.rowwise == row.activation));
    }
  }
}

TEST_CASE("FP8 multiplies single bytes in layers alone, and its gradients have more exponent") {
  const PrecisionRow& fp8 = row_of(Precision::fp8);
  CHECK(fp8.layers.forward().left.bytes() == 1);
  CHECK(fp8.layers.input_gradient().left.name == "e5m2");
  CHECK(fp8.layers.weight_gradient().right.name == "e4m3");
  CHECK(fp8.high.forward().left.bytes() == 2);
  CHECK(fp8.activation.bytes() == 2);
  CHECK(fp8.delayed_scaling->reduced_over == GroupKind::amax);
}

TEST_CASE("a GPU whose tensor cores take operands along k alone wants a turned copy as well") {
  const auto copies = [](Precision precision, const char* gpu) {
    return copied_bytes(row_of(precision).layers.weight, testing::gpu(gpu));
  };
  CHECK(copies(Precision::fp8, "h100-sxm") == 2);
  CHECK(copies(Precision::fp8, "b200-sxm") == 1);
  CHECK(copies(Precision::bf16, "h100-sxm") == 0);
  CHECK(copies(Precision::bf16, "b200-sxm") == 0);
  CHECK(cast_bytes(row_of(Precision::fp8).layers.weight) == 1);
}

TEST_CASE("a GPU computes in what its file has rates of") {
  CHECK(has_rates(testing::gpu("h100-sxm"), row_of(Precision::fp8)));
  CHECK(has_rates(testing::gpu("a100-sxm"), row_of(Precision::bf16)));
  CHECK(!has_rates(testing::gpu("a100-sxm"), row_of(Precision::fp8)));
}
