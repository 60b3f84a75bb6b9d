#include "sim/output/run/recipe_report.h"

#include <sstream>

#include <doctest/doctest.h>

#include "sim/output/run/text_report.h"
#include "sim/run/scenario/scenario_fields.h"
#include "sim/run/simulate.h"
#include "sim/workload/model/fields/model_fields.h"
#include "tests/run/scenarios.h"

namespace simtrain::testing::recipe_report_test {
namespace {

using testing::data_folder;
using Json = nlohmann::ordered_json;

Scenario read(const std::string& text) {
  return ScenarioSource::from_text(text, "recipe.yaml").scenario(data_folder(), "", {});
}

void check_same(const Scenario& scenario) {
  const ResolvedRecipe recipe = resolved_recipe(scenario);
  const Json json = recipe_json(recipe);
  CHECK(recipe_json(resolved_recipe(read(json.dump(2)))) == json);
  CHECK(recipe_json(resolved_recipe(read(recipe_yaml(recipe, 2)))) == json);
}

TEST_CASE("A resolved recipe, saved as JSON or YAML, is the same scenario: every file and row") {
  for (const std::string& name : data_folder().names("scenarios")) {
    CAPTURE(name);
    const ScenarioSource source = testing::scenario_file(name);
    if (!source.has_table()) check_same(source.scenario(data_folder(), "", {}));
    for (const std::string& row : source.row_names())
      check_same(source.scenario(data_folder(), row, {}));
  }
}

TEST_CASE("It simulates the same step, to the fingerprint, whatever is set") {
  const std::vector<std::vector<std::string>> cases{
      {},
      {"recompute=selective", "recompute_modules=[core_attn, mlp]", "cuda_graphs=true"},
      {"nccl={nvls: false, algo: [ring], max_channels: 8, p2p_net_chunk: 256 KiB}"},
      {"model_overrides.num_layers=16", "model_overrides.vocab_size=64000"},
      {"hardware.nic_bandwidth=200Gb/s", "hardware.gpu.memory_bandwidth=3TB/s"},
      {"pp=4", "vp=2", "tp=1", "cp=1", "gbs=64",
       "parallelism.pipeline_model_parallel_layout=Et*3|(t*4|)*2,t*5|(t*4|)*3,t*4L"},
      {"nodes=2", "cluster.available_nodes=8", "cluster.placement={kind: random, seed: 3}",
       "cluster.rank_order=round-robin", "gbs=256",
       "cluster.faults={gpus: [{host: 0, gpu: 1, slowdown: 1.5}], nics: [{nic: 2, "
       "bandwidth_share: 0.5}]}"}};
  for (const std::vector<std::string>& settings : cases) {
    const Scenario scenario = testing::scenario("llama31_8b_h100", "bf16-8", settings);
    check_same(scenario);
    const std::string yaml = recipe_yaml(resolved_recipe(scenario), 0);
    CAPTURE(yaml);
    const Report first = simulate(scenario);
    const Report second = simulate(read(yaml));
    CHECK(second.engine.fingerprint == first.engine.fingerprint);
    CHECK(second.step_time_s == first.step_time_s);
    CHECK(second.fullest_stage().total() == first.fullest_stage().total());
  }
}

TEST_CASE("It has every key of a scenario and of a model, defaults and the software's NCCL too") {
  const Scenario scenario = testing::scenario("llama31_8b_h100", "bf16-8");
  const Json json = recipe_json(resolved_recipe(scenario));
  const auto has_all = [](const Json& map, const std::vector<std::string>& keys,
                          const std::vector<std::string>& but) {
    for (const std::string& key : keys) {
      CAPTURE(key);
      CHECK(map.contains(key) == (std::find(but.begin(), but.end(), key) == but.end()));
    }
  };
  has_all(json, field_names<ScenarioFile>(),
          {"notes", "sharding", "moe", "offload", "lora", "packed_sequences", "recompute_modules",
           "recompute_every_nth_layer", "cost", "rccl"});
  has_all(json["cluster"], field_names<ClusterRequest>(), {"machine", "faults", "gpus"});
  has_all(json["training"], field_names<TrainingSpec>(), {});
  has_all(json["parallelism"], field_names<ParallelismSpec>(),
          {"expert_tensor_parallel_size", "pipeline_model_parallel_layout", "pipeline_schedule",
           "microbatch_group_size_per_vp_stage"});
  has_all(json["overlap"], field_names<OverlapSpec>(), {"tp_comm_overlap_table"});
  has_all(json["optimizer"], field_names<OptimizerSpec>(), {});
  has_all(json["model"], field_names<ModelSpec>(),
          {"activation_func_clamp_value", "experts", "layers", "window_size",
           "attention_chunk_size", "multi_latent_attention", "dsa_indexer", "mamba",
           "gated_delta_net", "hybrid_override_pattern"});
  CHECK(json["nccl"]["version"] ==
        nccl_settings_of(scenario.recipe.software.library)->version.value.text());
  CHECK(json["nccl"]["nvls"] == nccl_settings_of(scenario.recipe.software.library)->nvls.value);
  CHECK(json["cluster"]["available_nodes"] == 1);
  CHECK(json["cluster"]["rank_order"] == "by-host");
  CHECK(json["recompute"] == "none");
  CHECK(json["training"]["fp8_params"] == false);
}

TEST_CASE("Rows have dotted keys and YAML values, and the section of a report fits 80 columns") {
  const Scenario scenario = testing::scenario("llama31_8b_h100", "bf16-8");
  bool found = false;
  for (const RecipeRow& row : recipe_rows(resolved_recipe(scenario)))
    found = found || (row.key == "cluster.placement.kind" && row.value == "compact");
  CHECK(found);
  std::istringstream text(recipe_text(simulate(scenario)));
  for (std::string line; std::getline(text, line);) {
    CAPTURE(line);
    CHECK(line.size() <= 80);
    CHECK(!line.ends_with(' '));
  }
}

}  // namespace
}  // namespace simtrain::testing::recipe_report_test
