// Recipes of models whose layers are not all of grouped attention and an MLP.
#include <doctest/doctest.h>

#include "sim/run/simulate.h"
#include "tests/core/error_of.h"
#include "tests/import/recipes.h"

namespace simtrain::testing::recipe_layers_test {
namespace {

using Overrides = std::vector<std::string>;

const std::string kLatent = "deepseek_v3_megatron.sh";
const std::string kMixture = "qwen3_30b_megatron.sh";
const std::string kDense = "gpt15b_model_config.yaml";

RecipeRequest layers_job(const Overrides& overrides = {}) {
  RecipeRequest request = job("dgx-superpod-h100", "megatron-core-2025");
  request.overrides = overrides;
  return request;
}

std::string yaml_of(const std::string& name, const Overrides& overrides = {}) {
  return import_recipe(recipe_file(name), layers_job(overrides)).yaml;
}

ModelSpec model_in(const std::string& name, const Overrides& overrides = {}) {
  return scenario_in(yaml_of(name, overrides)).recipe.model;
}

std::string refused(const std::string& name, const Overrides& overrides) {
  return error_of([&] { yaml_of(name, overrides); });
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a script with multi-latent attention is the shipped model and can be simulated") {
  const std::string yaml = yaml_of(kLatent);
  CHECK(has(yaml, "\nmodel: deepseek-v3 # by its shape\n"));
  CHECK(!has(yaml, "model_overrides"));
  CHECK(has(yaml, "recompute_modules: [mla_up_proj, mlp]"));
  CHECK(simulate(scenario_in(yaml)).step_time_s > 0);
}

TEST_CASE("gated delta nets of a recipe are those of its frequency") {
  const Overrides delta{"experimental_attention_variant=gated_delta_net", "linear_attention_freq=4",
                        "linear_num_value_heads=64", "attention_output_gate=true"};
  const ModelSpec model = model_in(kMixture, delta);
  REQUIRE(model.gated_delta_net);
  CHECK(model.gated_delta_net->linear_num_value_heads == 64);
  CHECK(model.gated_delta_net->linear_num_key_heads == 16);
  CHECK(model.attention_output_gate);
  CHECK(model.layers->front().blocks.front() == BlockKind::gated_delta_net);
  CHECK(model.layers->front().repeat == 3);
  CHECK(model.layers->back().blocks.front() == BlockKind::gqa);
  CHECK(has(yaml_of(kMixture, delta), "Megatron Core's default of linear_num_key_heads"));
  CHECK(has(refused(kMixture, {"experimental_attention_variant=gated_delta_net"}),
            "needs linear_attention_freq, which says its layers"));
  CHECK(has(refused(kMixture, {"experimental_attention_variant=dsa"}),
            "DeepSeek's sparse attention needs multi_latent_attention"));
  CHECK(has(refused(kMixture, {"experimental_attention_variant=own"}),
            "'own' is not modelled; gated_delta_net or dsa would do"));
  for (const std::string none : {"false", "None", "null"})
    CHECK(!model_in(kMixture, {"experimental_attention_variant=" + none}).gated_delta_net);
}

TEST_CASE("a script with sparse attention is the shipped model, and leaves sizes to its defaults") {
  const Overrides sparse{"experimental_attention_variant=dsa", "dsa_indexer_n_heads=64",
                         "dsa_indexer_head_dim=128", "dsa_indexer_topk=2048"};
  const std::string yaml = yaml_of(kLatent, sparse);
  CHECK(has(yaml, "\nmodel: deepseek-v3.2 # by its shape\n"));
  CHECK(simulate(scenario_in(yaml)).step_time_s > 0);
  const std::string silent = yaml_of(kLatent, {sparse.front()});
  CHECK(has(silent, "\nmodel: deepseek-v3.2 # by its shape\n"));
  const ModelSpec fewer = model_in(kLatent, {sparse.front(), "dsa_indexer_topk=1024"});
  CHECK(fewer.dsa_indexer->dsa_indexer_topk == 1024);
}

TEST_CASE("sizes of multi-latent attention that Megatron leaves to defaults are said") {
  const std::string yaml = yaml_of(kLatent, {"~q_lora_rank", "~v_head_dim", "~qk_head_dim"});
  const ModelSpec model = scenario_in(yaml).recipe.model;
  CHECK(!model.multi_latent_attention->q_lora_rank);  // as of the command line
  CHECK(model.multi_latent_attention->kv_lora_rank == 512);
  CHECK(model.multi_latent_attention->v_head_dim == 128);
  CHECK(has(yaml, "Megatron Core's default of qk_head_dim, v_head_dim\n"));
  CHECK(model.name != "deepseek-v3");
}

TEST_CASE(
    "a class with multi-latent attention gives what its recipe does not, and can be changed") {
  const ImportFile file = with(recipe_file("mixtral_8x7b_nemo2.yaml"), "mixtral.MixtralConfig8x7B",
                               "deepseek.DeepSeekV2LiteConfig");
  const auto model = [&](const Overrides& overrides) {
    Overrides all{"trainer.strategy.virtual_pipeline_model_parallel_size=1",
                  "trainer.strategy.pipeline_model_parallel_size=1"};
    all.insert(all.end(), overrides.begin(), overrides.end());
    return scenario_in(import_recipe(file, layers_job(all)).yaml).recipe.model;
  };
  const ModelSpec plain = model({});
  CHECK(plain.name == "deepseek-v2-lite");
  CHECK(!plain.multi_latent_attention->q_lora_rank);
  const ModelSpec changed = model({"+model.config.q_lora_rank=1536", "+model.config.num_layers=4",
                                   "+model.config.mtp_num_layers=1"});
  CHECK(changed.multi_latent_attention->q_lora_rank == 1536);
  CHECK(changed.multi_latent_attention->kv_lora_rank == 512);
  CHECK(changed.mtp_num_layers == 1);
  REQUIRE(changed.layers->size() == 2);
  CHECK(changed.layers->front().blocks.front() == BlockKind::mla);
  CHECK(changed.layers->back().repeat == 3);
}

TEST_CASE("a rank of queries that a configuration writes as nothing is none") {
  RecipeRequest request = layers_job(
      {"model._target_=a.Own", "+model.multi_latent_attention=true", "+model.q_lora_rank=null"});
  request.nodes = 2;
  const auto latent = [&] {
    const ImportedRecipe imported = import_recipe(recipe_file("qwen3_30b_bridge.yaml"), request);
    return *scenario_in(imported.yaml).recipe.model.multi_latent_attention;
  };
  CHECK(!latent().q_lora_rank);
  request.overrides.pop_back();
  CHECK(latent().q_lora_rank == 512);
}

TEST_CASE("a shape that differs from a shipped one in a key of its blocks is not that model") {
  CHECK(has(yaml_of(kMixture), "\nmodel: qwen3-30b-a3b # by its shape\n"));
  const std::string normless = yaml_of(kMixture, {"~qk_layernorm"});
  CHECK(has(normless, "\nmodel: qwen3-30b-a3b # the nearest by its shape\n"));
  CHECK(has(normless, "model_overrides:\n  qk_layernorm: false # not in the recipe\n"));
  CHECK(has(yaml_of(kMixture, {"~add_bias_linear"}),
            "  add_bias_linear: true # ASSUMED: Megatron's default, no --disable-bias-linear\n"));
  CHECK(has(yaml_of(kMixture, {"add_qkv_bias=true"}), "  add_qkv_bias: true # --add-qkv-bias\n"));
  CHECK(has(yaml_of(kMixture, {"softmax_type=learnable"}), "  softmax_type: learnable"));
  CHECK(has(yaml_of(kLatent, {"mtp_num_layers=2"}), "  mtp_num_layers: 2 # --mtp-num-layers\n"));
  CHECK(has(yaml_of(kLatent, {"~mtp_num_layers"}), "  mtp_num_layers: 0 # not in the recipe\n"));
  CHECK(model_in(kLatent, {"kv_lora_rank=256"}).name != "deepseek-v3");
  CHECK(model_in(kMixture, {"moe_latent_size=1024"}).experts->moe_latent_size == 1024);
  CHECK(has(yaml_of(kMixture, {"activation_func_clamp_value=7"}),
            "  activation_func_clamp_value: 7 # --activation-func-clamp-value\n"));
  CHECK(model_in(kMixture, {"activation_func_clamp_value=7"}).activation_func_clamp_value == 7);
  CHECK(model_in(kMixture, {"~swiglu", "quick_geglu=true"}).activation == Activation::swiglu);
  CHECK(has(refused(kMixture, {"softmax_type=hard"}),
            "--softmax-type: 'hard' is not modelled; one of vanilla, off-by-one, learnable"));
}

TEST_CASE("windows are a pair or a number, of all layers or of some") {
  const auto layers = [](const std::string& window, const std::string& skip) {
    Overrides overrides{"num_layers=4", "window_size=" + window};
    if (!skip.empty()) overrides.push_back("window_attn_skip_freq=" + skip);
    const ModelSpec model = model_in(kDense, overrides);
    std::string text = std::to_string(model.window_size.value_or(0));
    if (!model.layers) return text;
    for (const LayerSpec& layer : *model.layers)
      text += " " + std::to_string(layer.repeat) + std::string(name_of(layer.blocks.front()));
    return text;
  };
  CHECK(layers("128", "") == "128 4swa");
  CHECK(layers("(127, 0)", "") == "128 4swa");
  CHECK(layers("127,0", "2") == "128 1swa 1gqa 1swa 1gqa");
  CHECK(layers("[127,-1]", "[1,1,0,1]") == "128 2swa 1gqa 1swa");
  CHECK(layers("(-1, -1)", "") == "0");
  CHECK(layers("-1", "2") == "0");
  CHECK(has(refused(kDense, {"window_size=(127, 5)"}), "--window-size: '(127, 5)' is no window"));
  CHECK(has(refused(kDense, {"window_size=x,0"}), "is no window; the number of keys"));
  CHECK(has(refused(kDense, {"window_size=128", "window_attn_skip_freq=[1,0]"}),
            "'[1,0]' is of 2 layers, the model has 32; a number N (each N-th layer has none)"));
  CHECK(has(refused(kDense, {"window_size=128", "window_attn_skip_freq=0"}), "is no number"));
  CHECK(has(refused(kLatent, {"window_size=128"}),
            "is a window over multi-latent attention, which is not modelled"));
}

TEST_CASE("a hybrid's pattern and the sizes of Mamba are taken or Megatron's") {
  const Overrides hybrid{"num_layers=4", "hybrid_override_pattern=M-M*", "is_hybrid_model=true"};
  const auto with_others = [&](const Overrides& others) {
    Overrides all = hybrid;
    all.insert(all.end(), others.begin(), others.end());
    return all;
  };
  const std::string yaml = yaml_of(kDense, hybrid);
  const Scenario scenario = scenario_in(yaml);
  const MambaSpec& mamba = *scenario.recipe.model.mamba;
  CHECK(scenario.recipe.model.hybrid_override_pattern == "M-M*");
  CHECK(mamba.mamba_num_heads == 192);  // twice the hidden size of 6144
  CHECK(mamba.mamba_head_dim == 64);
  CHECK(mamba.mamba_state_dim == 128);
  CHECK(mamba.mamba_num_groups == 8);
  CHECK(has(yaml, "Megatron Core's default of mamba_num_heads, mamba_head_dim"));
  CHECK(simulate(scenario).step_time_s > 0);
  CHECK(model_in(kDense, with_others({"mamba_num_heads=64"})).mamba->mamba_num_heads == 64);
  CHECK(model_in(kDense, {"~num_layers", "hybrid_layer_pattern=M-M*"}).num_layers == 4);
  CHECK(has(refused(kDense, with_others({"num_layers=5"})),
            "--num-layers: is 5, but --hybrid-override-pattern has 4 layers"));
  CHECK(has(refused(kDense, {"is_hybrid_model=true"}), "is true, but no hybrid_override_pattern"));
  CHECK(has(refused(kDense, with_others({"mtp_num_layers=1"})),
            "--mtp-num-layers: is set; multi-token prediction of a hybrid is not modelled"));
  CHECK(has(refused(kDense, {"hybrid_override_pattern=MEM*", "num_layers=4"}),
            "has layers of experts, but the recipe does not give how many"));
}

TEST_CASE("Mamba's sizes of a model without it are ignored") {
  CHECK(has(yaml_of(kDense, {"mamba_state_dim=128", "mamba_num_groups=8"}),
            "#   of Mamba blocks, which this model has not: --mamba-num-groups, "
            "--mamba-state-dim\n"));
}

TEST_CASE("layers of a hybrid without a pattern are spread by their shares as Megatron does") {
  const auto pattern = [](const Overrides& overrides) {
    return *model_in(kDense, overrides).hybrid_override_pattern;
  };
  // The 8B hybrid of arXiv 2406.07887: 4 layers of attention, 24 of Mamba-2 and 28 of MLP.
  const std::string hybrid =
      pattern({"num_layers=56", "hybrid_attention_ratio=0.08", "hybrid_mlp_ratio=0.5"});
  CHECK(hybrid == "M-M-M--M-M*-M-M-M-M--M*-M-M-M-M-M*--M-M-M-M-M*-M--M-M-M-");
  CHECK(pattern({"num_layers=4", "hybrid_attention_ratio=0.25"}) == "MM*M");
  const ImportFile script =
      with(recipe_file("gpt15b_megatron.sh"), "--squared-relu",
           "--spec a.mamba.mamba_layer_specs mamba_stack_spec --squared-relu");
  const Scenario alone = scenario_in(import_recipe(script, layers_job()).yaml);
  CHECK(alone.recipe.model.hybrid_override_pattern == std::string(32, 'M'));
  CHECK(has(refused(kDense, {"hybrid_attention_ratio=0.8", "hybrid_mlp_ratio=0.5"}),
            "--hybrid-attention-ratio: is no share of the layers; with the other one it must be "
            "from 0 to 1"));
  CHECK(has(refused(kDense, {"~num_layers", "hybrid_attention_ratio=0.1"}),
            "is of a Mamba model, but no hybrid_override_pattern says its layers"));
}

TEST_CASE("a Mamba model whose layers no pattern says is no import") {
  const std::string why = "is of a Mamba model, but no hybrid_override_pattern says its layers";
  const auto error = [](const ImportFile& file) {
    REQUIRE(!file.text.empty());
    return error_of([&] { import_recipe(file, layers_job()); });
  };
  CHECK(has(error(with(recipe_file("mixtral_8x7b_nemo2.yaml"), "mixtral.MixtralConfig8x7B",
                       "ssm.NemotronHConfig4B")),
            "model.config._target_: " + why));
}

TEST_CASE("a pattern with parts of prediction or stages is refused in a line") {
  const auto error = [](const std::string& pattern) {
    return refused(kDense, {"hybrid_layer_pattern=" + pattern});
  };
  CHECK(has(error("M-M*/M*"),
            "--hybrid-layer-pattern: has '/', behind which are layers of multi-token prediction; "
            "--override mtp_num_layers=0 leaves them out"));
  CHECK(has(error("M-|M*"), "--hybrid-layer-pattern: has '|', which cuts it into stages"));
  CHECK(has(error("MX"), "has 'X', which is no letter of a layer; letters of layers alone ("));
  CHECK(has(error(std::string(20000, 'M')), "is of 20000 layers; up to 10000 are listed"));
}

TEST_CASE("tied embeddings are taken as they are") {
  const Scenario scenario = scenario_in(yaml_of(kDense, {"~untie_embeddings_and_output_weights"}));
  CHECK(scenario.recipe.model.share_embeddings_and_output_weights);
  CHECK(simulate(scenario).step_time_s > 0);
}

}  // namespace simtrain::testing::recipe_layers_test
