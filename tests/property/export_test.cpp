#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/import/plan/recipe_export.h"
#include "sim/output/run/recipe_difference.h"
#include "tests/core/sanitized.h"
#include "tests/property/draw.h"
#include "tests/property/rows.h"

namespace simtrain::testing::export_test {
namespace {

constexpr int kRandomScenarios = thinned(200);

/// What no recipe of a framework says: how FLOPs are counted, which servers the job gets, values of
/// hardware files, how uneven routing is, and what is not exported.
const std::vector<std::string> kOfNoRecipe{"mfu_convention",         "cluster.",    "hardware.",
                                           "moe.moe_load_imbalance", "moe.routing", "lora.",
                                           "packed_sequences."};

/// What Megatron has no words for: policies of compilers, precision, sharding and schedules of
/// other frameworks (with the buckets that the sharding which an import has in its place makes),
/// messages and exchanges of tokens beside compute without virtual stages, blocks of Llama 4,
/// dropout of attention, which imports ignore; NeMo's and Bridge's files for variables of a job.
const std::vector<std::string> kOfNoMegatron{"recompute",
                                             "training.precision: fp8_rowwise",
                                             "sharding.strategy",
                                             "sharding.reshard_after_forward",
                                             "recompute_modules",
                                             "optimizer.bucket_size_mb",
                                             "optimizer.grad_reduce_dtype",
                                             "model.layers",
                                             "model.attention_chunk_size",
                                             "overlap.overlap_p2p_comm",
                                             "overlap.overlap_moe_expert_parallel_comm",
                                             "model.attention_dropout",
                                             "parallelism.pipeline_schedule",
                                             "cuda_launch_blocking"};

bool starts_as_one_of(const std::string& key, const std::vector<std::string>& starts) {
  return std::any_of(starts.begin(), starts.end(),
                     [&](const std::string& start) { return key.starts_with(start); });
}

const ExportTarget& target_named(std::string_view name) {
  const auto& all = export_targets();
  return **std::find_if(all.begin(), all.end(),
                        [&](const ExportTarget* row) { return row->name == name; });
}

/// The keys that differ after export and import.
std::vector<std::string> lost_keys(const ExportTarget& target, const Scenario& scenario,
                                   const YamlNode& keys) {
  const ExportedRecipe recipe = export_recipe(target, scenario, keys);
  std::vector<std::string> lost;
  for (const KeyDifference& key :
       recipe_difference(scenario, reimported(target, recipe, data_folder()))) {
    if (!starts_as_one_of(key.key, kOfNoRecipe))
      lost.push_back(fmt::format("{}: {} became {}", key.key, key.first, key.second));
  }
  return lost;
}

/// The files of scenarios and of measured runs.
std::vector<std::string> scenario_files() {
  std::vector<std::string> files;
  for (const std::string folder : {"scenarios", "validation/measured/scenarios"}) {
    for (const auto& entry :
         std::filesystem::directory_iterator(data_folder().root() + "/" + folder)) {
      if (entry.path().extension() == ".yaml") files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  return thinned(files);
}

/// A plan of what Megatron has words for; it need not be possible.
std::vector<std::string> random_plan(Draw& draw) {
  const auto flag = [&] { return draw.once_in(2) ? "true" : "false"; };
  const std::string model =
      draw.one_of({"llama3.1-8b", "llama3.1-70b", "nemotron4-15b", "gpt3-5b", "qwen3-30b-a3b",
                   "mixtral-8x7b", "deepseek-v2-lite", "gpt-oss-20b", "nemotron-h-56b",
                   "qwen2.5-32b", "llama2-13b", "glm-4.5", "qwen3-next-80b-a3b", "deepseek-v3.2"});
  const int tp = draw.one_of({1, 2, 4, 8});
  const int pp = draw.one_of({1, 1, 2, 4});
  const int vp = pp > 1 ? draw.one_of({1, 1, 2, 4}) : 1;
  const int cp = draw.one_of({1, 1, 2});
  const int nodes = draw.one_of({4, 8, 16});
  const int mbs = draw.one_of({1, 2});
  const int dp = std::max(1, nodes * 8 / (tp * pp * cp));
  std::vector<std::string> settings{
      "cluster.name=" + draw.one_of({std::string("dgx-superpod-h100"), std::string("gcp-a4")}),
      fmt::format("nodes={}", nodes),
      "model=" + model,
      fmt::format("training={{precision: {}, seq_length: {}, micro_batch_size: {}, "
                  "global_batch_size: {}, fp8_params: {}}}",
                  draw.one_of({"bf16", "bf16", "fp8", "fp8_cs", "fp8_mx", "nvfp4"}),
                  draw.one_of({2048, 4096, 8192}), mbs, mbs * dp * pp * draw.between(1, 4), flag()),
      fmt::format("parallelism={{tensor_model_parallel_size: {}, pipeline_model_parallel_size: {}, "
                  "virtual_pipeline_model_parallel_size: {}, context_parallel_size: {}, "
                  "expert_model_parallel_size: {}, sequence_parallel: {}}}",
                  tp, pp, vp, cp, draw.one_of({1, 2, 4, 8}), tp > 1),
      fmt::format(
          "overlap={{tp_comm_overlap: false, overlap_p2p_comm: {}, overlap_grad_reduce: {}, "
          "overlap_param_gather: {}}}",
          vp > 1, flag(), flag()),
      fmt::format("optimizer={{distributed: {}, grad_reduce_dtype: {}, bucket_size_mb: {}}}",
                  flag(), draw.one_of({"bf16", "fp32"}), draw.between(1, 1000)),
      fmt::format("cuda_graphs={}", flag())};
  settings.push_back("recompute=" + draw.one_of({std::string("none"), std::string("selective"),
                                                 std::string("full")}));
  if (draw.once_in(3))
    settings.push_back(fmt::format(
        "moe={{moe_token_dispatcher_type: {}, moe_router_fusion: {}, moe_permute_fusion: {}, "
        "moe_grouped_gemm: {}, moe_router_padding_for_quantization: {}, "
        "use_transformer_engine_op_fuser: {}}}",
        draw.one_of({"allgather", "alltoall", "flex"}), flag(), flag(), flag(), flag(),
        draw.once_in(4)));
  return settings;
}

/// A plan of what torchtitan has words for; it need not be possible.
std::vector<std::string> random_titan_plan(Draw& draw) {
  const std::string model =
      draw.one_of({"llama3.1-8b", "llama3.1-70b", "qwen3-8b", "qwen3-32b", "deepseek-v2-lite"});
  const int tp = draw.one_of({1, 2, 4, 8});
  const int pp = draw.one_of({1, 1, 2, 4});
  const int vp = pp > 1 ? draw.one_of({1, 2, 4}) : 1;
  const int cp = draw.one_of({1, 1, 2});
  const int nodes = draw.one_of({2, 4, 8});
  const int mbs = draw.one_of({1, 2});
  const int dp = std::max(1, nodes * 8 / (tp * pp * cp));
  return {fmt::format("nodes={}", nodes),
          "model=" + model,
          fmt::format("training={{precision: {}, seq_length: {}, micro_batch_size: {}, "
                      "global_batch_size: {}}}",
                      draw.one_of({"bf16", "fp8_cs", "fp8_mx"}), draw.one_of({4096, 8192}), mbs,
                      mbs * dp * pp * draw.between(1, 4)),
          fmt::format("parallelism={{tensor_model_parallel_size: {}, "
                      "pipeline_model_parallel_size: {}, virtual_pipeline_model_parallel_size: "
                      "{}, context_parallel_size: {}, expert_model_parallel_size: {}, "
                      "sequence_parallel: {}}}",
                      tp, pp, vp, cp, draw.one_of({1, 2}), tp > 1),
          "overlap={tp_comm_overlap: false, overlap_p2p_comm: false, overlap_grad_reduce: true, "
          "overlap_param_gather: true}",
          fmt::format("optimizer={{distributed: true, grad_reduce_dtype: {}, bucket_size_mb: 125}}",
                      draw.one_of({"bf16", "fp32"})),
          fmt::format("sharding={{strategy: fsdp2, data_parallel_replicate_degree: {}}}",
                      dp > 2 && draw.once_in(3) ? 2 : 1),
          "moe={moe_token_dispatcher_type: alltoall, moe_permute_fusion: false}",
          "software=torchtitan-2025",
          fmt::format("recompute={}", draw.one_of({"none", "full", "selective_op"}))};
}

std::optional<Scenario> possible(const ScenarioSource& source,
                                 const std::vector<std::string>& texts, YamlNode& keys) {
  std::vector<Setting> settings;
  settings.reserve(texts.size());
  for (const std::string& text : texts) settings.push_back(parse_setting(text));
  try {
    keys = source.tree("bf16-8", settings);
    return source.scenario(data_folder(), "bf16-8", settings);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

TEST_CASE("an import of what was exported is the scenario, for every file of scenarios") {
  int whole = 0;
  int all = 0;
  for (const std::string& file : scenario_files()) {
    const ScenarioSource source = ScenarioSource::from_file(file);
    std::vector<std::string> rows = source.row_names();
    if (!source.has_table()) rows.emplace_back();
    for (const std::string& row : rows) {
      const Scenario scenario = source.scenario(data_folder(), row, {});
      const YamlNode keys = source.tree(row, {});
      for (const std::string name : {"megatron", "nemo", "bridge"}) {
        const std::vector<std::string> lost = lost_keys(target_named(name), scenario, keys);
        for (const std::string& key : lost) {
          CAPTURE(name);
          CAPTURE(file);
          CAPTURE(row);
          CAPTURE(key);
          CHECK(starts_as_one_of(key, kOfNoMegatron));
        }
        whole += lost.empty() ? 1 : 0;
        ++all;
      }
    }
  }
  CHECK(whole > 0);
  // The others are of other frameworks; under sanitizers a sixth of the files has more of them.
  if (!kSanitized) CHECK(whole * 20 > all * 12);
}

TEST_CASE("an import of what was exported is the scenario, for plans drawn by seed") {
  const ScenarioSource source = scenario_file("llama31_8b_h100");
  Draw draw(20261124);
  int tried = 0;
  for (int found = 0; found < kRandomScenarios && tried < 100 * kRandomScenarios; ++tried) {
    const std::vector<std::string> plan = random_plan(draw);
    YamlNode keys;
    const auto scenario = possible(source, plan, keys);
    if (!scenario) continue;
    ++found;
    for (const std::string name : {"megatron", "nemo", "bridge"}) {
      std::string lost;
      for (const std::string& key : lost_keys(target_named(name), *scenario, keys))
        lost += key + "\n";
      CAPTURE(name);
      CAPTURE(fmt::format("{}", fmt::join(plan, " --set ")));
      CHECK(lost == "");
    }
  }
  CHECK(tried < 100 * kRandomScenarios);
}

TEST_CASE("an import of a torchtitan configuration is the scenario, for plans drawn by seed") {
  const ScenarioSource source = scenario_file("llama31_8b_h100");
  Draw draw(20261125);
  int tried = 0;
  for (int found = 0; found < kRandomScenarios && tried < 100 * kRandomScenarios; ++tried) {
    const std::vector<std::string> plan = random_titan_plan(draw);
    YamlNode keys;
    const auto scenario = possible(source, plan, keys);
    if (!scenario) continue;
    ++found;
    CAPTURE(fmt::format("{}", fmt::join(plan, " --set ")));
    CHECK(fmt::format(
              "{}", fmt::join(lost_keys(target_named("torchtitan"), *scenario, keys), "; ")) == "");
  }
  CHECK(tried < 100 * kRandomScenarios);
}

}  // namespace
}  // namespace simtrain::testing::export_test
