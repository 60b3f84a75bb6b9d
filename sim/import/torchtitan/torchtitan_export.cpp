#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "sim/core/input/number_text.h"
#include "sim/core/input/yaml_text.h"
#include "sim/import/model/named_model.h"
#include "sim/import/plan/recipe_export.h"
#include "sim/import/plan/scenario_terms.h"
#include "sim/import/plan/term_tree.h"
#include "sim/import/torchtitan/torchtitan.h"
#include "sim/workload/model/sharding.h"

namespace simtrain {
namespace {

/// The models of torchtitan by name and flavor; `named_model` says which of ours each is.
struct TitanModel {
  std::string_view name;
  std::string_view flavor;
};
constexpr std::array<TitanModel, 15> kTitanModels{{{"llama3", "8B"},
                                                   {"llama3", "70B"},
                                                   {"llama3", "405B"},
                                                   {"llama4", "17bx16e"},
                                                   {"llama4", "17bx128e"},
                                                   {"deepseek_v3", "16B"},
                                                   {"deepseek_v3", "236B"},
                                                   {"deepseek_v3", "671B"},
                                                   {"qwen3", "8B"},
                                                   {"qwen3", "14B"},
                                                   {"qwen3", "32B"},
                                                   {"qwen3", "30B-A3B"},
                                                   {"qwen3", "235B-A22B"},
                                                   {"gpt_oss", "20b"},
                                                   {"gpt_oss", "120b"}}};

const TitanModel* titan_model(const std::string& model) {
  const auto found =
      std::find_if(kTitanModels.begin(), kTitanModels.end(), [&](const TitanModel& row) {
        return named_model(fmt::format("{} {}", row.name, row.flavor)) == model;
      });
  return found == kTitanModels.end() ? nullptr : &*found;
}

void put_precision(const Recipe& recipe, RecipeTerms& terms) {
  const std::string key = "training.precision";
  give(terms.precision, "bfloat16", key);
  terms.fp8.reset();
  terms.fp8_recipe.reset();
  if (recipe.training.precision == Precision::fp8_cs) {
    give(terms.fp8, "float8", key);
    give(terms.fp8_recipe, "tensorwise", key);
  } else if (recipe.training.precision == Precision::fp8_rowwise) {
    give(terms.fp8, "float8", key);
    give(terms.fp8_recipe, "rowwise", key);
  } else if (recipe.training.precision == Precision::fp8_mx) {
    give(terms.fp8, "mx", key);
  }
  if (recipe.optimizer.grad_reduce_dtype == DataType::fp32 ||
      recipe.optimizer.grad_reduce_dtype == DataType::bf16)
    give(terms.grad_reduce_dtype,
         recipe.optimizer.grad_reduce_dtype == DataType::fp32 ? "float32" : "bfloat16",
         "optimizer.grad_reduce_dtype");
}

/// Micro-batches are of the local batch: the batch itself where no stages pass them on.
void put_batch(const Scenario& scenario, RecipeTerms& terms) {
  const Recipe& recipe = scenario.recipe;
  const int replicas = scenario.gpus() / (recipe.tp() * recipe.pp() * recipe.cp());
  if (recipe.pp() > 1) {
    give(terms.local_batch_size, recipe.training.global_batch_size / replicas,
         "training.global_batch_size");
    terms.global_batch_size.reset();
  } else {
    give(terms.local_batch_size, recipe.training.micro_batch_size, "training.micro_batch_size");
    terms.micro_batch_size.reset();
  }
}

void put_stages(const Recipe& recipe, RecipeTerms& terms) {
  terms.virtual_pipeline_model_parallel_size.reset();
  if (recipe.pp() == 1) return;
  const bool chunks = recipe.vp() > 1;
  const auto usual =
      chunks ? PipelineSchedule::interleaved : PipelineSchedule::one_forward_one_backward;
  const PipelineSchedule schedule = recipe.parallelism.pipeline_schedule.value_or(usual);
  give(terms.pipeline_schedule,
       std::string(titan_schedule(name_of(schedule)).value_or(chunks ? "Interleaved1F1B" : "1F1B")),
       "parallelism.pipeline_schedule");
  const int dealt = recipe.dealt_layers();
  if (chunks && dealt % (recipe.pp() * recipe.vp()) == 0)
    give(terms.layers_per_virtual_stage, dealt / (recipe.pp() * recipe.vp()),
         "parallelism.virtual_pipeline_model_parallel_size");
}

/// Of the embedding and the output layer, layers that the first and the last stage have less: each
/// one by default.
void put_lighter_stages(const Recipe& recipe, YamlNode& tree) {
  if (recipe.pp() == 1 || recipe.parallelism.pipeline_model_parallel_layout) return;
  const auto count = [](bool counts) { return written_node(counts ? "1" : "0"); };
  const std::string key = "parallelism.pipeline_parallel_";
  set_yaml_value(tree, key + "first_stage_less_layers",
                 count(recipe.parallelism.account_for_embedding_in_pipeline_split));
  set_yaml_value(tree, key + "last_stage_less_layers",
                 count(recipe.parallelism.account_for_loss_in_pipeline_split));
}

void put_ranks(const Scenario& scenario, RecipeTerms& terms) {
  const Recipe& recipe = scenario.recipe;
  const int replicas = scenario.gpus() / (recipe.tp() * recipe.pp() * recipe.cp());
  const bool whole = recipe.shards() == Sharding::ddp;  // each rank is a replica
  const int copies = whole ? replicas : recipe.sharding.data_parallel_replicate_degree;
  give(terms.data_parallel_replicate_degree, copies, "sharding.data_parallel_replicate_degree");
  give(terms.data_parallel_shard_degree, std::max(1, replicas / copies), "sharding.strategy");
}

void put_checkpointing(const Recipe& recipe, RecipeTerms& terms) {
  const bool policy = recipe.recompute == Recompute::selective_op;
  const bool full = recipe.recompute == Recompute::full;
  terms.recompute_method.reset();
  const int every = recipe.recompute_every_nth_layer;
  const bool some = policy || (full && every > 1);
  give(terms.recompute, some ? "selective" : full ? "full" : "none", "recompute");
  if (some)
    give(terms.recompute_method, policy ? "op" : std::to_string(every),
         policy ? "recompute" : "recompute_every_nth_layer");
}

RecipeTerms titan_words(const PlanToExport& plan) {
  const Recipe& recipe = plan.scenario.recipe;
  RecipeTerms terms = plan.terms;
  terms.model_class.reset();
  terms.normalization.reset();  // of the flavor
  put_precision(recipe, terms);
  put_batch(plan.scenario, terms);
  put_stages(recipe, terms);
  put_ranks(plan.scenario, terms);
  put_checkpointing(recipe, terms);
  return terms;
}

/// The model in torchtitan's words; where it has none, the import is given the scenario's.
void put_model(const PlanToExport& plan, YamlNode& tree, ExportedRecipe& recipe) {
  const std::string& model = plan.scenario.recipe.model.name;
  const TitanModel* known = titan_model(model);
  const std::string name(known != nullptr ? known->name : model);
  set_yaml_value(tree, "model.name", written_node(name));
  set_yaml_value(tree, "model.flavor",
                 written_node(std::string(known != nullptr ? known->flavor : "own")));
  if (known != nullptr) return;
  recipe.notes.push_back(
      fmt::format("model: torchtitan has no flavor of {}; 'simtrain import --model {}' takes it",
                  model, model));
}

/// A scalar as TOML has it: words in quotes.
std::string toml_value(const YamlNode& value) {
  if (value.kind == YamlNode::Kind::list) {
    std::string out;
    for (const YamlNode& item : value.items) out += (out.empty() ? "" : ", ") + toml_value(item);
    return "[" + out + "]";
  }
  const std::string& text = value.text;
  const bool plain = text == "true" || text == "false" || number_as<std::int64_t>(text).has_value();
  return plain ? text : "\"" + text + "\"";
}

std::string toml_text(const YamlNode& tree) {
  std::string out;
  for (const YamlEntry& table : tree.entries) {
    out += fmt::format("\n[{}]\n", table.key);
    for (const YamlEntry& entry : table.value.entries)
      out += fmt::format("{} = {}\n", entry.key, toml_value(entry.value));
  }
  return out;
}

void write_titan(const PlanToExport& plan, const std::string& comment, ExportedRecipe& recipe) {
  YamlNode tree = term_tree(titan_words(plan), titan_keys());
  put_model(plan, tree, recipe);
  put_lighter_stages(plan.scenario.recipe, tree);
  write_as_list(tree, "model.converters");
  const std::string reshard = text_at(tree, "parallelism.fsdp_reshard_after_forward");
  if (!reshard.empty())
    set_yaml_value(tree, "parallelism.fsdp_reshard_after_forward",
                   written_node(reshard == "true" ? "always" : "never"));
  set_yaml_value(tree, "training.steps", written_node("50"));
  set_yaml_value(tree, "training.dataset", written_node("c4_test"));
  recipe.text = comment + toml_text(tree);
}

}  // namespace

const ExportTarget kTorchtitanTarget{
    "torchtitan", "torchtitan: a job configuration in TOML", kTorchtitan, write_titan,
    [](const std::string& model) { return titan_model(model) != nullptr; }};

}  // namespace simtrain
