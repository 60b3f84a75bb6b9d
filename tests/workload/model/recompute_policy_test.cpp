// What policies of recompute keep of a layer, and what a backward runs again.
#include <doctest/doctest.h>

#include "sim/workload/model/layers/model_parts.h"
#include "tests/workload/expanded.h"

namespace simtrain::testing::recompute_policy_test {

namespace {

constexpr Piece kForward{Part::layer, Phase::forward};
constexpr Piece kBackward{Part::layer, Phase::backward};

// Llama 3.1 8B whole on a rank: 8192 tokens of hidden size 4096, 8 of 32 heads for keys, values.
constexpr double kTokens = 8192;
constexpr double kHidden = 4096;
constexpr double kKeys = 1024;
constexpr double kFfn = 14336;

Recipe with(Recompute recompute) {
  Recipe recipe = recipe_of("llama3.1-8b");
  recipe.recompute = recompute;
  return recipe;
}

template <class Kind>
double flops_again(Recompute recompute) {
  return Expanded(with(recompute), kBackward).flops<Kind>() -
         Expanded(with(Recompute::none), kBackward).flops<Kind>();
}

double kept(Recompute recompute) { return part_totals(with(recompute), Part::layer).saved_bytes; }

}  // namespace

TEST_CASE("policies that keep products run none again; torchtitan's runs every other one again") {
  CHECK(flops_again<Gemm>(Recompute::checkpoint_dots) == 0);
  CHECK(flops_again<Gemm>(Recompute::minimal_flash) == 0);
  const double weights = kHidden * kKeys + kHidden * kHidden + kHidden * kFfn;  // k, output, w3
  CHECK(flops_again<Gemm>(Recompute::selective_op) == doctest::Approx(2 * kTokens * weights));
}

TEST_CASE("attention runs again where its result is not kept") {
  const double once = Expanded(with(Recompute::none), kForward).flops<Attention>();
  CHECK(once > 0);
  CHECK(flops_again<Attention>(Recompute::checkpoint_dots) == doctest::Approx(once));
  CHECK(flops_again<Attention>(Recompute::minimal_flash) == 0);
  CHECK(flops_again<Attention>(Recompute::selective_op) == 0);
}

TEST_CASE("a policy keeps the input of a layer and the results that it names") {
  const double input = 2 * kTokens * kHidden;
  const double products = 2 * kTokens * (kHidden + 2 * kKeys + kHidden + 2 * kFfn + kHidden);
  CHECK(kept(Recompute::checkpoint_dots) == doctest::Approx(input + products));
  CHECK(kept(Recompute::minimal_flash) == doctest::Approx(2 * input + products));
  const double again = 2 * kTokens * (kKeys + kHidden + kFfn);
  CHECK(kept(Recompute::selective_op) == doctest::Approx(2 * input + products - again));
  CHECK(kept(Recompute::selective_op) < kept(Recompute::none));
  CHECK(kept(Recompute::full) < kept(Recompute::selective_op));
}

TEST_CASE("MaxText's policies keep what they name and run the other products again") {
  const double input = 2 * kTokens * kHidden;
  const double qkv = kHidden + 2 * kKeys;
  const double all = kHidden * (qkv + kHidden + 3 * kFfn);
  const auto again = [](Recompute way) { return flops_again<Gemm>(way) / (2 * kTokens); };
  CHECK(again(Recompute::save_qkv_proj) == doctest::Approx(all - kHidden * qkv));
  CHECK(again(Recompute::save_out_proj) == doctest::Approx(all - kHidden * kHidden));
  CHECK(again(Recompute::save_dot_except_mlp) == doctest::Approx(3 * kHidden * kFfn));
  CHECK(again(Recompute::save_dot_except_mlpwi) == doctest::Approx(2 * kHidden * kFfn));
  CHECK(kept(Recompute::save_qkv_proj) == doctest::Approx(input + 2 * kTokens * qkv));
  CHECK(kept(Recompute::save_dot_except_mlp) == doctest::Approx(2 * input + 2 * kTokens * qkv));
  CHECK(kept(Recompute::save_dot_with_context_except_mlp) ==
        doctest::Approx(3 * input + 2 * kTokens * qkv));
  CHECK(flops_again<Attention>(Recompute::save_dot_with_context_except_mlp) == 0);
  CHECK(flops_again<Attention>(Recompute::save_dot_except_mlp) > 0);
}

/// The same with recompute that stops early or does not.
Recipe stopping(Recipe recipe, bool early) {
  recipe.software.recompute_early_stop = Sourced<bool>{early, ""};
  return recipe;
}

/// Products that a backward runs no more where recompute stops early.
double flops_left_out(const Recipe& recipe) {
  return Expanded(stopping(recipe, false), kBackward).flops<Gemm>() -
         Expanded(stopping(recipe, true), kBackward).flops<Gemm>();
}

TEST_CASE("recompute that stops early does not run the product again that nobody reads") {
  const double last = 2 * kTokens * kFfn * kHidden;
  Recipe full = with(Recompute::full);
  CHECK(flops_left_out(full) == doctest::Approx(last));
  CHECK(flops_left_out(with(Recompute::save_dot_except_mlp)) == doctest::Approx(last));
  CHECK(flops_left_out(with(Recompute::none)) == 0);
  full.training.precision = Precision::fp8;  // what FC2 takes in is kept quantized
  CHECK(flops_left_out(full) == doctest::Approx(last));
  full.training.precision = Precision::bf16;
  full.model.hidden_dropout = 0.1;  // whose mask is kept
  CHECK(flops_left_out(full) == 0);
}

TEST_CASE("nor what sums it over TP ranks, and a policy keeps no such result") {
  Recipe recipe = with(Recompute::full);
  recipe.parallelism.tensor_model_parallel_size = 2;
  const auto calls = [&](bool early) {
    return Expanded(stopping(recipe, early), kBackward).transfers(Stream::tensor).size();
  };
  CHECK(calls(true) + 1 == calls(false));
  const auto saved = [](bool early) {
    return part_totals(stopping(with(Recompute::minimal_flash), early), Part::layer).saved_bytes;
  };
  CHECK(saved(false) - saved(true) == doctest::Approx(2 * kTokens * kHidden));
}

TEST_CASE("of experts the last product and the way back, unless a product behind keeps them") {
  Recipe recipe = recipe_of("mixtral-8x7b");
  recipe.recompute = Recompute::full;
  const auto tokens = static_cast<double>(recipe.training.seq_length) *
                      static_cast<double>(recipe.training.micro_batch_size);
  const double hidden = 4096;
  const double attention = 2 * tokens * hidden * (2 * hidden + 2 * 1024);
  const double experts = Expanded(recipe, kForward).flops<Gemm>() - attention;
  CHECK(flops_left_out(recipe) == doctest::Approx(experts / 3).epsilon(0.001));
  recipe.model.experts->moe_latent_size = 1024;
  CHECK(flops_left_out(recipe) == doctest::Approx(2 * tokens * 1024 * hidden));
}

TEST_CASE("no sum over TP ranks is made again, nor the product before it") {
  Recipe recipe = with(Recompute::selective_op);
  recipe.parallelism.tensor_model_parallel_size = 2;
  Recipe none = recipe;
  none.recompute = Recompute::none;
  const double weights = kHidden * kKeys + kHidden * kFfn;
  CHECK(Expanded(recipe, kBackward).flops<Gemm>() - Expanded(none, kBackward).flops<Gemm>() ==
        doctest::Approx(kTokens * weights));
}

TEST_CASE("products add weight gradients to a buffer unless each micro-batch's are reduced") {
  Recipe recipe = with(Recompute::none);
  recipe.optimizer.grad_reduce_dtype = DataType::fp32;
  const auto adding = [](const Recipe& of) {
    int count = 0;
    for (const Gemm& gemm : Expanded(of, kBackward).kernels<Gemm>()) {
      CHECK((gemm.output == DataType::fp32) == gemm.accumulate);
      count += gemm.accumulate ? 1 : 0;
    }
    return count;
  };
  CHECK(adding(recipe) == 4);
  recipe.sharding.strategy = Sharding::fsdp2;
  CHECK(adding(recipe) == 0);
  recipe.sharding.strategy = Sharding::megatron_fsdp;
  CHECK(adding(recipe) == 4);
}

}  // namespace simtrain::testing::recompute_policy_test
