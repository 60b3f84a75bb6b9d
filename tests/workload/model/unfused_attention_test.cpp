// Attention whose scores go through memory: kernels, what they keep, and that they take longer.
#include <doctest/doctest.h>

#include "sim/workload/model/layers/model_parts.h"
#include "sim/workload/model/layers/piece_program.h"
#include "sim/workload/model/operators/attention/attention_operators.h"
#include "tests/workload/recipes.h"

namespace simtrain::testing::unfused_attention_test {

namespace {

Recipe unfused(double dropout = 0) {
  Recipe recipe = llama_8b();
  recipe.software.attention.value = AttentionKernel::unfused;
  recipe.model.attention_dropout = dropout;
  return recipe;
}

Program layer(const Recipe& recipe, Phase phase) {
  const ClusterSpec cluster = load_cluster(data_folder(), "dgx-superpod-h100", 1, {});
  const FittedKernelModel model(cluster.gpu);
  RankLayouts layouts([](GroupKind) { return GroupLayout(); });
  return piece_program({recipe, cluster, model, layouts}, {Part::layer, phase});
}

struct Attended {
  double gemm_flops = 0;
  double bytes = 0;  ///< of memory-bound kernels
  double seconds = 0;
};

Attended attended(const Recipe& recipe, Phase phase) {
  Attended result;
  const Program program = layer(recipe, phase);
  for (std::size_t i = 0; i < program.ops.size(); ++i) {
    const OpNote& note = program.notes[i];
    if (note.module != "core_attention" || !note.kernel) continue;
    result.seconds += to_seconds(program.compute_costs[program.ops[i].cost].time);
    if (const auto* streaming = std::get_if<Streaming>(&*note.kernel))
      result.bytes += streaming->bytes;
    else
      result.gemm_flops += kernel_flops(*note.kernel);
  }
  return result;
}

/// Of all heads, the whole square.
double scores(const Recipe& recipe) {
  const auto sequence = static_cast<double>(recipe.training.seq_length);
  return static_cast<double>(recipe.training.micro_batch_size * recipe.model.num_attention_heads) *
         sequence * sequence;
}

double saved(const Recipe& recipe) {
  double bytes = 0;
  for (const SavedTensor& tensor :
       core_attention(RankShape(recipe), grouped_attention(RankShape(recipe))).saved)
    bytes += tensor.bytes;
  return bytes;
}

}  // namespace

TEST_CASE("Unfused attention multiplies the whole square, twice forward and four times backward") {
  const Recipe recipe = unfused();
  const double product = 2 * scores(recipe) * static_cast<double>(recipe.model.kv_channels);
  CHECK(attended(recipe, Phase::forward).gemm_flops == doctest::Approx(2 * product));
  CHECK(attended(recipe, Phase::backward).gemm_flops == doctest::Approx(4 * product));
}

TEST_CASE(
    "Its softmax reads the half below the diagonal; dropout passes over all of it with a mask") {
  const double square = scores(unfused());
  CHECK(attended(unfused(), Phase::forward).bytes == doctest::Approx(3 * square));
  CHECK(attended(unfused(), Phase::backward).bytes == doctest::Approx(4 * square));
  CHECK(attended(unfused(0.1), Phase::forward).bytes == doctest::Approx((3 + 5) * square));
  CHECK(attended(unfused(0.1), Phase::backward).bytes == doctest::Approx((4 + 5) * square));
}

TEST_CASE("Scores that Megatron's softmax does not take go through PyTorch in FP32") {
  // One sample of 6 heads a rank: no multiple of four.
  Recipe recipe = unfused();
  recipe.model.num_attention_heads = 6;
  recipe.model.num_query_groups = 6;
  const double square = scores(recipe);
  CHECK(attended(recipe, Phase::forward).bytes == doctest::Approx(37 * square));
  CHECK(attended(recipe, Phase::backward).bytes == doctest::Approx(41 * square));
  Recipe twice = recipe;
  twice.training.micro_batch_size = 2;
  CHECK(attended(twice, Phase::forward).bytes == doctest::Approx(3 * scores(twice)));
  Recipe eager = unfused();  // which Megatron's softmax would take
  eager.software.masked_softmax = Sourced<Fusion>{Fusion::eager, "a test"};
  CHECK(attended(eager, Phase::forward).bytes == doctest::Approx(37 * scores(eager)));
  // Those of FP32 need no conversions, and keep what the product reads alone.
  Recipe wide = unfused();
  wide.training.precision = Precision::tf32;
  CHECK(attended(wide, Phase::forward).bytes == doctest::Approx((37 - 12) * scores(wide)));
  const auto kept = [](const Recipe& of) {
    return unfused_attention(RankShape(of), grouped_attention(RankShape(of))).saved.front().bytes;
  };
  CHECK(kept(recipe) == doctest::Approx((2 + 4) * square));
  CHECK(kept(wide) == doctest::Approx(4 * scores(wide)));
}

TEST_CASE("It takes several times as long as a fused kernel") {
  for (const Phase phase : {Phase::forward, Phase::backward})
    CHECK(attended(unfused(), phase).seconds > 2 * attended(llama_8b(), phase).seconds);
}

TEST_CASE("It keeps 2 bytes a score, with dropout 5, which recompute of the core drops") {
  const double square = scores(unfused());
  const double fused = saved(llama_8b());
  const Recipe recipe = unfused();
  const double log_sums =
      4 * static_cast<double>(recipe.tokens() * recipe.model.num_attention_heads);
  CHECK(saved(unfused()) - fused == doctest::Approx(2 * square - log_sums));
  CHECK(saved(unfused(0.1)) - fused == doctest::Approx(5 * square - log_sums));
  for (const SavedTensor& tensor :
       unfused_attention(RankShape(recipe), grouped_attention(RankShape(recipe))).saved)
    CHECK(tensor.dropped_by == RecomputeModule::core_attn);
}

}  // namespace simtrain::testing::unfused_attention_test
