// Low-rank adapters: what is frozen costs no weight gradient, no optimizer and no saved input.
#include "sim/workload/model/operators/adapters.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "sim/workload/model/layers/model_parts.h"
#include "sim/workload/plan/memory/memory.h"
#include "sim/workload/schedule/recipe_grid.h"
#include "sim/workload/schedule/stage_layout.h"
#include "tests/workload/expanded.h"

namespace simtrain::testing::adapters_test {

namespace {

// Llama 3.1 8B.
constexpr double kHidden = 4096;
constexpr double kQkv = 6144;
constexpr double kFfn = 14336;
constexpr double kTokens = 8192;
constexpr double kVocabulary = 128256;
constexpr double kQkvWeights = kHidden * kQkv;
constexpr double kLayerWeights = kQkvWeights + kHidden * kHidden + 3 * kHidden * kFfn;

Recipe all_trained() {
  Recipe recipe = llama_8b();
  recipe.parallelism.context_parallel_size = 1;
  return recipe;
}

Recipe with_adapters(int rank, const std::vector<LoraModule>& modules, int tp = 1) {
  Recipe recipe = all_trained();
  recipe.lora = LoraSpec{rank, modules};
  recipe.parallelism.tensor_model_parallel_size = tp;
  recipe.parallelism.sequence_parallel = tp > 1;
  return recipe;
}

const std::vector<LoraModule> kAll = LoraSpec{}.target_modules;
const std::vector<LoraModule> kAttention{LoraModule::linear_qkv};

/// Of one layer.
double all_adapters(double rank) {
  return rank * (kHidden + kQkv + 2 * kHidden + 2 * kHidden + 3 * kFfn);
}

constexpr std::int64_t kRows = std::int64_t{8192} * 2;  ///< bytes of a column

constexpr int kFirst = 0;  ///< kinds of layers
constexpr int kOthers = 1;

double gemm_flops(const Recipe& recipe, const Piece& piece) {
  return Expanded(recipe, piece).flops<Gemm>();
}

std::vector<std::int64_t> bytes_of_calls(const Recipe& recipe, const Piece& piece,
                                         Collective collective) {
  std::vector<std::int64_t> bytes;
  const Expanded expanded(recipe, piece);
  for (const TransferCost& transfer : expanded.transfers(Stream::tensor)) {
    if (transfer.collective == collective) bytes.push_back(transfer.bytes.value());
  }
  std::sort(bytes.begin(), bytes.end());
  return bytes;
}

}  // namespace

TEST_CASE("Adapters add rank x (inputs + outputs) parameters to each target module") {
  CHECK(static_cast<double>(trained_parameters(with_adapters(8, kAll))) == 32 * all_adapters(8));
  CHECK(static_cast<double>(trained_parameters(with_adapters(8, kAttention))) ==
        32 * 8 * (kHidden + kQkv));
  CHECK(trained_parameters(llama_8b()) == model_parameters(llama_8b().model));
  const Recipe shards = with_adapters(8, kAll, 4);
  const PartTotals part = part_totals(shards, Part::layer, kOthers);
  CHECK(4 * static_cast<double>(part.adapters) == all_adapters(8));
  CHECK(part.replicated_parameters == 0);
}

TEST_CASE("A frozen weight takes part in the forward and in input gradients alone") {
  const double forward = 2 * kTokens * kLayerWeights;
  for (const double rank : {8, 64}) {
    const Recipe recipe = with_adapters(static_cast<int>(rank), kAll);
    const double adapters = 2 * kTokens * all_adapters(rank);
    CHECK(gemm_flops(recipe, {Part::layer, Phase::forward, kOthers}) == forward + adapters);
    CHECK(gemm_flops(recipe, {Part::layer, Phase::backward, kOthers}) == forward + 2 * adapters);
    CHECK(gemm_flops(recipe, {Part::head, Phase::backward}) == 2 * kTokens * kHidden * kVocabulary);
  }
}

TEST_CASE("Input gradients end at the first adapter") {
  const double forward = 2 * kTokens * kLayerWeights;
  const double adapters = 2 * kTokens * 8 * (kHidden + kQkv);
  const Recipe recipe = with_adapters(8, kAttention);
  CHECK(gemm_flops(recipe, {Part::layer, Phase::forward, kFirst}) == forward + adapters);
  CHECK(gemm_flops(recipe, {Part::layer, Phase::backward, kFirst}) ==
        forward - 2 * kTokens * kQkvWeights + 2 * adapters - 2 * kTokens * 8 * kHidden);
  CHECK(Expanded(recipe, {Part::embedding, Phase::backward}).program.ops.empty());
  // Behind the last module of the first layer nothing runs but its adapters.
  const Recipe last = with_adapters(8, {LoraModule::linear_fc2});
  CHECK(gemm_flops(last, {Part::layer, Phase::backward, kFirst}) ==
        2 * kTokens * 8 * (kFfn + 2 * kHidden));
  CHECK(Expanded(last, {Part::layer, Phase::backward, kFirst}).kernels<Attention>().empty());
}

TEST_CASE("What frozen modules read is not saved, what adapters read is") {
  const auto saved = [](const Recipe& recipe, int kind) {
    return part_totals(recipe, Part::layer, kind).saved_bytes / kTokens;
  };
  const double attention = 2 * (kQkv + kHidden) + 4 * 32;
  const double norms = 2 * 2 * kHidden;
  const double branches = 2 * 2 * kFfn;
  CHECK(saved(all_trained(), 0) == attention + 2 * norms + branches + 2 * kFfn);
  const Recipe recipe = with_adapters(8, kAttention);
  CHECK(saved(recipe, kOthers) == attention + norms + branches + 2 * (kHidden + 8));
  CHECK(saved(recipe, kFirst) == saved(recipe, kOthers) - 2 * kHidden);
  CHECK(saved(with_adapters(8, kAll), kOthers) ==
        attention + norms + branches + 2 * (2 * kHidden + kFfn + 4 * 8));
  CHECK(part_totals(recipe, Part::embedding).saved_bytes == 0);
}

TEST_CASE("Norms whose output is not saved are not run again") {
  Recipe recipe = with_adapters(8, kAttention);
  const Piece backward{Part::layer, Phase::backward, kOthers};
  const std::size_t kernels = Expanded(recipe, backward).kernels<Streaming>().size();
  const double saved = part_totals(recipe, Part::layer, kOthers).saved_bytes;
  recipe.recompute = Recompute::selective;
  recipe.recompute_modules = {RecomputeModule::layernorm};
  CHECK(Expanded(recipe, backward).kernels<Streaming>().size() == kernels);
  CHECK(part_totals(recipe, Part::layer, kOthers).saved_bytes == saved);
}

TEST_CASE("Gradients and optimizer states are of adapters, weights of all") {
  const Recipe recipe = with_adapters(8, kAttention);
  const StageMemory memory = stage_memory(recipe, gpu("h100-sxm"), rank_grid(recipe, 8)).front();
  const auto adapters = static_cast<double>(trained_parameters(recipe));
  const auto model = static_cast<double>(model_parameters(recipe.model));
  CHECK(memory.weights == 2 * (model + adapters));
  CHECK(memory.optimizer == 12 * adapters / 8);
  CHECK(memory.gradients < 2 * adapters + 1e6);
}

TEST_CASE("Over tensor parallelism A of rank/t rows or summed, B by columns that are gathered") {
  const Piece forward{Part::layer, Phase::forward, kOthers};
  const Recipe plain = with_adapters(8, {LoraModule::linear_qkv}, 2);
  CHECK(bytes_of_calls(plain, forward, Collective::all_gather) ==
        std::vector<std::int64_t>{8 * kRows, 4096 * kRows, 4096 * kRows});
  const Recipe rows = with_adapters(8, {LoraModule::linear_proj}, 2);
  CHECK(bytes_of_calls(rows, forward, Collective::all_reduce) ==
        std::vector<std::int64_t>{8 * kRows});
  CHECK(bytes_of_calls(rows, forward, Collective::all_gather) ==
        std::vector<std::int64_t>(3, 4096 * kRows));
  const Piece backward{Part::layer, Phase::backward, kOthers};
  // One scatter for each column-parallel module: the adapter's gradients are added before it.
  CHECK(bytes_of_calls(plain, backward, Collective::reduce_scatter) ==
        std::vector<std::int64_t>(2, 4096 * kRows));
  CHECK(bytes_of_calls(plain, backward, Collective::all_reduce) ==
        std::vector<std::int64_t>{8 * kRows});
}

TEST_CASE("An adapter beside a quantized module takes rows that were gathered in BF16") {
  Recipe recipe = with_adapters(8, kAttention, 2);
  recipe.training.precision = Precision::fp8;
  const Piece forward{Part::layer, Phase::forward, kOthers};
  CHECK(bytes_of_calls(recipe, forward, Collective::all_gather) ==
        std::vector<std::int64_t>{8 * kRows, 4096 * kRows / 2, 4096 * kRows});
}

}  // namespace simtrain::testing::adapters_test
