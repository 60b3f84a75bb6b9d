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

TEST_CASE("recompute that stops early does not run the product again that nobody reads") {
  const auto again = [](Recipe recipe, bool early) {
    recipe.software.recompute_early_stop = Sourced<bool>{early, ""};
    Recipe none = recipe;
    none.recompute = Recompute::none;
    return Expanded(recipe, kBackward).flops<Gemm>() - Expanded(none, kBackward).flops<Gemm>();
  };
  Recipe full = with(Recompute::full);
  const double last = 2 * kTokens * kFfn * kHidden;
  CHECK(again(full, false) - again(full, true) == doctest::Approx(last));
  const Recipe except_mlp = with(Recompute::save_dot_except_mlp);
  CHECK(again(except_mlp, true) == doctest::Approx(2 * last));
  full.model.hidden_dropout = 0.1;  // whose mask is kept
  CHECK(again(full, true) == again(full, false));
  full.model.hidden_dropout = 0;
  full.training.precision = Precision::fp8;  // what FC2 takes in is kept quantized
  CHECK(again(full, false) - again(full, true) == doctest::Approx(last));
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
