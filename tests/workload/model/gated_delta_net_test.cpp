// Gated linear attention: what its layers hold, compute and keep.
#include <doctest/doctest.h>

#include "sim/workload/schedule/stage_layout.h"
#include "tests/workload/expanded.h"

namespace simtrain::testing::gated_delta_net_test {

namespace {

constexpr Piece kForwardPass{Part::layer, Phase::forward};
constexpr Piece kBackwardPass{Part::layer, Phase::backward};

/// Qwen3-Next of delta layers alone, with dense MLPs.
Recipe delta_layers(int tp) {
  Recipe recipe = recipe_of("qwen3-next-80b-a3b");
  recipe.model.layers = {{{BlockKind::gated_delta_net}, 48, {}}};
  recipe.model.experts.reset();
  recipe.model.mtp_num_layers = 0;
  recipe.parallelism.tensor_model_parallel_size = tp;
  recipe.parallelism.sequence_parallel = tp > 1;
  return recipe;
}

}  // namespace

TEST_CASE("Qwen3-Next has the parameters that its publisher states") {
  ModelSpec model = recipe_of("qwen3-next-80b-a3b").model;
  // Elements of the safetensors files, multi-token prediction among them.
  CHECK(model_parameters(model) == 81324862720);
  model.mtp_num_layers = 0;
  CHECK(model_parameters(model) == 79674391296);  // "80B"; 79B without the embeddings
}

TEST_CASE("a delta layer holds its projections, its convolution and three small tensors") {
  const PartTotals whole = part_totals(delta_layers(1), Part::layer);
  const std::int64_t in_proj = 2048 * (2 * 2048 + 2 * 4096 + 2 * 32);
  const std::int64_t out_proj = 4096 * 2048;
  CHECK(whole.parameters == 2048 + in_proj + 8192 * 4 + 2 * 32 + 128 + out_proj);
  const PartTotals part = part_totals(delta_layers(4), Part::layer);
  CHECK(part.parameters == 2048 + 128 + (whole.parameters - 2048 - 128) / 4);
  CHECK(part.replicated_parameters == 2048 + 128);
}

TEST_CASE("FLOPs of a delta layer grow with the sequence, not with its square") {
  const auto flops = [](std::int64_t length) {
    Recipe recipe = delta_layers(1);
    recipe.training.seq_length = length;
    return part_totals(recipe, Part::layer).flops;
  };
  CHECK(flops(8192).attention_square == 0);
  CHECK(flops(8192).products == doctest::Approx(2 * flops(4096).products));
  // Megatron's count: projections, four products of a state for each head, the convolution.
  const double token = 2.0 * 2048 * (2 * 2048 + 2 * 4096 + 2 * 32) + 2.0 * 4096 * 2048 +
                       2.0 * 4 * 32 * 128 * 128 + 2.0 * 4 * 8192;
  CHECK(flops(4096).products == doctest::Approx(4096 * token));
}

TEST_CASE("the rule's products are cut over tensor ranks, and backward has more of them") {
  const double whole = Expanded(delta_layers(1), kForwardPass).flops<Gemm>();
  const double part = Expanded(delta_layers(4), kForwardPass).flops<Gemm>();
  CHECK(part == doctest::Approx(whole / 4));
  const double backward = Expanded(delta_layers(1), kBackwardPass).flops<Gemm>();
  CHECK(backward > 2 * whole);
  CHECK(backward < 3 * whole);
  CHECK(Expanded(delta_layers(1), kForwardPass).kernels<Attention>().empty());
}

TEST_CASE("the products of the rule are what its formulas say") {
  const Recipe recipe = delta_layers(1);
  double rule = 0;
  for (const Gemm& gemm : Expanded(recipe, kForwardPass).kernels<Gemm>()) {
    if (gemm.groups > 1) rule += kernel_flops(gemm);
  }
  // By token and head: K K' and its inverse, W and U, W S, the state, Q S, Q K' and its values.
  const double c = 64;
  const double d = 128;
  const double token = 2 * (c * d + c * c / 2 + c * 2 * d + d * d + d * d + d * d + c * d + c * d);
  CHECK(rule == doctest::Approx(8192.0 * 32 * token));
}

TEST_CASE("a delta layer keeps as much of each token whatever the sequence") {
  const auto saved = [](std::int64_t length, int tp) {
    Recipe recipe = delta_layers(tp);
    recipe.training.seq_length = length;
    return part_totals(recipe, Part::layer).saved_bytes / static_cast<double>(length);
  };
  CHECK(saved(8192, 1) == doctest::Approx(saved(4096, 1)));
  CHECK(saved(8192, 4) == doctest::Approx(saved(8192, 1) / 4));
  // Norm's input and output; in_proj's output; q, k, v behind the convolution; inverses and decay;
  // the rule's output, and gated what out_proj reads.
  const double token = 2 * 2 * 2048 + 2 * (8192 + 4096 + 64) + 2 * (2 * 4096 + 4096) +
                       32 * (2 * 64 + 4) + 2 * 4096 + 2 * 4096;
  CHECK(saved(8192, 1) == doctest::Approx(token));
}

TEST_CASE("an output gate doubles the columns of queries and keeps them") {
  Recipe recipe = recipe_of("llama3.1-8b");
  const PartTotals plain = part_totals(recipe, Part::layer);
  recipe.model.attention_output_gate = true;
  const PartTotals gated = part_totals(recipe, Part::layer);
  CHECK(gated.parameters - plain.parameters == 4096 * 4096);
  // The gate, and what it scaled.
  CHECK(gated.saved_bytes - plain.saved_bytes == 2.0 * 2 * 4096 * 8192);
}

}  // namespace simtrain::testing::gated_delta_net_test
