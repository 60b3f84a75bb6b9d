// Attention over windows, chunks and latents, hybrids, further losses: what their layers compute,
// hold and keep.
#include <algorithm>
#include <array>

#include <doctest/doctest.h>

#include "sim/workload/model/operators/attention/attention_operators.h"
#include "sim/workload/schedule/stage_layout.h"
#include "tests/workload/expanded.h"

namespace simtrain::testing::attention_blocks_test {

namespace {

constexpr Piece kForward{Part::layer, Phase::forward};
constexpr Piece kBackward{Part::layer, Phase::backward};

Recipe cut(const std::string& model, int tp) {
  Recipe recipe = recipe_of(model);
  recipe.parallelism.tensor_model_parallel_size = tp;
  recipe.parallelism.sequence_parallel = tp > 1;
  return recipe;
}

double gflop_of_token(const std::string& model, std::int64_t sequence, double square) {
  const ModelFlops flops = model_flops(recipe_of(model).model, sequence);
  return 3 * (flops.products + square * flops.attention_square) / static_cast<double>(sequence) /
         1e9;
}

/// Core attention over the query groups of Llama 3.1 8B.
Attention attention_over(AttentionSpan span) {
  Recipe recipe = recipe_of("llama3.1-8b");
  recipe.model.layers = {{{BlockKind::swa, BlockKind::mlp}, 32, {}}};
  recipe.model.window_size = span.window;
  if (span.chunk > 0) {
    recipe.model.layers = {{{BlockKind::chunked_gqa, BlockKind::mlp}, 32, {}}};
    recipe.model.attention_chunk_size = span.chunk;
  }
  return Expanded(recipe, kForward).kernels<Attention>().front();
}

double seconds(const Attention& attention) {
  const GpuSpec h100 = gpu("h100-sxm");
  return to_seconds(FittedKernelModel(h100).time(attention).time);
}

}  // namespace

TEST_CASE("a window counts its own keys, and none that all keys are in changes anything") {
  const Attention whole = attention_over({});
  const auto length = static_cast<double>(whole.queries);
  for (const std::int64_t window : {1, 128, 1024, 8191}) {
    CAPTURE(window);
    const auto keys = static_cast<double>(window);
    CHECK(kernel_flops(attention_over({.window = window})) ==
          doctest::Approx(kernel_flops(whole) * (2 * keys - keys * keys / length) / length));
  }
  CHECK(seconds(attention_over({.window = 8192})) == seconds(whole));
  CHECK(seconds(attention_over({.window = 100000})) == seconds(whole));
}

TEST_CASE("attention takes longer the wider its window is, and never longer than over all keys") {
  double before = 0;
  for (std::int64_t window = 1; window <= 8192; window *= 2) {
    const double time = seconds(attention_over({.window = window}));
    CAPTURE(window);
    CHECK(time > before);
    before = time;
  }
  CHECK(seconds(attention_over({.window = 8191})) ==
        doctest::Approx(seconds(attention_over({}))).epsilon(0.001));
  CHECK(seconds(attention_over({.window = 128})) < seconds(attention_over({})) / 8);
}

TEST_CASE("chunks are sequences of their own") {
  const Attention chunked = attention_over({.chunk = 2048});
  CHECK(chunked.batch == 4);
  CHECK(chunked.queries == 2048);
  CHECK(chunked.keys == 2048);
  CHECK(attention_over({.chunk = 16384}).batch == 1);
}

TEST_CASE("FLOPs of latents, windows, hybrids and further losses are those of the formulas") {
  // GFLOP a token, forward and backward, published or by Megatron's formula; routers are counted
  // here alone.
  CHECK(gflop_of_token("deepseek-v2", 4096, 1) == doctest::Approx(185.2).epsilon(0.01));
  CHECK(gflop_of_token("deepseek-v3", 4096, 0.5) == doctest::Approx(260.0).epsilon(0.01));
  CHECK(gflop_of_token("kimi-k2", 4096, 0.5) == doctest::Approx(204.5).epsilon(0.01));
  CHECK(gflop_of_token("gpt-oss-20b", 4096, 0.5) == doctest::Approx(22.9).epsilon(0.01));
  CHECK(gflop_of_token("gpt-oss-120b", 4096, 0.5) == doctest::Approx(32.6).epsilon(0.01));
  CHECK(gflop_of_token("nemotron3-nano-30b-a3b", 8192, 0.5) == doctest::Approx(20.8).epsilon(0.01));
  CHECK(gflop_of_token("nemotron3-super-120b-a12b", 8192, 0.5) ==
        doctest::Approx(75.4).epsilon(0.01));
}

TEST_CASE("latents and what makes them are whole on each rank of a tensor group, heads are not") {
  const PartTotals whole = part_totals(cut("deepseek-v3", 1), Part::layer);
  const PartTotals part = part_totals(cut("deepseek-v3", 4), Part::layer);
  const std::int64_t norms = 2 * 7168 + 1536 + 512;
  const std::int64_t down = 7168 * (1536 + 512 + 64);
  CHECK(part.replicated_parameters == norms + down);
  CHECK(whole.parameters - norms - down == 4 * (part.parameters - norms - down));
}

TEST_CASE("latent attention multiplies keys of one size by values of another") {
  const Expanded forward(cut("deepseek-v3", 4), kForward);
  const Attention attention = forward.kernels<Attention>().front();
  CHECK(attention.heads == 32);
  CHECK(attention.head_dimension == 192);
  CHECK(attention.value_dimension == 128);
  // Down-projections see the rank's own tokens, up-projections those of the group.
  const std::vector<Gemm> gemms = forward.kernels<Gemm>();
  CHECK(gemms[0].m == 2048);
  CHECK(gemms[0].n == 1536);
  CHECK(gemms[1].m == 8192);
  CHECK(gemms[1].n == 32 * 192);
  CHECK(gemms[1].k == 1536);
  CHECK(gemms[2].n == 512 + 64);
  CHECK(gemms[3].n == 32 * 256);
  // Twice as much backward, beside what recompute adds.
  const double once = forward.flops<Gemm>();
  Recipe recipe = cut("deepseek-v3", 4);
  CHECK(Expanded(recipe, kBackward).flops<Gemm>() == doctest::Approx(2 * once));
  recipe.recompute = Recompute::selective;
  recipe.recompute_modules = {RecomputeModule::mla_up_proj};
  CHECK(Expanded(recipe, kBackward).flops<Gemm>() ==
        doctest::Approx(2 * once + 2.0 * 8192 * 32 * (192.0 * 1536 + 256.0 * 512)));
}

TEST_CASE("mla_up_proj drops queries, keys and values") {
  Recipe recipe = cut("deepseek-v3", 1);
  const PartTotals kept = part_totals(recipe, Part::layer);
  recipe.recompute = Recompute::selective;
  recipe.recompute_modules = {RecomputeModule::mla_up_proj};
  const PartTotals dropped = part_totals(recipe, Part::layer);
  CHECK(kept.saved_bytes - dropped.saved_bytes == 2.0 * 8192 * 128 * (192 + 192 + 128));
  CHECK(kept.parameters == dropped.parameters);
}

TEST_CASE("a depth of multi-token prediction is a layer, a projection and a loss more at the end") {
  Recipe recipe = cut("deepseek-v3", 1);
  const PartTotals with = part_totals(recipe, Part::head);
  const PartTotals last = ModelTotals(recipe).layer(60);
  recipe.model.mtp_num_layers = 0;
  const PartTotals without = part_totals(recipe, Part::head);
  CHECK(with.parameters - without.parameters ==
        last.parameters + 2 * 7168 * 7168 + 2 * 7168 + 7168);
  CHECK(
      with.flops.products - without.flops.products ==
      doctest::Approx(last.flops.products + without.flops.products + 2.0 * 8192 * 2 * 7168 * 7168));
  // The table of embeddings is kept again where the first stage is another.
  recipe.model.mtp_num_layers = 1;
  recipe.parallelism.pipeline_model_parallel_size = 61;
  CHECK(part_totals(recipe, Part::head).parameters - with.parameters == 129280L * 7168);
}

TEST_CASE("a pattern's letters are layers of one block") {
  const Recipe recipe = cut("nemotron3-nano-30b-a3b", 1);
  const LayerList list(recipe.model);
  REQUIRE(list.kinds().size() == 3);
  CHECK(list.kinds()[0].blocks == std::vector{BlockKind::mamba});
  CHECK(list.kinds()[0].layers == 23);
  CHECK(list.kinds()[1].blocks == std::vector{BlockKind::moe});
  CHECK(list.kinds()[1].layers == 23);
  CHECK(list.kinds()[2].blocks == std::vector{BlockKind::gqa});
  CHECK(list.kinds()[2].layers == 6);
  CHECK(list.kind_of(5) == 2);
}

TEST_CASE("tied embeddings are one table on one stage, and two where stages are more") {
  Recipe recipe = recipe_of("llama3.1-8b");
  const std::int64_t table = recipe.model.vocab_size * recipe.model.hidden_size;
  const std::int64_t untied = model_parameters(recipe.model);
  recipe.model.share_embeddings_and_output_weights = true;
  CHECK(model_parameters(recipe.model) == untied - table);
  CHECK_FALSE(recipe.holds_table_twice());
  recipe.parallelism.pipeline_model_parallel_size = 2;
  const ModelTotals totals(recipe);
  CHECK(stage_parameters(recipe, totals, 0) + stage_parameters(recipe, totals, 1) == untied);
  CHECK(recipe.holds_table_twice());
}

TEST_CASE("a V and both ends hold the table of embeddings once on the stage with both ends") {
  Recipe recipe = recipe_of("llama3.1-8b");
  const std::int64_t untied = model_parameters(recipe.model);
  const std::int64_t table = recipe.model.vocab_size * recipe.model.hidden_size;
  recipe.parallelism.pipeline_model_parallel_size = 2;
  const auto stages = [&recipe](PipelineSchedule schedule, int chunks) {
    recipe.parallelism.pipeline_schedule = schedule;
    recipe.parallelism.virtual_pipeline_model_parallel_size = chunks;
    recipe.model.share_embeddings_and_output_weights = true;
    CHECK_FALSE(recipe.holds_table_twice());
    const ModelTotals totals(recipe);
    return std::array{stage_parameters(recipe, totals, 0), stage_parameters(recipe, totals, 1)};
  };
  const auto in_v = stages(PipelineSchedule::zero_bubble_v, 2);
  CHECK(in_v[0] + in_v[1] == untied - table);
  const auto two_copies = stages(PipelineSchedule::dual_pipe, 1);
  CHECK(two_copies == std::array{untied - table, untied - table});
}

TEST_CASE("more tokens are predicted from the table on the stage with both ends") {
  Recipe recipe = recipe_of("deepseek-v3");
  const std::int64_t table = recipe.model.vocab_size * recipe.model.hidden_size;
  recipe.parallelism.pipeline_model_parallel_size = 2;
  const ModelTotals apart(recipe);
  recipe.parallelism.pipeline_schedule = PipelineSchedule::dual_pipe;
  const ModelTotals both_ends(recipe);
  CHECK(apart.head().parameters - both_ends.head().parameters == table);
}

TEST_CASE("norms of queries and keys, biases and sinks are parameters of their own") {
  const auto added = [](auto change) {
    Recipe recipe = recipe_of("llama3.1-8b");
    const std::int64_t before = part_totals(recipe, Part::layer).parameters;
    change(recipe.model);
    return part_totals(recipe, Part::layer).parameters - before;
  };
  CHECK(added([](ModelSpec& model) { model.qk_layernorm = true; }) == 2 * 128);
  CHECK(added([](ModelSpec& model) { model.add_qkv_bias = true; }) == 6144);
  CHECK(added([](ModelSpec& model) { model.add_bias_linear = true; }) ==
        6144 + 4096 + 2 * 14336 + 4096);
  CHECK(added([](ModelSpec& model) { model.softmax_type = SoftmaxType::learnable; }) == 32);
}

}  // namespace simtrain::testing::attention_blocks_test
