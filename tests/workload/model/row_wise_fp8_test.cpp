// Row-wise FP8: which tensors are cast when, and in what they are kept and gathered.
#include <doctest/doctest.h>

#include "sim/workload/model/layers/model_parts.h"
#include "tests/workload/expanded.h"

namespace simtrain::testing::row_wise_fp8_test {

namespace {

// Llama 3.1 8B, a layer without tensor parallelism: elements of what its four products take in, put
// out and hold.
constexpr double kTokens = 8192;
constexpr double kInputs = kTokens * (3 * 4096 + 14336);
constexpr double kOutputs = kTokens * (6144 + 4096 + 2 * 14336 + 4096);
constexpr double kWeights = 4096.0 * (6144 + 4096 + 2 * 14336 + 14336);

Recipe rows(int tp = 1) {
  Recipe recipe = recipe_of("llama3.1-8b");
  recipe.training.precision = Precision::fp8_rowwise;
  recipe.parallelism.tensor_model_parallel_size = tp;
  recipe.parallelism.sequence_parallel = tp > 1;
  return recipe;
}

double bytes_of_kind(const Expanded& piece, StreamingKind kind) {
  double bytes = 0;
  for (const Streaming& kernel : piece.kernels<Streaming>()) {
    if (kernel.kind == kind) bytes += kernel.bytes;
  }
  return bytes;
}

}  // namespace

TEST_CASE("a forward casts along rows in one pass, a backward once more along columns in two") {
  const Expanded forward(rows(), {Part::layer, Phase::forward});
  CHECK(bytes_of_kind(forward, StreamingKind::cast) == 3 * kInputs);
  CHECK(bytes_of_kind(forward, StreamingKind::amax) == 0);
  const Expanded weights(rows(), {Part::layer, Phase::weight_cast});
  CHECK(bytes_of_kind(weights, StreamingKind::cast) == 3 * kWeights);
  const Expanded backward(rows(), {Part::layer, Phase::backward});
  CHECK(bytes_of_kind(backward, StreamingKind::cast) ==
        3 * kOutputs + 3 * (kWeights + kInputs + kOutputs));
  CHECK(bytes_of_kind(backward, StreamingKind::amax) == 2 * (kWeights + kInputs + kOutputs));
  for (const Gemm& gemm : backward.kernels<Gemm>()) {
    CHECK(gemm.type == DataType::fp8);
    CHECK(gemm.x_bytes == 1);
    CHECK(gemm.w_bytes == 1);
  }
}

TEST_CASE("full recompute casts weights for its forward again") {
  Recipe recipe = rows();
  const Expanded kept(recipe, {Part::layer, Phase::backward});
  recipe.recompute = Recompute::full;
  const Expanded again(recipe, {Part::layer, Phase::backward});
  CHECK(bytes_of_kind(again, StreamingKind::cast) - bytes_of_kind(kept, StreamingKind::cast) ==
        3 * (kWeights + kInputs));
}

TEST_CASE("a layer that is kept among recomputed ones runs as without recompute") {
  Recipe recipe = rows();
  const Expanded plain(recipe, {Part::layer, Phase::backward});
  recipe.recompute = Recompute::full;
  const Expanded whole(recipe, {Part::layer, Phase::backward});
  recipe.recompute_every_nth_layer = 4;
  REQUIRE(layers_of(recipe).kinds().size() == 2);
  const Expanded kept(recipe, {Part::layer, Phase::backward, layers_of(recipe).kind_of(0)});
  const Expanded again(recipe, {Part::layer, Phase::backward, layers_of(recipe).kind_of(3)});
  CHECK(kept.recorder.kernels.size() == plain.recorder.kernels.size());
  CHECK(again.recorder.kernels.size() == whole.recorder.kernels.size());
  CHECK(again.recorder.kernels.size() > kept.recorder.kernels.size());
}

TEST_CASE("rows are saved and gathered in BF16, and cast where they have arrived") {
  Recipe wide = rows(2);
  wide.training.precision = Precision::bf16;
  for (const Phase phase : {Phase::forward, Phase::backward}) {
    const Expanded mine(rows(2), {Part::layer, phase});
    const Expanded usual(wide, {Part::layer, phase});
    CHECK(mine.wire(Collective::all_gather) == usual.wire(Collective::all_gather));
    CHECK(mine.wire(Collective::reduce_scatter) == usual.wire(Collective::reduce_scatter));
  }
  CHECK(part_totals(rows(2), Part::layer).saved_bytes ==
        part_totals(wide, Part::layer).saved_bytes);
  // Of QKV and FC1 all rows, of the others half of the columns.
  const Expanded forward(rows(2), {Part::layer, Phase::forward});
  CHECK(bytes_of_kind(forward, StreamingKind::cast) ==
        3 * kTokens * (2 * 4096 + (4096 + 14336) / 2.0));
}

}  // namespace simtrain::testing::row_wise_fp8_test
