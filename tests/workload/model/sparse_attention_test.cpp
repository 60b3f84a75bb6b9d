// DeepSeek's sparse attention: what its layers hold, compute, send and keep.
#include <doctest/doctest.h>

#include "sim/workload/schedule/stage_layout.h"
#include "tests/workload/expanded.h"

namespace simtrain::testing::sparse_attention_test {

namespace {

constexpr Piece kForwardPass{Part::layer, Phase::forward};
constexpr Piece kBackwardPass{Part::layer, Phase::backward};

/// Dense layers of DeepSeek-V3.2 alone, with attention of one kind.
Recipe layers_of(BlockKind kind, int tp = 1, std::int64_t length = 8192) {
  Recipe recipe = recipe_of("deepseek-v3.2");
  recipe.model.layers = {{{kind, BlockKind::mlp}, 61, {}}};
  recipe.model.experts.reset();
  recipe.model.mtp_num_layers = 0;
  recipe.training.seq_length = length;
  recipe.training.micro_batch_size = 1;
  recipe.parallelism.tensor_model_parallel_size = tp;
  recipe.parallelism.sequence_parallel = tp > 1;
  return recipe;
}

std::vector<Attention> attention_of(const Recipe& recipe, const Piece& piece) {
  return Expanded(recipe, piece).kernels<Attention>();
}

double attention_flops(BlockKind kind, std::int64_t length) {
  return kernel_flops(attention_of(layers_of(kind, 1, length), kForwardPass).back());
}

}  // namespace

TEST_CASE(
    "an indexer adds its projections and a norm to a layer, on each tensor rank all of them") {
  const std::int64_t indexer = 1536 * 64 * 128 + 7168 * (128 + 64) + 2 * 128;
  for (const int tp : {1, 4}) {
    const auto parameters = [&](BlockKind kind) {
      return part_totals(layers_of(kind, tp), Part::layer).parameters;
    };
    CHECK(parameters(BlockKind::dsa) - parameters(BlockKind::mla) == indexer);
    CHECK(parameters(BlockKind::dsa_shared) == parameters(BlockKind::mla));
  }
}

TEST_CASE("heads share the latents as keys, of which a query sees those that were chosen") {
  const std::vector<Attention> kernels = attention_of(layers_of(BlockKind::dsa, 4), kForwardPass);
  REQUIRE(kernels.size() == 2);
  CHECK(kernels[0].heads == 64);  // each rank of the TP group scores all queries
  CHECK(kernels[0].queries == 8192);
  CHECK(kernels[0].keys == 4096);  // in the mean
  CHECK(kernels[1].heads == 32);
  CHECK(kernels[1].head_dimension == 512 + 64);
  CHECK(kernels[1].value_dimension == 512);
  CHECK(kernels[1].window == 2048);
  CHECK(attention_of(layers_of(BlockKind::dsa_shared, 4), kForwardPass).size() == 1);
}

TEST_CASE("attention to chosen keys grows with the sequence, attention to all with its square") {
  CHECK(attention_flops(BlockKind::mla, 65536) ==
        doctest::Approx(4 * attention_flops(BlockKind::mla, 32768)).epsilon(0.01));
  CHECK(attention_flops(BlockKind::dsa, 65536) ==
        doctest::Approx(2 * attention_flops(BlockKind::dsa, 32768)).epsilon(0.04));
  // As wide heads are, short sequences are dearer: 1088 columns a pair against 320.
  CHECK(attention_flops(BlockKind::dsa, 4096) > attention_flops(BlockKind::mla, 4096));
  CHECK(attention_flops(BlockKind::dsa, 65536) < attention_flops(BlockKind::mla, 65536) / 4);
  const auto scores = [](std::int64_t length) {
    const Recipe recipe = layers_of(BlockKind::dsa, 1, length);
    return kernel_flops(attention_of(recipe, kForwardPass).front());
  };
  CHECK(scores(65536) == doctest::Approx(4 * scores(32768)));
}

TEST_CASE("a sequence that is no longer than the chosen keys sees all of them") {
  const Attention kernel = attention_of(layers_of(BlockKind::dsa, 1, 2048), kForwardPass).back();
  Attention whole = kernel;
  whole.window = 0;
  CHECK(kernel_flops(kernel) == doctest::Approx(kernel_flops(whole)).epsilon(0.001));
}

TEST_CASE("the indexer learns what attention looked at, and gives its input no gradient") {
  CHECK(attention_of(layers_of(BlockKind::dsa), kBackwardPass).size() == 3);
  const auto gemms = [](BlockKind kind, const Piece& piece) {
    return Expanded(layers_of(kind), piece).flops<Gemm>();
  };
  const double forward =
      gemms(BlockKind::dsa, kForwardPass) - gemms(BlockKind::dsa_shared, kForwardPass);
  const double backward =
      gemms(BlockKind::dsa, kBackwardPass) - gemms(BlockKind::dsa_shared, kBackwardPass);
  CHECK(forward == doctest::Approx(2.0 * 8192 * (1536 * 64 * 128 + 7168 * (128 + 64))));
  CHECK(backward == doctest::Approx(forward));
}

TEST_CASE(
    "model FLOPs of sparse attention are those of the pairs that it sees, and of its indexer: all "
    "scores, and two gradients of those of chosen keys") {
  const auto square = [](BlockKind kind, std::int64_t length) {
    return part_totals(layers_of(kind, 1, length), Part::layer).flops.attention_square;
  };
  const double pairs = 65536.0 * 65536.0;
  const double seen = 2.0 * 2048 * 65536 - 2048.0 * 2048.0;
  CHECK(square(BlockKind::mla, 65536) == doctest::Approx(2 * pairs * 128 * 320));
  CHECK(square(BlockKind::dsa_shared, 65536) == doctest::Approx(2 * seen * 128 * 320));
  CHECK(square(BlockKind::dsa, 65536) ==
        doctest::Approx(2 * seen * 128 * 320 + 2 * (pairs + 2 * seen) / 3 * 64 * 128));
  CHECK(square(BlockKind::dsa, 2048) - square(BlockKind::dsa_shared, 2048) ==
        doctest::Approx(2 * 2048.0 * 2048.0 * 64 * 128));
}

TEST_CASE("each query keeps its keys and their scores") {
  const auto saved = [](BlockKind kind) {
    return part_totals(layers_of(kind), Part::layer).saved_bytes;
  };
  const double projected = 2.0 * 8192 * (64 * 128 + 128 + 64);
  CHECK(saved(BlockKind::dsa) - saved(BlockKind::dsa_shared) == projected + 8.0 * 2048 * 8192);
}

}  // namespace simtrain::testing::sparse_attention_test
