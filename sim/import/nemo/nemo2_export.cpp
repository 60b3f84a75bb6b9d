#include <array>

#include <fmt/format.h>

#include "sim/import/nemo/nemo2.h"
#include "sim/import/plan/core_config.h"
#include "sim/import/plan/recipe_export.h"
#include "sim/import/plan/scenario_terms.h"
#include "sim/import/plan/term_tree.h"

namespace simtrain {
namespace {

constexpr std::array<std::string_view, 2> kNemo2SecondKeys{
    "data.seq_length", "optim.config.use_distributed_optimizer"};

/// Where the classes of a run configuration go.
struct ClassPlace {
  std::string_view key;
  std::string_view name;
};
constexpr std::array<ClassPlace, 8> kClassPlaces{
    {{"data", "nemo.collections.llm.gpt.data.mock.MockDataModule"},
     {"trainer", "nemo.lightning.pytorch.trainer.Trainer"},
     {"trainer.plugins", "nemo.lightning.pytorch.plugins.mixed_precision.MegatronMixedPrecision"},
     {"trainer.strategy", "nemo.lightning.pytorch.strategies.megatron_strategy.MegatronStrategy"},
     {"trainer.strategy.ddp",
      "megatron.core.distributed.distributed_data_parallel_config.DistributedDataParallelConfig"},
     {"optim", "nemo.lightning.pytorch.optim.megatron.MegatronOptimizerModule"},
     {"optim.config", "megatron.core.optimizer.optimizer_config.OptimizerConfig"},
     {"peft", "nemo.collections.llm.peft.lora.LoRA"}}};

struct ModelClasses {
  std::string_view model;
  std::string_view config;
};

ModelClasses classes_of(const ModelSpec& model) {
  if (model.hybrid_override_pattern)
    return {"nemo.collections.llm.gpt.model.ssm.MambaModel",
            "nemo.collections.llm.gpt.model.ssm.SSMConfig"};
  if (model.multi_latent_attention)
    return {"nemo.collections.llm.gpt.model.deepseek.DeepSeekModel",
            "nemo.collections.llm.gpt.model.deepseek.DeepSeekConfig"};
  return {"nemo.collections.llm.gpt.model.base.GPTModel",
          "nemo.collections.llm.gpt.model.base.GPTConfig"};
}

/// Where the classes of callbacks are.
constexpr std::array kCallbackModules{
    ClassPlace{
        "callbacks[MegatronCommOverlapCallback]",
        "nemo.lightning.pytorch.callbacks.megatron_comm_overlap.MegatronCommOverlapCallback"},
    ClassPlace{"callbacks[MegatronTokenDropCallback]",
               "nemo.lightning.pytorch.callbacks.moe_token_drop.MegatronTokenDropCallback"}};

/// `callbacks[Class]: {...}` of the trainer, as the table has them, as one list of callbacks.
void list_callbacks(YamlNode& trainer) {
  YamlNode list;
  list.kind = YamlNode::Kind::list;
  for (const ClassPlace& callback : kCallbackModules) {
    YamlNode* known = trainer.find(callback.key);
    if (known == nullptr) continue;
    list.items.push_back(std::move(*known));
    put_class(list.items.back(), "", callback.name);
    std::erase_if(trainer.entries,
                  [&](const YamlEntry& entry) { return entry.key == callback.key; });
  }
  trainer.entries.push_back({"callbacks", {}, std::move(list)});
}

RecipeTerms nemo_words(const PlanToExport& plan) {
  RecipeTerms terms = plan.terms;
  give(terms.vocab_size, terms.padded_vocab_size->value, "model.vocab_size");
  give(terms.make_vocab_size_divisible_by, 1, "model.vocab_size");
  if (terms.use_torch_fsdp2) give(terms.fsdp_library, "pytorch", "sharding.strategy");
  if (terms.use_megatron_fsdp) give(terms.fsdp_library, "megatron", "sharding.strategy");
  give(terms.train_iters, "50", "");
  terms.peft_scheme.reset();  // its class says it
  return terms;
}

void write_nemo(const PlanToExport& plan, const std::string& comment, ExportedRecipe& recipe) {
  const RecipeTerms terms = nemo_words(plan);
  YamlNode tree = term_tree(terms, nemo2_keys(), kNemo2SecondKeys);
  set_yaml_value(tree, "trainer.accelerator", written_node("gpu"));
  set_yaml_value(tree, "optim.config.optimizer", written_node("adam"));
  set_yaml_value(tree, "optim.config.bf16", written_node("true"));
  settle_core_config(tree, "model.config", terms);
  settle_optimizer_config(tree, "optim.config");
  write_as_list(tree, "peft.target_modules");
  list_callbacks(*tree.find("trainer"));
  for (const ClassPlace& place : kClassPlaces) put_class(tree, place.key, place.name);
  put_class(tree, "",
            fmt::format("nemo.collections.llm.api.{}", terms.peft_dim ? "finetune" : "pretrain"));
  const ModelClasses classes = classes_of(plan.scenario.recipe.model);
  put_class(tree, "model.config", classes.config);
  put_class(tree, "model", classes.model);
  recipe.text = written_yaml(tree, comment);
}

}  // namespace

const ExportTarget kNemoTarget{"nemo", "NeMo 2: a run configuration in YAML", kNemo2, write_nemo};

}  // namespace simtrain
