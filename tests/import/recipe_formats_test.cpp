#include <doctest/doctest.h>
#include <fmt/format.h>

#include "sim/workload/model/fields/model_fields.h"
#include "sim/workload/model/layers/model_parts.h"
#include "tests/core/checkout.h"
#include "tests/core/error_of.h"
#include "tests/import/recipes.h"

namespace simtrain::testing::recipe_formats_test {
namespace {

RecipeRequest h100_job(const std::string& software) { return job("dgx-superpod-h100", software); }

std::string import_error(const ImportFile& file, const RecipeRequest& request) {
  REQUIRE(!file.text.empty());
  return error_of([&] { import_recipe(file, request); });
}

/// Each number and word that decides the work of a step, but for the names of things.
void check_same_recipe(const Recipe& mine, const Recipe& known) {
  const auto text = [](const Recipe& r) {
    const ParallelismSpec& p = r.parallelism;
    const OverlapSpec& o = r.overlap;
    return fmt::format(
        "{} {} {} {} {} | {} {} {} {} {} {} {} {} | {} {} {} {} {} {} {} | {} {} {} {} {}",
        name_of(r.training.precision), r.training.fp8_params, r.training.seq_length,
        r.training.micro_batch_size, r.training.global_batch_size, r.tp(), r.pp(), r.vp(), r.cp(),
        p.expert_model_parallel_size, p.sequence_parallel,
        p.account_for_embedding_in_pipeline_split, p.account_for_loss_in_pipeline_split,
        o.tp_comm_overlap, o.tp_comm_overlap ? *o.tp_comm_overlap_table : "", o.overlap_p2p_comm,
        o.overlap_grad_reduce, o.overlap_param_gather, o.defer_embedding_wgrad_compute,
        o.wgrad_deferral_limit, r.optimizer.distributed, name_of(r.optimizer.grad_reduce_dtype),
        r.optimizer.bucket_size_mb, name_of(r.recompute), r.cuda_graphs);
  };
  CHECK(text(mine) == text(known));
  CHECK(mine.model.name == known.model.name);
  CHECK(model_parameters(mine.model) == model_parameters(known.model));
  CHECK(mine.model.rotary_percent == known.model.rotary_percent);
}

Recipe committed(const std::string& file, const std::string& row) {
  const DataFolder data(source_dir());
  return ScenarioSource::from_file(data.root() + "/scenarios/" + file + ".yaml")
      .scenario(data, row, {})
      .recipe;
}

}  // namespace

TEST_CASE("each recipe is of its own format and no other") {
  CHECK(format_name(recipe_file("llama3-1-405b-224gpus-a4-fp8.yaml").text) == "nemo-1");
  CHECK(format_name(recipe_file("dllogger_header.json").text) == "dllogger-header");
  CHECK(format_name(recipe_file("llama31_70b_nemo2.yaml").text) == "nemo-2");
  CHECK(format_name(recipe_file("llama31_8b_bridge.yaml").text) == "megatron-bridge");
  CHECK(format_name(recipe_file("gpt15b_megatron.sh").text) == "megatron-arguments");
  CHECK(format_name(recipe_file("gpt15b_arguments.txt").text) == "megatron-arguments");
  CHECK(format_name(recipe_file("llama2_13b_config.json").text) == "hugging-face-config");
  CHECK(format_name("cfg:\n  num_layers: 2\n") == "nemo-1-hparams");
  CHECK(format_name("").empty());
  CHECK(format_name("name: x\ncluster: {name: y}\n").empty());
}

TEST_CASE("a NeMo 2 run configuration gives the committed scenario") {
  const ImportedRecipe imported =
      import_recipe(recipe_file("llama31_70b_nemo2.yaml"), h100_job("nemo-25.02.01"));
  const Scenario scenario = scenario_in(imported.yaml);
  check_same_recipe(scenario.recipe, committed("llama31_70b_h100", "bf16-64"));
  CHECK(scenario.placement.nodes == 8);
  for (const std::string text :
       {"model: llama3.1-70b # model.config._target_\n",
        "bucket_size_mb: 268.435456 # ASSUMED: MegatronCommOverlapCallback's default: 134217728 "
        "elements of 2 bytes\n",
        "tp_comm_overlap_table: h100-h8192-tp4-bf16 # "
        "trainer.callbacks[MegatronCommOverlapCallback].tp_comm_overlap_cfg\n"}) {
    CAPTURE(text);
    CHECK(imported.yaml.find(text) != std::string::npos);
  }
}

TEST_CASE("a NeMo 2 configuration in FP8 by a recipe that is not known is refused by default") {
  const ImportFile file = with(recipe_file("llama31_70b_nemo2.yaml"), "precision: bf16-mixed\n",
                               "precision: bf16-mixed\n    fp8: hybrid\n    fp8_recipe: custom\n");
  RecipeRequest request = h100_job("nemo-25.02.01");
  CHECK(import_error(file, request)
            .find("trainer.plugins.fp8_recipe: FP8 by 'custom' is not "
                  "modelled; --set training.precision=NAME") != std::string::npos);
  request.settings = {"training.precision=fp8"};
  const Recipe recipe = scenario_in(import_recipe(file, request).yaml).recipe;
  CHECK(recipe.precision().quantized());
  CHECK(recipe.training.fp8_params);
}

TEST_CASE("a Megatron-Bridge configuration gives the committed scenario") {
  RecipeRequest request = h100_job("nemo-25.02.01");
  request.nodes = 1;
  request.overrides = {"mixed_precision={bf16: true, grad_reduce_in_fp32: false}"};
  const ImportedRecipe imported = import_recipe(recipe_file("llama31_8b_bridge.yaml"), request);
  Recipe known = committed("llama31_8b_h100", "bf16-8");
  check_same_recipe(scenario_in(imported.yaml).recipe, known);
  request.overrides.clear();
  known.optimizer.grad_reduce_dtype = DataType::fp32;
  known.optimizer.bucket_size_mb *= 2;
  check_same_recipe(
      scenario_in(import_recipe(recipe_file("llama31_8b_bridge.yaml"), request).yaml).recipe,
      known);
}

TEST_CASE("the names of Megatron-Bridge's precisions are distinguished") {
  RecipeRequest request = h100_job("nemo-25.02.01");
  request.nodes = 1;
  request.overrides = {"mixed_precision=bf16_with_fp8_delayed_scaling_mixed"};
  const auto imported = [&] {
    return scenario_in(import_recipe(recipe_file("llama31_8b_bridge.yaml"), request).yaml)
        .recipe.training;
  };
  CHECK(imported().precision == Precision::fp8);
  CHECK(imported().num_layers_at_end_in_bf16 == 0);
  CHECK(imported().fp8_params);
  request.overrides = {"mixed_precision=bf16_with_fp8_current_scaling_mixed"};
  CHECK(imported().precision == Precision::fp8_cs);
  CHECK(imported().num_layers_at_start_in_bf16 == 1);
  CHECK(imported().num_layers_at_end_in_bf16 == 1);
  request.overrides = {"mixed_precision=bf16_with_fp8_subchannel_scaling_mixed"};
  CHECK(imported().precision == Precision::fp8_sc);
  CHECK(!imported().fp8_params);
  request.overrides = {"mixed_precision=bf16_with_mxfp8_mixed"};
  CHECK(import_error(recipe_file("llama31_8b_bridge.yaml"), request)
            .find("'fp8_mx' is not computed by h100-sxm") != std::string::npos);
  request.overrides = {"mixed_precision=fp16_mixed"};
  CHECK(imported().precision == Precision::bf16);
  request.overrides = {"~mixed_precision"};
  CHECK(imported().precision == Precision::bf16);
}

TEST_CASE("a Megatron script and the arguments it prints give the same") {
  const RecipeRequest request = h100_job("megatron-core-2025");
  const Scenario script =
      scenario_in(import_recipe(recipe_file("gpt15b_megatron.sh"), request).yaml);
  const Scenario block =
      scenario_in(import_recipe(recipe_file("gpt15b_arguments.txt"), request).yaml);
  check_same_recipe(script.recipe, block.recipe);
  CHECK(script.placement.nodes == 32);
  CHECK(block.placement.nodes == 32);
  CHECK(script.recipe.model.name == "nemotron4-15b");
  CHECK(script.recipe.model.vocab_size == 256000);
  CHECK(script.recipe.optimizer.bucket_size_mb == 160);  // 40 million elements of FP32
  CHECK(script.recipe.optimizer.grad_reduce_dtype == DataType::fp32);
}

TEST_CASE("a Megatron script that needs a run to be understood is refused with the way out") {
  const ImportFile script = recipe_file("gpt15b_megatron.sh");
  RecipeRequest request = h100_job("megatron-core-2025");
  const ImportFile unset = with(script, "TP=8\n", "\n");
  CHECK(import_error(unset, request)
            .find("--tensor-model-parallel-size: '$TP' has no value in the file; --override "
                  "tensor_model_parallel_size=VALUE sets one") != std::string::npos);
  request.overrides = {"tensor_model_parallel_size=8"};
  CHECK(import_error(unset, request).empty());
  request.overrides.clear();
  const ImportFile twice = with(script, "--lr 4.5e-4", "--num-layers 96");
  CHECK(import_error(twice, request)
            .find("num_layers: '96' here, '32' in line 16; --override num_layers=VALUE settles "
                  "it") != std::string::npos);
  request.overrides = {"--num-layers=32"};
  CHECK(import_error(twice, request).empty());
  request.overrides = {"num_layer=32"};
  CHECK(import_error(script, request)
            .find("num_layer: is no argument that simtrain reads; did you "
                  "mean 'num_layers'?") != std::string::npos);
  CHECK(import_error(with(script, "--squared-relu", "--squared-relu --moe-extended-tp"),
                     h100_job("megatron-core-2025"))
            .find("--moe-extended-tp: is set to 'true'; experts") != std::string::npos);
}

TEST_CASE("Megatron's virtual stages are given by layers too") {
  RecipeRequest request = h100_job("megatron-core-2025");
  const ImportFile staged =
      with(recipe_file("gpt15b_megatron.sh"), "--pipeline-model-parallel-size=1",
           "--pipeline-model-parallel-size 4 "
           "--num-layers-per-virtual-pipeline-stage 2");
  const Recipe recipe = scenario_in(import_recipe(staged, request).yaml).recipe;
  CHECK(recipe.vp() == 4);
  CHECK(recipe.overlap.overlap_p2p_comm);
  CHECK(!recipe.parallelism.microbatch_group_size_per_vp_stage);
  const std::string group = " --microbatch-group-size-per-virtual-pipeline-stage ";
  const auto grouped = [&](const std::string& size) {
    return scenario_in(
               import_recipe(with(staged, "stage 2", "stage 2" + group + size), request).yaml)
        .recipe.parallelism.microbatch_group_size_per_vp_stage;
  };
  CHECK(grouped("8") == 8);
  CHECK(!grouped("4"));  // as Megatron does without it
  CHECK(import_error(with(staged, "stage 2", "stage 3"), request)
            .find("3 layers a virtual stage do not divide 32 layers over PP 4") !=
        std::string::npos);
}

TEST_CASE("a Hugging Face configuration becomes a model file") {
  RecipeRequest request;
  request.name = "llama2-13b";
  const ImportedRecipe imported = import_recipe(recipe_file("llama2_13b_config.json"), request);
  const auto model = read_yaml<ModelSpec>(load_yaml_text(imported.yaml, "model.yaml"), "");
  CHECK(model.name == "llama2-13b");
  CHECK(model.num_layers == 40);
  CHECK(model.hidden_size == 5120);
  CHECK(model.ffn_hidden_size == 13824);
  CHECK(model.num_query_groups == 40);
  CHECK(model.kv_channels == 128);
  CHECK(model.vocab_size == 32000);
  CHECK(model.activation == Activation::swiglu);
  CHECK(model.normalization == Normalization::rmsnorm);
  CHECK(!model.share_embeddings_and_output_weights);
  CHECK(model_parameters(model) == 13015864320);  // as its model card's 13.02 B
  CHECK(imported.yaml.find("num_layers: 40 # num_hidden_layers\n") != std::string::npos);
  CHECK(imported.yaml.find("normalization: rmsnorm # ") != std::string::npos);
}

TEST_CASE("what a Hugging Face model does beside its configuration is reported") {
  RecipeRequest request;
  request.name = "m";
  const auto notes = [&](const std::string& from, const std::string& to) {
    std::string all;
    const ImportFile file = with(recipe_file("llama2_13b_config.json"), from, to);
    REQUIRE(!file.text.empty());
    for (const std::string& note : import_recipe(file, request).notes) all += note + "\n";
    return all;
  };
  CHECK(notes("\"llama\"", "\"llama\"").empty());
  CHECK(notes("\"llama\"", "\"qwen2\"").empty());  // its biases are stated
  CHECK(notes("\"llama\"", "\"llama\", \"attention_bias\": true") ==
        "not simulated, though asked for: biases of the linear modules (of attention's output, by "
        "attention_bias)\n");
  CHECK(notes("\"llama\"", "\"llama\", \"mlp_bias\": true").find("(mlp_bias)") !=
        std::string::npos);
  CHECK(notes("\"llama\"", "\"mistral\", \"sliding_window\": 4096").empty());
  CHECK(notes("\"llama\"", "\"llama\", \"sliding_window\": 4096, \"use_sliding_window\": false")
            .empty());
}

TEST_CASE("a Hugging Face model that no run would take is no import") {
  const ImportFile file = recipe_file("llama2_13b_config.json");
  RecipeRequest request;
  request.name = "m";
  request.overrides = {"num_attention_heads=39"};
  CHECK(import_error(file, request)
            .find("num_attention_heads: 39 heads do not divide the hidden "
                  "size of 5120, and the size of a head is not given") != std::string::npos);
  request.overrides = {"num_key_value_heads=7"};
  CHECK(import_error(file, request)
            .find("num_key_value_heads: 7 query groups do not divide the 40 "
                  "heads") != std::string::npos);
  request.overrides = {"~num_key_value_heads", "model_type=qwen2"};
  CHECK(import_error(file, request)
            .ends_with("num_key_value_heads: is not given by this "
                       "configuration"));
}

TEST_CASE("a recipe of which nothing is read is no import, nor is a count at another place") {
  RecipeRequest request = h100_job("nemo-25.02.01");
  CHECK(import_error({"r.yaml", "model: {x: 1}\ntrainer: {y: 2}\n"}, request) ==
        "r.yaml: holds no key that simtrain reads in a file of this kind (NeMo 1 configuration); "
        "'simtrain list import-formats' lists the kinds");
  CHECK(
      import_error({"r.yaml", "model: {language: {num_layers: 4}, hidden_size: 8}\ntrainer: {}\n"},
                   request) ==
      "r.yaml:1:32: model.language.num_layers: is where this format does not have it; "
      "--override +model.num_layers=VALUE sets it, --override \"~model.language.num_layers\" "
      "leaves it out");
  CHECK(import_error({"c.json", "{\"model_type\": null}"}, {}).find("holds no key") !=
        std::string::npos);
}

TEST_CASE("Hugging Face configurations of other kinds are refused") {
  const ImportFile file = recipe_file("llama2_13b_config.json");
  RecipeRequest request;
  request.name = "m";
  CHECK(import_error(with(file, "\"llama\"", "\"own\""), request)
            .find("model_type: 'own' is not known here; known are llama, mistral") !=
        std::string::npos);
  CHECK(import_error(with(file, "\"llama\"", "\"kimi_linear\""), request)
            .ends_with("model_type: 'kimi_linear' has linear attention (Kimi delta attention), "
                       "which is not modelled"));
  CHECK(import_error(with(file, "\"vocab_size\"", "\"num_local_experts\": 8, \"vocab_size\""),
                     request)
            .find("num_local_experts: is set to 8; model_type llama has no experts") !=
        std::string::npos);
  CHECK(import_error(with(file, "\"vocab_size\": 32000", "\"x\": 1"), request)
            .ends_with("vocab_size: is not given by this configuration"));
  request.cluster = "gcp-a4";
  CHECK(import_error(file, request)
            .starts_with("--cluster: does not apply: a config.json gives the shape"));
}

}  // namespace simtrain::testing::recipe_formats_test
