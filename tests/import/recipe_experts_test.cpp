// Recipes of mixtures of experts: what each format says of them, and what is refused.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "sim/run/simulate.h"
#include "tests/core/checkout.h"
#include "tests/core/error_of.h"
#include "tests/import/recipes.h"

namespace simtrain::testing::recipe_experts_test {
namespace {

const std::string kConfig = "mixtral_8x7b_model_config.yaml";
const std::string kScript = "qwen3_30b_megatron.sh";

RecipeRequest mixture_job(const std::vector<std::string>& overrides = {},
                          const std::vector<std::string>& settings = {}) {
  RecipeRequest request = job("dgx-superpod-h100", "nemo-25.02.01");
  request.overrides = overrides;
  request.settings = settings;
  return request;
}

std::string yaml_of(const std::string& name, const RecipeRequest& request = mixture_job()) {
  return import_recipe(recipe_file(name), request).yaml;
}

Recipe recipe_of(const std::string& name, const RecipeRequest& request = mixture_job()) {
  return scenario_in(yaml_of(name, request)).recipe;
}

std::string refused(const std::string& name, const std::vector<std::string>& overrides,
                    const std::vector<std::string>& settings = {}) {
  return error_of([&] { import_recipe(recipe_file(name), mixture_job(overrides, settings)); });
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Which layers of a script's model have experts: 1 and 0 for each.
std::string layers_of(const std::string& frequency, int layers) {
  const Recipe recipe =
      recipe_of(kScript, mixture_job({fmt::format("num_layers={}", layers),
                                      "moe_layer_freq=" + frequency, "ffn_hidden_size=6144"}));
  std::string flags;
  for (const LayerSpec& layer : *recipe.model.layers)
    flags.append(static_cast<std::size_t>(layer.repeat),
                 layer.blocks.back() == BlockKind::moe ? '1' : '0');
  return flags;
}

std::string pattern_error(const std::string& frequency) {
  return refused(kScript, {"moe_layer_freq=" + frequency});
}

}  // namespace

TEST_CASE("a mixture of Megatron's model_config.yaml is a shipped model and can be simulated") {
  const std::string yaml = yaml_of(kConfig);
  CHECK(has(yaml, "\nmodel: mixtral-8x7b # by its shape\n"));
  CHECK(!has(yaml, "model_overrides"));
  const Scenario scenario = scenario_in(yaml);
  CHECK(scenario.recipe.ep() == 4);
  CHECK(scenario.recipe.etp() == 1);
  CHECK(scenario.recipe.moe.moe_token_dispatcher_type == TokenDispatcher::alltoall);
  CHECK(scenario.recipe.moe.moe_permute_fusion);
  CHECK(!scenario.recipe.moe.moe_router_fusion);
  CHECK(!scenario.recipe.moe.moe_expert_capacity_factor);
  CHECK(simulate(scenario).step_time_s > 0);
}

TEST_CASE("a script of Megatron-LM gives flex, its SMs and the modules to recompute") {
  const std::string yaml = yaml_of(kScript);
  CHECK(has(yaml, "\nmodel: qwen3-30b-a3b # by its shape\n"));
  CHECK(has(yaml, "  moe_flex_dispatcher_num_sms: 32 # --moe-hybridep-num-sms\n"));
  CHECK(has(yaml, "recompute_modules: [moe_act, layernorm] # --recompute-modules\n"));
  const Scenario scenario = scenario_in(yaml);
  const MoeSpec& moe = scenario.recipe.moe;
  CHECK(moe.moe_token_dispatcher_type == TokenDispatcher::flex);
  CHECK(moe.moe_flex_dispatcher_backend == ExchangeLibrary::hybridep);
  CHECK(moe.moe_router_fusion);
  CHECK(scenario.recipe.recomputes(RecomputeModule::moe_act));
  CHECK(!scenario.recipe.recomputes(RecomputeModule::core_attn));
  CHECK(simulate(scenario).step_time_s > 0);
}

TEST_CASE("a mixture of NeMo 1 is the committed scenario") {
  RecipeRequest request = job("gcp-a3-ultra", "nemo-25.02");
  const Scenario mine = scenario_in(yaml_of("mixtral_8x7b_nemo1.yaml", request));
  const DataFolder data(source_dir());
  const Scenario known =
      ScenarioSource::from_file(data.root() + "/scenarios/mixtral_8x7b_h200.yaml")
          .scenario(data, "bf16-256", {});
  CHECK(mine.recipe.model.name == known.recipe.model.name);
  CHECK(mine.recipe.model.vocab_size == known.recipe.model.vocab_size);
  CHECK(simulate(mine).step_time_s == simulate(known).step_time_s);
}

TEST_CASE("a class of NeMo 2 has experts of its own, which keys change") {
  const std::string file = "mixtral_8x7b_nemo2.yaml";
  const std::string yaml = yaml_of(file);
  CHECK(has(yaml, "\nmodel: mixtral-8x7b # model.config._target_\n"));
  CHECK(!has(yaml, "model_overrides"));
  const Scenario scenario = scenario_in(yaml);
  const MoeSpec& moe = scenario.recipe.moe;
  CHECK(moe.moe_token_dispatcher_type == TokenDispatcher::alltoall);
  CHECK(moe.moe_expert_capacity_factor == 1);
  CHECK(moe.moe_pad_expert_input_to_capacity);
  CHECK(scenario.recipe.vp() == 8);
  CHECK(simulate(scenario).step_time_s > 0);

  const ModelSpec fewer =
      recipe_of(file,
                mixture_job({"+model.config.num_layers=64", "+model.config.moe_router_topk=4"}))
          .model;
  CHECK(fewer.layers->front().repeat == 64);
  CHECK(fewer.experts->moe_router_topk == 4);
  CHECK(fewer.experts->num_moe_experts == 8);
  const ModelSpec upcycled = recipe_of(file, mixture_job({"model.config._target_=a.Llama31Config8B",
                                                          "+model.config.num_moe_experts=16"}))
                                 .model;
  CHECK(upcycled.experts->num_moe_experts == 16);
  CHECK(upcycled.experts->moe_router_topk == 2);
  CHECK(upcycled.experts->moe_ffn_hidden_size == 14336);
  CHECK(upcycled.num_query_groups == 8);
}

TEST_CASE("half the layers of a class of two kinds keep their order") {
  const std::vector<std::string> llama4{"model.config._target_=a.Llama4Experts128Config",
                                        "+model.config.num_layers=32"};
  const ModelSpec model = recipe_of("mixtral_8x7b_nemo2.yaml", mixture_job(llama4)).model;
  REQUIRE(model.layers->size() == 32);
  CHECK(model.layers->front().blocks.back() == BlockKind::mlp);
  CHECK(model.layers->back().blocks.back() == BlockKind::moe);
}

TEST_CASE("callbacks of NeMo 2 that mixtures have count") {
  const ImportFile file = with(recipe_file("mixtral_8x7b_nemo2.yaml"),
                               "moe_token_drop.MegatronTokenDropCallback\n"
                               "      moe_expert_capacity_factor: 1.0",
                               "deepep.DeepEPCallback");
  const MoeSpec moe = scenario_in(import_recipe(file, mixture_job()).yaml).recipe.moe;
  CHECK(moe.moe_token_dispatcher_type == TokenDispatcher::flex);
  CHECK(moe.moe_flex_dispatcher_backend == ExchangeLibrary::deepep);
  CHECK(!moe.moe_expert_capacity_factor);
}

TEST_CASE("a Megatron-Bridge configuration of a mixture can be simulated") {
  RecipeRequest request = mixture_job();
  request.nodes = 2;
  const ImportedRecipe imported = import_recipe(recipe_file("qwen3_30b_bridge.yaml"), request);
  const Scenario scenario = scenario_in(imported.yaml);
  CHECK(scenario.recipe.model.name == "qwen3-30b-a3b");
  CHECK(scenario.recipe.moe.moe_flex_dispatcher_backend == ExchangeLibrary::deepep);
  CHECK(scenario.recipe.recomputes(RecomputeModule::moe_act));
  CHECK(!scenario.recipe.cuda_graphs);  // of parts of a layer
  CHECK(has(imported.yaml, "model.cuda_graph_scope: graphs of parts of a layer"));
  CHECK(simulate(scenario).step_time_s > 0);
}

TEST_CASE("a frequency of layers is a number, a list or what Python writes") {
  CHECK(layers_of("1", 4) == "1111");
  CHECK(layers_of("2", 5) == "10101");
  CHECK(layers_of("[0,1,1,1]", 4) == "0111");
  CHECK(layers_of("[0, 1, 0, 1]", 4) == "0101");
  CHECK(layers_of("([0]*1+[1]*3)", 4) == "0111");
  CHECK(layers_of("[0]*2 + [1]*3", 5) == "00111");
  CHECK(layers_of("([0]+[1]*2)*2", 6) == "011011");
  CHECK(layers_of("2*[0,1]", 4) == "0101");
  CHECK(layers_of("(1+1)*1", 4) == "1010");
  std::string flags = "[0";
  for (int i = 1; i < 48; ++i) flags += ", 1";
  const ImportFile listed = with(recipe_file("qwen3_30b_bridge.yaml"), "moe_layer_freq: 1",
                                 "moe_layer_freq: " + flags + "]");
  RecipeRequest request = mixture_job();
  request.nodes = 2;
  const ImportedRecipe imported = import_recipe(listed, request);
  CHECK(has(imported.yaml,
            "  layers: [{blocks: [gqa, mlp], repeat: 1}, {blocks: [gqa, moe], "
            "repeat: 47}] # model.moe_layer_freq\n"));
  CHECK(scenario_in(imported.yaml).recipe.model.name == "qwen3-30b-a3b");
}

TEST_CASE("a frequency that does not say it of each layer is refused at its place") {
  CHECK(has(pattern_error("[0]*3+[1]*44"),
            "--moe-layer-freq: '[0]*3+[1]*44' is of 47 layers, the model has 48; a number N"));
  for (const std::string text : {"[0,2]", "[0]*", "([0]*3", "x", "[0]*[1]", "[1]*99999999", "1+[0]",
                                 "-1", "[[0]]", "1000000*1000000", "__import__"}) {
    CAPTURE(text);
    CHECK(has(pattern_error(text), "does not say which layers have experts"));
  }
  CHECK(has(pattern_error("0"), "'0' is no number of layers"));
  CHECK(has(pattern_error(std::string(5000, '(') + "1"), "does not say which layers"));
  CHECK(has(refused(kScript, {"num_layers=99999", "moe_layer_freq=2"}), "up to 10000 are listed"));
}

TEST_CASE("what Megatron leaves to a default of experts is filled in, and said") {
  const RecipeRequest bare =
      mixture_job({"~moe_router_topk", "~moe_token_dispatcher_type", "~moe_permute_fusion",
                   "~moe_grouped_gemm", "num_experts=16"});
  const ImportedRecipe imported = import_recipe(recipe_file(kConfig), bare);
  const Recipe recipe = scenario_in(imported.yaml).recipe;
  CHECK(recipe.model.experts->moe_router_topk == 2);
  CHECK(recipe.model.experts->moe_ffn_hidden_size == 14336);
  CHECK(recipe.model.experts->moe_shared_expert_intermediate_size == 0);
  CHECK(recipe.moe.moe_token_dispatcher_type == TokenDispatcher::allgather);
  CHECK(!recipe.moe.moe_permute_fusion);
  CHECK(has(imported.yaml,
            "# ASSUMED: --num-experts; of the FFN of the model; 2 of them for a token, "
            "Megatron's default\n"));
  CHECK(imported.notes.empty());
  CHECK(!recipe.moe.moe_grouped_gemm);
  CHECK(recipe_of(kConfig, mixture_job({"moe_shared_expert_intermediate_size=4096"}))
            .model.experts->moe_shared_expert_intermediate_size == 4096);
}

TEST_CASE("a mixture is never near a dense model, nor a dense model near a mixture") {
  const std::vector<std::string> dense{"~num_experts", "expert_model_parallel_size=1"};
  const ImportedRecipe imported = import_recipe(recipe_file(kConfig), mixture_job(dense));
  const Recipe recipe = scenario_in(imported.yaml).recipe;
  CHECK(recipe.model.name == "llama3.1-8b");  // of the same hidden size, FFN and heads
  CHECK(!recipe.model.has_experts());
  CHECK(has(imported.yaml, "of mixtures of experts, which this model is not: "));
  CHECK(has(refused(kConfig, {"~num_experts"}),
            "parallelism.expert_model_parallel_size: is 4; llama3.1-8b has no experts"));
  RecipeRequest request = mixture_job({"+model.moe_router_topk=2", "+model.moe_layer_freq=1"});
  request.nodes = 1;
  CHECK(has(yaml_of("llama31_8b_bridge.yaml", request),
            "which this model is not: model.moe_layer_freq, model.moe_router_topk\n"));
  const Recipe own = recipe_of(kConfig, mixture_job({"moe_ffn_hidden_size=7168"}));
  CHECK(own.model.name != "mixtral-8x7b");
  CHECK(own.model.experts->moe_ffn_hidden_size == 7168);
}

TEST_CASE("where all layers have experts, the FFN of a model does not count") {
  CHECK(recipe_of(kScript, mixture_job({"ffn_hidden_size=768"})).model.name == "qwen3-30b-a3b");
  CHECK(recipe_of(kScript, mixture_job({"~ffn_hidden_size"})).model.name == "qwen3-30b-a3b");
}

TEST_CASE("layers given by --set are listed as many, and a whole section is taken") {
  const Recipe recipe = recipe_of(kConfig, mixture_job({}, {"model_overrides.num_layers=16"}));
  CHECK(recipe.model.num_layers == 16);
  CHECK(recipe.model.layers->front().repeat == 16);
  const MoeSpec moe =
      recipe_of(kConfig, mixture_job({}, {"moe={moe_token_dispatcher_type: allgather}"})).moe;
  CHECK(moe.moe_token_dispatcher_type == TokenDispatcher::allgather);
  CHECK(moe.moe_permute_fusion);
}

TEST_CASE("how experts are computed, padded and chosen is taken") {
  const Recipe recipe = recipe_of(
      kConfig, mixture_job({"moe_grouped_gemm=false", "moe_router_padding_for_fp8=true",
                            "moe_router_score_function=sigmoid", "moe_router_pre_softmax=false"}));
  CHECK(!recipe.moe.moe_grouped_gemm);
  CHECK(recipe.moe.moe_router_padding_for_quantization);
  CHECK(recipe.model.experts->moe_router_score_function == RouterScore::sigmoid);
  const ImportedRecipe plain = import_recipe(recipe_file(kConfig), mixture_job());
  CHECK(scenario_in(plain.yaml).recipe.moe.moe_grouped_gemm);
  // A recipe that does not say it is near a model of either, one that does only of its own.
  CHECK(scenario_in(plain.yaml).recipe.model.name == "mixtral-8x7b");
  CHECK(recipe_of(kConfig, mixture_job({"moe_router_pre_softmax=true"}))
            .model.experts->moe_router_pre_softmax);
  CHECK_FALSE(scenario_in(plain.yaml).recipe.moe.use_transformer_engine_op_fuser);
  CHECK(recipe_of(kConfig, mixture_job({"use_transformer_engine_op_fuser=true"}))
            .moe.use_transformer_engine_op_fuser);
  CHECK(has(refused(kConfig, {"moe_router_score_function=tanh"}), "'tanh' is not modelled"));
  CHECK(has(refused(kConfig, {"moe_token_dispatcher_type=allgather",
                              "moe_router_padding_for_quantization=true"}),
            "moe.moe_router_padding_for_quantization: is not of the allgather dispatcher"));
}

TEST_CASE("dispatchers and their libraries go by their names, old and new") {
  const auto moe = [](const std::vector<std::string>& overrides) {
    return recipe_of(kConfig, mixture_job(overrides)).moe;
  };
  const MoeSpec old = moe({"~moe_token_dispatcher_type", "moe_enable_deepep=true",
                           "moe_deepep_num_sms=24", "moe_hybridep_num_sms=16"});
  CHECK(old.moe_token_dispatcher_type == TokenDispatcher::flex);
  CHECK(old.moe_flex_dispatcher_backend == ExchangeLibrary::deepep);
  CHECK(old.moe_flex_dispatcher_num_sms == 24);
  const MoeSpec spare = moe({"moe_deepep_num_sms=24"});  // of flex only
  CHECK(!spare.moe_flex_dispatcher_num_sms);
  const MoeSpec capped =
      moe({"moe_expert_capacity_factor=1.5", "moe_pad_expert_input_to_capacity=true"});
  CHECK(capped.moe_expert_capacity_factor == 1.5);
  CHECK(capped.moe_pad_expert_input_to_capacity);
  const MoeSpec budget =
      moe({"moe_token_dispatcher_type=flex", "moe_flex_dispatcher_backend=hybridep",
           "moe_expert_rank_capacity_factor=1.5"});
  CHECK(budget.moe_expert_rank_capacity_factor == 1.5);
  CHECK(!moe({"moe_expert_capacity_factor=-1"}).moe_expert_capacity_factor);
  CHECK(has(refused(kConfig, {"moe_expert_capacity_factor=much"}), "'much' is no factor"));
  CHECK(has(refused(kConfig, {"moe_token_dispatcher_type=alltoall_seq"}),
            "--moe-token-dispatcher-type: 'alltoall_seq' is not modelled; --set "
            "moe.moe_token_dispatcher_type=NAME takes one of allgather, alltoall, flex"));
  CHECK(refused(kConfig, {"moe_token_dispatcher_type=alltoall_seq"},
                {"moe.moe_token_dispatcher_type=alltoall"})
            .empty());
  CHECK(has(
      refused(kConfig, {"moe_token_dispatcher_type=flex", "moe_flex_dispatcher_backend=ncclep"}),
      "'ncclep' is not modelled"));
  CHECK(has(refused(kConfig, {"moe_enable_deepep=true"}),
            "'alltoall' contradicts --moe-enable-deepep, which is of flex"));
}

TEST_CASE("modules to recompute are those of Megatron, old switches too") {
  const auto modules = [](const std::vector<std::string>& overrides) {
    return recipe_of(kConfig, mixture_job(overrides));
  };
  const Recipe old = modules({"moe_layer_recompute=true"});
  CHECK(old.recompute == Recompute::selective);
  CHECK(old.recompute_modules == std::vector<RecomputeModule>{RecomputeModule::moe});
  CHECK(
      modules({"moe_layer_recompute=true", "recompute_granularity=selective"}).recompute_modules ==
      std::vector<RecomputeModule>{RecomputeModule::core_attn, RecomputeModule::moe});
  CHECK(modules({"recompute_granularity=selective", "recompute_modules=[mlp, moe_act]"})
            .recompute_modules ==
        std::vector<RecomputeModule>{RecomputeModule::mlp, RecomputeModule::moe_act});
  CHECK(has(refused(kConfig, {"recompute_granularity=selective", "recompute_modules=mla_down"}),
            "--recompute-modules: 'mla_down' is not modelled; --set recompute_modules=[...] "
            "takes some of core_attn, layernorm, mlp, mla_up_proj, moe"));
}

TEST_CASE("settings that change a step in a way that is not simulated are refused at their line") {
  for (const std::string key :
       {"moe_extended_tp", "moe_token_dropping", "moe_router_force_biased"}) {
    CAPTURE(key);
    const std::string error = refused(kConfig, {key + "=1"});
    CHECK(error.starts_with("--override " + key + "=1:1:1: --"));
    CHECK(has(error, "is set to '1'; "));
    CHECK(refused(kConfig, {key + "=false"}).empty());
  }
  CHECK(has(import_recipe(recipe_file(kConfig), mixture_job({"moe_router_topk_limited_devices=8"}))
                .notes.front(),
            "routing to some groups of experts"));
  const ExpertsSpec grouped =
      *scenario_in(import_recipe(recipe_file(kConfig), mixture_job({"moe_router_num_groups=4",
                                                                    "moe_router_group_topk=2"}))
                       .yaml)
           .recipe.model.experts;
  CHECK(grouped.moe_router_num_groups == 4);
  CHECK(grouped.moe_router_group_topk == 2);
}

TEST_CASE("what runs beside the exchange of tokens is imported") {
  const ImportFile paired =
      with(recipe_file("qwen3_30b_bridge.yaml"), "overlap_moe_expert_parallel_comm: false",
           "overlap_moe_expert_parallel_comm: true\n  delay_wgrad_compute: true");
  RecipeRequest request = mixture_job();
  request.nodes = 2;
  const OverlapSpec overlap = scenario_in(import_recipe(paired, request).yaml).recipe.overlap;
  CHECK(overlap.overlap_moe_expert_parallel_comm);
  CHECK(overlap.delay_wgrad_compute);
}

TEST_CASE("experts that cannot be dealt out are refused by the scenario") {
  CHECK(
      has(refused(kConfig, {"expert_model_parallel_size=3"}), "3 does not divide the experts (8)"));
  CHECK(has(refused(kConfig, {"moe_router_topk=9"}), "takes 9 of 8 experts"));
  CHECK(has(refused(kConfig, {"~sequence_parallel"}), "experts under tensor parallelism need it"));
}

}  // namespace simtrain::testing::recipe_experts_test
