#include "sim/output/run/recipe_difference.h"

#include <algorithm>
#include <array>

#include "sim/core/input/yaml_text.h"
#include "sim/import/terms/overlap_table.h"
#include "sim/output/run/recipe_report.h"
#include "sim/run/results/resolved_recipe.h"
#include "sim/workload/model/sharding.h"
#include "sim/workload/schedule/schedule.h"

namespace simtrain {
namespace {

constexpr std::array<std::string_view, 4> kTitles{"name", "source", "model.name", "model.source"};

void settle_stages(const Recipe& recipe, ScenarioFile& keys) {
  ParallelismSpec& plan = keys.parallelism;
  const bool chunks = recipe.vp() > 1;
  if (!plan.pipeline_schedule)
    plan.pipeline_schedule =
        chunks ? PipelineSchedule::interleaved : PipelineSchedule::one_forward_one_backward;
  if (recipe.pp() == 1) plan.pipeline_schedule.reset();
  if (plan.microbatch_group_size_per_vp_stage == recipe.pp() || !chunks)
    plan.microbatch_group_size_per_vp_stage.reset();
  if (recipe.pp() == 1 || !overlaps_messages(recipe)) keys.overlap.overlap_p2p_comm = false;
  if (recipe.pp() == 1) keys.overlap.defer_embedding_wgrad_compute = false;
  if (!keys.overlap.defer_embedding_wgrad_compute) keys.overlap.wgrad_deferral_limit = 0;
}

void settle_sharding_keys(const Recipe& recipe, ScenarioFile& keys) {
  ShardingSpec sharding = recipe.sharding;
  sharding.strategy = recipe.shards();
  const bool units = row_of(recipe.shards()).units.has_value();
  if (!units) sharding.reshard_after_forward.reset();
  if (units && sharding.reshard_after_forward == (recipe.pp() == 1))
    sharding.reshard_after_forward.reset();
  keys.sharding = sharding;
  if (units) keys.optimizer.bucket_size_mb = 0;  // none: gradients are reduced unit by unit
}

void settle_experts_keys(const Recipe& recipe, ScenarioFile& keys) {
  if (!keys.moe) {
    keys.parallelism.expert_tensor_parallel_size.reset();
    return;
  }
  keys.parallelism.expert_tensor_parallel_size = recipe.etp();
  if (keys.moe->moe_token_dispatcher_type == TokenDispatcher::flex) return;
  keys.moe->moe_flex_dispatcher_backend = MoeSpec{}.moe_flex_dispatcher_backend;
  keys.moe->moe_flex_dispatcher_num_sms.reset();
}

void settle_training_keys(const Recipe& recipe, ScenarioFile& keys) {
  if (!recipe.precision().quantized()) {
    keys.training.fp8_params = false;
    keys.training.num_layers_at_start_in_bf16 = 0;
    keys.training.num_layers_at_end_in_bf16 = 0;
  }
  if (recipe.tp() == 1) keys.parallelism.sequence_parallel = false;
  if (!recipe.overlap.tp_comm_overlap) keys.overlap.tp_comm_overlap_table.reset();
  if (keys.recompute_modules)
    std::sort(keys.recompute_modules->begin(), keys.recompute_modules->end());
}

std::vector<RecipeRow> rows_of(const Scenario& scenario) {
  ResolvedRecipe recipe = resolved_recipe(scenario);
  settle_training_keys(scenario.recipe, recipe.keys);
  settle_stages(scenario.recipe, recipe.keys);
  settle_sharding_keys(scenario.recipe, recipe.keys);
  settle_experts_keys(scenario.recipe, recipe.keys);
  std::vector<RecipeRow> rows = recipe_rows(recipe);
  std::erase_if(rows, [](const RecipeRow& row) {
    return std::find(kTitles.begin(), kTitles.end(), row.key) != kTitles.end();
  });
  return rows;
}

const RecipeRow* find_row(const std::vector<RecipeRow>& rows, const std::string& key) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const RecipeRow& row) { return row.key == key; });
  return found == rows.end() ? nullptr : &*found;
}

/// Two tables of user buffers that hold the same, by whatever name.
bool same_overlap(const Recipe& first, const Recipe& second) {
  const auto& one = first.tp_overlap;
  const auto& other = second.tp_overlap;
  return one && other && one->gathers == other->gathers &&
         one->ring_exchange_sms == other->ring_exchange_sms &&
         flow_text(overlap_configuration(*one)) == flow_text(overlap_configuration(*other));
}

}  // namespace

std::vector<KeyDifference> recipe_difference(const Scenario& first, const Scenario& second) {
  const std::vector<RecipeRow> one = rows_of(first);
  const std::vector<RecipeRow> other = rows_of(second);
  std::vector<KeyDifference> differences;
  for (const RecipeRow& row : one) {
    const RecipeRow* known = find_row(other, row.key);
    if (known == nullptr || known->value != row.value)
      differences.push_back({row.key, row.value, known == nullptr ? "" : known->value});
  }
  for (const RecipeRow& row : other) {
    if (find_row(one, row.key) == nullptr) differences.push_back({row.key, "", row.value});
  }
  if (same_overlap(first.recipe, second.recipe))
    std::erase_if(differences, [](const KeyDifference& key) {
      return key.key == "overlap.tp_comm_overlap_table";
    });
  return differences;
}

}  // namespace simtrain
