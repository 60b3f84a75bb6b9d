#include "sim/workload/kernels/precision.h"

#include <tuple>

#include <doctest/doctest.h>

#include "tests/workload/recipes.h"

namespace simtrain::testing::precision_test {

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

TEST_CASE("copies of a weight by recipe: blocks want one for each direction on every GPU") {
  constexpr double kMx = 2 * (1 + 1.0 / 32);
  constexpr double kSquare = 2 * (1 + 4.0 / (128 * 128));
  constexpr double kNv = 2 * (0.5 + 1.0 / 16);
  for (const auto& [precision, hopper, blackwell] :
       {std::tuple{Precision::fp8_cs, 2.0, 1.0}, std::tuple{Precision::fp8_mx, kMx, kMx},
        std::tuple{Precision::fp8_sc, kSquare, kSquare}, std::tuple{Precision::nvfp4, kNv, kNv}}) {
    const Operand& weight = row_of(precision).layers.weight;
    CHECK(copied_bytes(weight, testing::gpu("h100-sxm")) == hopper);
    CHECK(copied_bytes(weight, testing::gpu("gb200")) == blackwell);
  }
}

TEST_CASE("scales of whole tensors ask for their largest value, those of blocks alone do not") {
  const auto amax = [](Precision precision) { return row_of(precision).layers.input.amax; };
  CHECK(amax(Precision::fp8) == AmaxPass::none);
  CHECK(amax(Precision::fp8_cs) == AmaxPass::except_of_norms);
  CHECK(amax(Precision::fp8_mx) == AmaxPass::none);
  CHECK(amax(Precision::fp8_sc) == AmaxPass::none);
  CHECK(amax(Precision::nvfp4) == AmaxPass::always);
  for (const PrecisionRow& row : precision_rows())
    CHECK(row.delayed_scaling.has_value() == (row.precision == Precision::fp8));
}

TEST_CASE("each recipe draws on rates of its own and counts MFU against a peak of its bits") {
  const auto rates = [](Precision precision) { return row_of(precision).layers.rates.forward; };
  CHECK(rates(Precision::fp8_cs) == DataType::fp8);
  CHECK(rates(Precision::fp8_mx) == DataType::mxfp8);
  CHECK(rates(Precision::fp8_sc) == DataType::fp8_block);
  CHECK(rates(Precision::nvfp4) == DataType::nvfp4);
  CHECK(row_of(Precision::fp8_mx).peak == DataType::fp8);
  CHECK(row_of(Precision::nvfp4).peak == DataType::nvfp4);
}

TEST_CASE("TF32 multiplies FP32 tensors at a rate of its own and keeps no second copy of weights") {
  const PrecisionRow& row = row_of(Precision::tf32);
  CHECK(row.activation.bytes() == 4);
  CHECK(row.peak == DataType::tf32);
  for (const GemmFormats& gemm :
       {row.layers.forward(), row.layers.input_gradient(), row.high.weight_gradient()}) {
    CHECK(gemm.rate == DataType::tf32);
    CHECK(gemm.left.bytes() == 4);
    CHECK(gemm.right.bytes() == 4);
  }
  for (const PrecisionRow& other : precision_rows())
    CHECK(other.keeps_master_weights() == (other.precision != Precision::tf32));
  CHECK(testing::gpu("a100-sxm").peak(DataType::tf32).value() == 156e12);
  CHECK(testing::gpu("h100-sxm").peak(DataType::tf32).value() == 494.5e12);
  CHECK(has_rates(testing::gpu("h800-sxm"), row));
  CHECK(!has_rates(testing::gpu("mi300x"), row));
}

TEST_CASE("row-wise FP8 casts a copy for each product, the second from what was kept in BF16") {
  const LinearFormats& formats = row_of(Precision::fp8_rowwise).layers;
  for (const GemmFormats& gemm :
       {formats.forward(), formats.input_gradient(), formats.weight_gradient()}) {
    CHECK(gemm.rate == DataType::fp8);
    CHECK(gemm.left.bytes() == 1);
    CHECK(gemm.right.bytes() == 1);
  }
  for (const Operand& operand : {formats.input, formats.weight, formats.gradient}) {
    CHECK(operand.columnwise.bytes() == 2);
    CHECK(cast_bytes(operand) == 1);
    for (const char* name : {"h100-sxm", "b200-sxm"}) {
      CHECK(copied_bytes(operand, testing::gpu(name)) == 1);
      CHECK(!turned(operand, testing::gpu(name)));
    }
  }
}

TEST_CASE("a GPU computes in what its file has rates of") {
  for (const char* name : {"h100-sxm", "h200-sxm"}) {
    CHECK(has_rates(testing::gpu(name), row_of(Precision::fp8_cs)));
    CHECK(has_rates(testing::gpu(name), row_of(Precision::fp8_sc)));
    CHECK(!has_rates(testing::gpu(name), row_of(Precision::fp8_mx)));
    CHECK(!has_rates(testing::gpu(name), row_of(Precision::nvfp4)));
  }
  for (const char* name : {"b200-sxm", "gb200", "b300-sxm", "gb300"}) {
    for (const PrecisionRow& row : precision_rows()) CHECK(has_rates(testing::gpu(name), row));
  }
  CHECK(has_rates(testing::gpu("h100-sxm"), row_of(Precision::fp8)));
  CHECK(has_rates(testing::gpu("a100-sxm"), row_of(Precision::bf16)));
  CHECK(!has_rates(testing::gpu("a100-sxm"), row_of(Precision::fp8)));
}

}  // namespace simtrain::testing::precision_test
