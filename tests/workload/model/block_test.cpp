// Blocks: what their operators say once, and what follows from it by folding.
#include "sim/workload/model/blocks/block.h"

#include <algorithm>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "sim/workload/model/layers/model_parts.h"
#include "sim/workload/model/layers/piece_program.h"
#include "tests/workload/recipes.h"

namespace simtrain::testing::block_test {

namespace {

/// A piece on one rank of H100s.
Program program_of(const Recipe& recipe, const Piece& piece) {
  const ClusterSpec cluster = load_cluster(data_folder(), "dgx-superpod-h100", 4, {});
  const FittedKernelModel model(cluster.gpu);
  RankLayouts layouts([&](GroupKind kind) {
    GroupLayout layout;
    if (kind == GroupKind::context) layout.widest_hop = Distance::nvlink_domain;
    if (kind != GroupKind::context) layout.ranks = recipe.tp();
    return layout;
  });
  return piece_program({recipe, cluster, model, layouts}, piece);
}

/// Its kernels, in an order that does not depend on when they run.
std::vector<std::string> kernels_of(const Recipe& recipe, const Piece& piece) {
  std::vector<std::string> kernels;
  const Program program = program_of(recipe, piece);
  for (const OpNote& note : program.notes) {
    if (!note.kernel) continue;
    const Kernel& kernel = *note.kernel;
    std::string text(note.module);
    if (const auto* gemm = std::get_if<Gemm>(&kernel)) {
      text += fmt::format(" {}x{}x{} {} margin {}", gemm->m, gemm->n, gemm->k,
                          gemm->accumulate ? "adds" : "writes", gemm->sm_margin);
    } else if (const auto* streaming = std::get_if<Streaming>(&kernel)) {
      text += fmt::format(" {} bytes", streaming->bytes);
    }
    kernels.push_back(text);
  }
  std::sort(kernels.begin(), kernels.end());
  return kernels;
}

double gemm_flops(const Recipe& recipe, const Piece& piece) {
  double flops = 0;
  const Program program = program_of(recipe, piece);
  for (const OpNote& note : program.notes) {
    if (note.kernel && std::holds_alternative<Gemm>(*note.kernel))
      flops += kernel_flops(*note.kernel);
  }
  return flops;
}

std::vector<Recipe> recipes() {
  std::vector<Recipe> all{llama_8b(), llama_405b(), llama_405b(), llama_405b(), llama_405b()};
  overlap_tensor_parallel(all[2], "h100-h16384-tp8-bf16");
  all[3].training.precision = Precision::fp8;
  overlap_tensor_parallel(all[4], "h100-h16384-tp8-fp8");
  all[4].training.precision = Precision::fp8;
  return all;
}

std::vector<std::string> joined(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  std::sort(a.begin(), a.end());
  return a;
}

Recipe with_layers(Recipe recipe, const std::vector<LayerSpec>& layers) {
  recipe.model.layers = layers;
  recipe.model.num_layers = static_cast<int>(listed_layers(recipe.model));
  return recipe;
}

LayerSpec layer(std::vector<BlockKind> blocks, int repeat) {
  return {std::move(blocks), repeat, {}};
}

}  // namespace

TEST_CASE("block rows are in the order of their names and say what they are") {
  CHECK(block_rows().size() == EnumNames<BlockKind>::rows.size());
  for (const auto& [name, kind] : EnumNames<BlockKind>::rows) {
    CHECK(row_of(kind).kind == kind);
    CHECK_FALSE(row_of(kind).meaning.empty());
  }
}

TEST_CASE("input and weight gradient apart run the kernels of the whole backward") {
  for (const Recipe& recipe : recipes()) {
    for (const Part part : {Part::layer, Part::embedding, Part::head}) {
      CHECK(joined(kernels_of(recipe, {part, Phase::input_gradient}),
                   kernels_of(recipe, {part, Phase::weight_gradient})) ==
            kernels_of(recipe, {part, Phase::backward}));
    }
  }
}

TEST_CASE("the products that a program runs are those that the model counts") {
  for (const Recipe& recipe : recipes()) {
    for (const Part part : {Part::layer, Part::head}) {
      const double counted = part_totals(recipe, part).flops.products;
      CHECK(gemm_flops(recipe, {part, Phase::forward}) == doctest::Approx(counted));
      CHECK(gemm_flops(recipe, {part, Phase::backward}) == doctest::Approx(2 * counted));
      CHECK(gemm_flops(recipe, {part, Phase::weight_gradient}) == doctest::Approx(counted));
    }
  }
}

TEST_CASE("weights of a rank are its share of the model's, by the axes that shard them") {
  for (const Recipe& recipe : recipes()) {
    Recipe alone = recipe;
    alone.parallelism.tensor_model_parallel_size = 1;
    for (const Part part : {Part::layer, Part::embedding, Part::head}) {
      const PartTotals share = part_totals(recipe, part);
      const PartTotals all = part_totals(alone, part);
      CHECK((share.parameters - share.replicated_parameters) * recipe.tp() +
                share.replicated_parameters ==
            all.parameters);
      CHECK(share.reduced_over[static_cast<std::size_t>(GroupKind::data)] == share.parameters);
      const bool casts = part == Part::layer && recipe.precision().quantized();
      CHECK(share.quantized_modules == (casts ? 4 : 0));
    }
  }
}

TEST_CASE("recompute drops tensors and makes none: kept and dropped stay the same together") {
  const Recipe base = llama_405b();
  const PartTotals all = part_totals(base, Part::layer);
  CHECK(all.dropped_bytes == 0);
  Recipe full = base;
  full.recompute = Recompute::full;
  const PartTotals input = part_totals(full, Part::layer);
  // The input of the layer: two bytes for each of the rank's own 512 tokens of 16384.
  CHECK(input.saved_bytes == 2.0 * 4096 / 8 * 16384);
  CHECK(input.saved_bytes + input.dropped_bytes == all.saved_bytes);
  for (const auto& [name, module] : EnumNames<RecomputeModule>::rows) {
    Recipe selective = base;
    selective.recompute = Recompute::selective;
    selective.recompute_modules = {module};
    const PartTotals kept = part_totals(selective, Part::layer);
    const bool of_other_blocks =
        module == RecomputeModule::moe || module == RecomputeModule::moe_act ||
        module == RecomputeModule::shared_experts || module == RecomputeModule::mla_up_proj;
    CHECK((kept.dropped_bytes > 0) == !of_other_blocks);
    CHECK(kept.saved_bytes + kept.dropped_bytes == all.saved_bytes);
  }
}

TEST_CASE("layers of one block each hold and count what layers of both do") {
  const Recipe usual = llama_8b();
  const Recipe apart = with_layers(usual, {layer({BlockKind::gqa}, 16), layer({BlockKind::mlp}, 32),
                                           layer({BlockKind::gqa}, 16)});
  CHECK(model_parameters(apart.model) == model_parameters(usual.model));
  CHECK(model_flops(apart.model, 8192).products == model_flops(usual.model, 8192).products);
  CHECK(model_flops(apart.model, 8192).attention_square ==
        model_flops(usual.model, 8192).attention_square);
  for (const Phase phase : {Phase::forward, Phase::backward}) {
    CHECK(joined(kernels_of(apart, {Part::layer, phase, 0}),
                 kernels_of(apart, {Part::layer, phase, 1})) ==
          kernels_of(usual, {Part::layer, phase, 0}));
  }
}

TEST_CASE("a list of layers is numbered by kind, where each is first met") {
  const LayerList list(with_layers(llama_8b(), {layer({BlockKind::mlp}, 2),
                                                layer({BlockKind::gqa, BlockKind::mlp}, 3),
                                                layer({BlockKind::mlp}, 1)})
                           .model);
  REQUIRE(list.kinds().size() == 2);
  CHECK(list.kinds()[0].layers == 3);
  CHECK(list.kinds()[1].layers == 3);
  std::vector<int> kinds;
  for (int number = 0; number < 6; ++number) kinds.push_back(list.kind_of(number));
  CHECK(kinds == std::vector{0, 0, 1, 1, 1, 0});
}

TEST_CASE("a block of two linear modules is its operators, nothing else") {
  const Recipe recipe = llama_8b();
  const RankShape shape(recipe);
  const Operator up =
      column_parallel(shape, {.module = "up", .columns = 1000, .saves_input = true});
  const Operator down = row_parallel(shape, {.module = "down", .columns = 1000});
  CHECK(up.weights.front().elements() == 1000 * 4096);
  CHECK(up.saved.front().bytes == 2 * shape.own_rows * 4096);
  CHECK(up.flops.products == 2 * shape.rows * 1000 * 4096);
  CHECK(down.flops.products == up.flops.products);
  CHECK(down.saved.front().bytes == 2 * shape.rows * 1000);
}

namespace {

/// Bytes that the memory-bound kernels of a layer move.
double streamed(const Recipe& of, Phase phase) {
  double bytes = 0;
  const Program program = program_of(of, {Part::layer, phase});
  for (const OpNote& note : program.notes) {
    if (note.kernel && std::holds_alternative<Streaming>(*note.kernel))
      bytes += std::get<Streaming>(*note.kernel).bytes;
  }
  return bytes;
}

}  // namespace

TEST_CASE("A stack that adds weight gradients apart passes over each once more, backward alone") {
  Recipe recipe = llama_8b();
  recipe.optimizer.grad_reduce_dtype = DataType::fp32;
  const auto that = [](Recipe of, GradientAccumulation how) {
    of.software.gradient_accumulation.emplace().value = how;
    return of;
  };
  const Recipe apart = that(recipe, GradientAccumulation::eager);
  const Recipe converted = that(recipe, GradientAccumulation::converted);
  const ModelSpec& model = recipe.model;
  const std::int64_t weights =
      model.hidden_size * (2 * model.query_size() + 2 * RankShape(recipe).key_value_size() +
                           model.fc1_size(model.ffn_hidden_size) + model.ffn_hidden_size);
  CHECK(streamed(apart, Phase::backward) - streamed(recipe, Phase::backward) ==
        doctest::Approx((2 + 2 * 4) * static_cast<double>(weights / recipe.tp())));
  CHECK(streamed(converted, Phase::backward) - streamed(recipe, Phase::backward) ==
        doctest::Approx((2 + 4 + 3 * 4) * static_cast<double>(weights / recipe.tp())));
  recipe.optimizer.grad_reduce_dtype = DataType::bf16;
  CHECK(streamed(that(recipe, GradientAccumulation::converted), Phase::backward) ==
        streamed(that(recipe, GradientAccumulation::eager), Phase::backward));
  CHECK(streamed(apart, Phase::forward) == streamed(recipe, Phase::forward));
}

TEST_CASE("All ranks of TP have the keys and values of a multi-query model") {
  Recipe recipe = llama_8b();
  recipe.model.num_query_groups = 1;
  recipe.parallelism.tensor_model_parallel_size = 4;
  CHECK(RankShape(recipe).key_value_size() == 4 * recipe.model.kv_channels);
  const ModelSpec& model = recipe.model;
  const auto weights = [&](std::int64_t ranks) {
    recipe.parallelism.tensor_model_parallel_size = static_cast<int>(ranks);
    std::int64_t all = 0;
    for (const Operator& op : gqa_block().make(RankShape(recipe)).branch) {
      for (const Weight& weight : op.weights)
        all += weight.sharded_over.has(Axis::tp) ? weight.elements() : 0;
    }
    return all;
  };
  CHECK(4 * weights(4) - weights(1) == 3L * 2 * model.hidden_size * model.kv_channels);
}

TEST_CASE("A stack of PyTorch's own operators passes over norms, branches and queries many times") {
  const Recipe fused = llama_8b();
  const auto more = [&](std::optional<Sourced<Fusion>> SoftwareSpec::*kernels, Phase phase) {
    Recipe eager = fused;
    (eager.software.*kernels).emplace().value = Fusion::eager;
    return streamed(eager, phase) - streamed(fused, phase);
  };
  const RankShape shape(fused);
  const ModelSpec& model = fused.model;
  const double norms = 2 * shape.own_rows * static_cast<double>(model.hidden_size);
  CHECK(more(&SoftwareSpec::rms_norm, Phase::forward) == doctest::Approx((36 - 4) * norms));
  CHECK(more(&SoftwareSpec::rms_norm, Phase::backward) == doctest::Approx((92 - 6) * norms));
  const double branch = shape.rows * static_cast<double>(model.ffn_hidden_size) / shape.tp;
  CHECK(more(&SoftwareSpec::swiglu, Phase::forward) == doctest::Approx((10 - 6) * branch));
  CHECK(more(&SoftwareSpec::swiglu, Phase::backward) == doctest::Approx((18 - 10) * branch));
  const double turned =
      shape.rows * static_cast<double>(model.query_size() + shape.key_value_size()) / shape.tp;
  for (const Phase phase : {Phase::forward, Phase::backward})
    CHECK(more(&SoftwareSpec::rotary, phase) == doctest::Approx((20 - 4) * turned));
}

}  // namespace simtrain::testing::block_test
