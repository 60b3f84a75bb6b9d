#include <array>

#include "sim/import/megatron/megatron_bridge.h"
#include "sim/import/plan/core_config.h"
#include "sim/import/plan/recipe_export.h"
#include "sim/import/plan/scenario_terms.h"
#include "sim/import/plan/term_tree.h"

namespace simtrain {
namespace {

constexpr std::array<std::string_view, 2> kBridgeSecondKeys{"dataset.sequence_length",
                                                            "optimizer.use_distributed_optimizer"};

std::string_view bridge_class(const ModelSpec& model) {
  if (model.hybrid_override_pattern)
    return "megatron.bridge.models.mamba.mamba_provider.MambaModelProvider";
  if (model.multi_latent_attention) return "megatron.bridge.models.mla_provider.MLAModelProvider";
  return "megatron.bridge.models.gpt_provider.GPTModelProvider";
}

void write_bridge(const PlanToExport& plan, const std::string& comment, ExportedRecipe& recipe) {
  RecipeTerms terms = plan.terms;
  terms.precision.reset();    // its map says it
  terms.peft_scheme.reset();  // its class says it
  const std::int64_t vocabulary = terms.padded_vocab_size->value;
  give(terms.tokenizer, "NullTokenizer", "model.vocab_size");
  give(terms.vocab_size, vocabulary, "model.vocab_size");
  give(terms.train_iters, "50", "");
  YamlNode tree = term_tree(terms, bridge_keys(true), kBridgeSecondKeys);
  settle_core_config(tree, "model", terms);
  settle_optimizer_config(tree, "optimizer");
  write_as_list(tree, "peft.target_modules");
  put_class(tree, "", "megatron.bridge.training.config.ConfigContainer");
  put_class(tree, "model", bridge_class(plan.scenario.recipe.model));
  put_class(tree, "dataset", "megatron.bridge.training.config.MockGPTDatasetConfig");
  put_class(tree, "mixed_precision",
            "megatron.bridge.training.mixed_precision.MixedPrecisionConfig");
  put_class(tree, "comm_overlap", "megatron.bridge.training.comm_overlap.CommOverlapConfig");
  put_class(tree, "peft", "megatron.bridge.peft.lora.LoRA");
  set_yaml_value(tree, "mixed_precision.params_dtype", class_node("torch.bfloat16"));
  set_yaml_value(tree, "mixed_precision.pipeline_dtype", class_node("torch.bfloat16"));
  recipe.text = written_yaml(tree, comment);
  recipe.request.nodes = plan.scenario.placement.nodes;
}

}  // namespace

const ExportTarget kBridgeTarget{"bridge", "Megatron-Bridge: a run configuration in YAML",
                                 kMegatronBridge, write_bridge};

}  // namespace simtrain
