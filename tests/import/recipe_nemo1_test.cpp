#include <algorithm>

#include <doctest/doctest.h>

#include "sim/core/files/yaml_file.h"
#include "sim/run/simulate.h"
#include "tests/core/checkout.h"
#include "tests/core/error_of.h"
#include "tests/import/recipes.h"

namespace simtrain::testing::recipe_nemo1_test {
namespace {

const std::string kA4 = "llama3-1-405b-224gpus-a4-fp8.yaml";

RecipeRequest a4_job() { return job("gcp-a4", "nemo-25.02"); }

std::string refused(const std::string& from, const std::string& to,
                    const RecipeRequest& request = a4_job()) {
  const ImportFile file = with(recipe_file(kA4), from, to);
  REQUIRE(!file.text.empty());
  return error_of([&] { import_recipe(file, request); });
}

std::string refused_override(const std::string& text) {
  RecipeRequest request = a4_job();
  request.overrides = {text};
  return error_of([&] { import_recipe(recipe_file(kA4), request); });
}

void check_same_fields(const std::string& yaml, const std::string& committed) {
  const YamlNode known = load_yaml_file(source_dir() + "/scenarios/" + committed + ".yaml");
  const std::vector<std::string> mine = leaves(load_yaml_text(yaml, "imported.yaml"));
  const std::vector<std::string> theirs = leaves(known);
  CHECK(mine.size() == theirs.size());
  for (const std::string& leaf : theirs) {
    CAPTURE(leaf);
    CHECK(std::find(mine.begin(), mine.end(), leaf) != mine.end());
  }
}

}  // namespace

TEST_CASE("the A4 recipe imports to the flagship scenario, field by field") {
  const ImportedRecipe imported = import_recipe(recipe_file(kA4), a4_job());
  check_same_fields(imported.yaml, "llama405b_a4_224");
}

TEST_CASE("the imported A4 recipe simulates the events of the flagship scenario") {
  const DataFolder data(source_dir());
  const Report known =
      simulate(ScenarioSource::from_file(data.root() + "/scenarios/llama405b_a4_224.yaml")
                   .scenario(data, "", {}));
  const Report mine = simulate(scenario_in(import_recipe(recipe_file(kA4), a4_job()).yaml));
  CHECK(mine.engine.fingerprint == known.engine.fingerprint);
  CHECK(mine.step_time_s == known.step_time_s);
  CHECK(mine.peak_bytes() == known.peak_bytes());
}

TEST_CASE("Hydra overrides make the BF16 recipe of the FP8 one") {
  RecipeRequest request = a4_job();
  request.overrides = {"model.fp8=false", "~model.optim.grad_sync_dtype", "trainer.max_steps=100"};
  const ImportedRecipe imported = import_recipe(recipe_file(kA4), request);
  check_same_fields(imported.yaml, "llama405b_a4_224_bf16");
  CHECK(imported.yaml.find("grad_reduce_dtype: fp32 # ASSUMED: Apex's default") !=
        std::string::npos);
}

TEST_CASE("a DLLogger header gives the same as the configuration") {
  RecipeRequest request = a4_job();
  request.nodes = 28;
  const ImportedRecipe imported = import_recipe(recipe_file("dllogger_header.json"), request);
  check_same_fields(imported.yaml, "llama405b_a4_224");
  request.nodes.reset();
  const ImportedRecipe silent = import_recipe(recipe_file("dllogger_header.json"), request);
  CHECK(silent.yaml.find("  nodes: 14 # ASSUMED: not given, the fewest that hold TP ") !=
        std::string::npos);
}

TEST_CASE("hparams.yaml, the model's keys below cfg, gives the same as the configuration") {
  ImportFile file = recipe_file(kA4);
  file.text = "cfg:\n  precision: bf16\n" + file.text.substr(file.text.find("  mcore_gpt:"));
  RecipeRequest request = a4_job();
  request.nodes = 28;
  const ImportedRecipe imported = import_recipe(file, request);
  check_same_fields(imported.yaml, "llama405b_a4_224");
  request.overrides = {"cfg.fp8=false"};
  CHECK(import_recipe(file, request).yaml.find("precision: bf16 # cfg.precision") !=
        std::string::npos);
  CHECK(error_of([&] {
          import_recipe(with(file, "  num_layers: 126", "  moe_extended_tp: true"), request);
        }).find("over TP and EP together") != std::string::npos);
  file.text = "cfg: 1\n";
  CHECK(!error_of([&] { import_recipe(file, request); }).empty());
}

TEST_CASE("every value names its origin, and what is left aside is listed") {
  const ImportedRecipe imported = import_recipe(recipe_file(kA4), a4_job());
  for (const std::string text :
       {"  name: gcp-a4 # --cluster\n", "  nodes: 28 # trainer.num_nodes\n",
        "software: nemo-25.02 # --software\n", "model: llama3.1-405b # the nearest by its shape\n",
        "  num_query_groups: 16 # model.num_query_groups\n",
        "  vocab_size: 50688 # model.tokenizer.type GPT2BPETokenizer: 50257, padded to a multiple "
        "of 128 x TP 4\n",
        "  precision: fp8 # model.fp8\n",
        "  fp8_params: false # ASSUMED: ", "  bucket_size_mb: 125 # model.optim.bucket_cap_mb\n",
        "  tp_comm_overlap_table: te-default # ASSUMED: no table given",
        "#   overlap.tp_comm_overlap_table te-default\n",
        "# Ignored keys of the recipe: ", "exp_manager.* (7)", "model.gc_interval"}) {
    CAPTURE(text);
    CHECK(imported.yaml.find(text) != std::string::npos);
  }
  CHECK(imported.taken > 30);
  CHECK(imported.assumed > 0);
  CHECK(imported.ignored > 30);
}

TEST_CASE("what a recipe does not give comes from options, and errors name them") {
  CHECK(error_of([&] { import_recipe(recipe_file(kA4), {}); })
            .find("cluster: a recipe names no cluster; --cluster NAME sets it, one of "
                  "a100-4hdr,") != std::string::npos);
  RecipeRequest request;
  request.cluster = "gcp-a4";
  CHECK(error_of([&] {
          import_recipe(recipe_file(kA4), request);
        }).find("--software NAME sets it") != std::string::npos);
  request.cluster = "gcp-a5";
  CHECK(error_of([&] {
          import_recipe(recipe_file(kA4), request);
        }).find("did you mean 'gcp-a4'?") != std::string::npos);
  CHECK(refused("  micro_batch_size: 1\n", "")
            .ends_with("training.micro_batch_size: the recipe does not give it; --set "
                       "training.micro_batch_size=N sets it, --defaults takes 1"));
  RecipeRequest given = a4_job();
  given.settings = {"gbs=1008", "mfu_convention=google-training-metrics",
                    "cluster.placement=spread"};
  const ImportFile file = with(recipe_file(kA4), "  global_batch_size: 2016\n", "");
  const Scenario scenario = scenario_in(import_recipe(file, given).yaml);
  CHECK(scenario.recipe.training.global_batch_size == 1008);
  CHECK(scenario.mfu_convention == MfuConvention::google_training_metrics);
}

TEST_CASE("what is not simulated is refused at its line") {
  CHECK(
      refused("  fp8: true\n", "  fp8: true\n  moe_extended_tp: true\n") ==
      "tests/import/data/" + kA4 +
          ":66:20: model.moe_extended_tp: is set to 'true'; experts split over TP and EP together "
          "are not modelled");
  CHECK(refused("activations_checkpoint_granularity: null",
                "activations_checkpoint_granularity: some")
            .find("model.activations_checkpoint_granularity: 'some' is not modelled; --set "
                  "recompute=none") != std::string::npos);
  CHECK(refused("activation: fast-swiglu", "activation: reglu").find("'reglu' is not modelled") !=
        std::string::npos);
  CHECK(refused("precision: bf16\n  max", "precision: 32\n  max").empty());  // fp8 counts
  CHECK(refused("fp8: true", "fp8: false").empty());
  CHECK(refused("num_layers: 126", "num_layers: many")
            .ends_with("model.num_layers: must be a whole number, found 'many'"));
  CHECK(refused("seq_length: ${model.encoder_seq_length}", "seq_length: 4096")
            .find("model.data.seq_length: '4096' contradicts '8192' of model.encoder_seq_length") !=
        std::string::npos);
  CHECK(refused("num_layers: 126", "num_layers: 125").find(", as imported:") != std::string::npos);
}

TEST_CASE("a shape that no model has is the scenario's own, or overrides of one that is named") {
  const ImportFile own = with(recipe_file(kA4), "hidden_size: 16384", "hidden_size: 12288");
  const ModelSpec model = scenario_in(import_recipe(own, a4_job()).yaml).recipe.model;
  CHECK(model.num_layers == 126);
  CHECK(model.hidden_size == 12288);
  CHECK(model.kv_channels == 96);
  RecipeRequest request = a4_job();
  request.model = "llama3.1-70b";
  const Scenario scenario = scenario_in(import_recipe(recipe_file(kA4), request).yaml);
  CHECK(scenario.recipe.model.name == "llama3.1-70b");
  CHECK(scenario.recipe.model.hidden_size == 16384);
  CHECK(scenario.recipe.model.num_layers == 126);
}

TEST_CASE("an unknown tokenizer takes the vocabulary of the model that fits, and reports it") {
  const ImportFile file = with(recipe_file(kA4), "GPT2BPETokenizer", "OurOwnTokenizer");
  const ImportedRecipe imported = import_recipe(file, a4_job());
  CHECK(scenario_in(imported.yaml).recipe.model.vocab_size == 128256);
  CHECK(imported.yaml.find("model: llama3.1-405b # ASSUMED: by its shape; the size of the "
                           "vocabulary is this model's") != std::string::npos);
}

TEST_CASE("a model that gives its vocabulary needs no tokenizer") {
  RecipeRequest request = a4_job();
  request.overrides.emplace_back("+model.vocab_size=100000");
  const ImportFile file = with(recipe_file(kA4), "GPT2BPETokenizer", "OurOwnTokenizer");
  const Scenario scenario = scenario_in(import_recipe(file, request).yaml);
  CHECK(scenario.recipe.model.vocab_size >= 100000);
  CHECK(scenario.recipe.model.vocab_size < 101024);
}

TEST_CASE("overrides are strict") {
  CHECK(refused_override("model.num_layer=64")
            .ends_with("model.num_layer: is no key of the recipe; did you mean 'model.num_layers'? "
                       "+model.num_layer=VALUE adds it"));
  CHECK(refused_override("model").ends_with("must be KEY=VALUE"));
  CHECK(refused_override("=3").find("must be KEY=VALUE with a dotted key") != std::string::npos);
  CHECK(refused_override("~model.nothing").find("is no key of the recipe") != std::string::npos);
  CHECK(refused_override("model/size=3").find("config groups are in the defaults") !=
        std::string::npos);
  CHECK(refused_override("+model.moe_extended_tp=true").find("over TP and EP together") !=
        std::string::npos);
  CHECK(refused_override("training.model.global_batch_size=4032").empty());
  CHECK(refused_override("++model.wgrad_deferral_limit=22").empty());
}

TEST_CASE("a user-buffer table of the recipe is found by its entries") {
  const std::string table =
      "ub_tp_comm_overlap_cfg: {qkv_dgrad: {method: bulk, num_sm: 2}, qkv_wgrad: {method: bulk, "
      "num_sm: 24}, fc1_dgrad: {method: bulk, num_sm: 2}, fc1_wgrad: {method: bulk, num_sm: 2}, "
      "proj_fprop: {method: pipeline, num_sm: 24, num_splits: 4, set_sm_margin: 1}, fc2_fprop: "
      "{method: pipeline, num_sm: 8, num_splits: 4, set_sm_margin: 1}}";
  const auto with_table = [&](const std::string& text) {
    return with(recipe_file(kA4), "ub_tp_comm_overlap: true",
                "ub_tp_comm_overlap: true\n  " + text);
  };
  const ImportedRecipe imported = import_recipe(with_table(table), a4_job());
  CHECK(imported.yaml.find("tp_comm_overlap_table: h100-h16384-tp8-bf16 # "
                           "model.ub_tp_comm_overlap_cfg\n") != std::string::npos);
  const ImportFile odd = with(with_table(table), "num_sm: 24", "num_sm: 23");
  CHECK(error_of([&] { import_recipe(odd, a4_job()); })
            .find("model.ub_tp_comm_overlap_cfg: is no table of hardware/tp_overlap; add one, or "
                  "--set overlap.tp_comm_overlap_table=NAME") != std::string::npos);
}

}  // namespace simtrain::testing::recipe_nemo1_test
