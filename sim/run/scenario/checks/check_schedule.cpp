#include <fmt/format.h>

#include "sim/run/scenario/checks/checks.h"
#include "sim/workload/model/sharding.h"
#include "sim/workload/schedule/schedule.h"

namespace simtrain {
namespace {

const std::string kScheduleKey = "parallelism.pipeline_schedule";

void check_chunks(const ScheduleRow& row, const Recipe& recipe, const YamlNode& tree) {
  const std::string_view name = name_of(row.kind);
  const bool right = recipe.vp() >= row.least_chunks && recipe.vp() <= row.most_chunks;
  const std::string wanted =
      fmt::format("{}{}", row.least_chunks, row.most_chunks == kAnyChunks ? " or more" : "");
  require(right, tree, kScheduleKey,
          "is {} with virtual_pipeline_model_parallel_size {}; {} would do", name, recipe.vp(),
          wanted);
}

void check_messages(const ScheduleRow& row, const PipelineShape& shape, const Recipe& recipe,
                    const YamlNode& tree) {
  if (overlaps_messages(recipe) || recipe.pp() == 1) return;
  const std::string key = "overlap.overlap_p2p_comm";
  require(row.messages_may_block, tree, key,
          "is false, so that passes wait for messages to be taken, which {} does not "
          "get through; true would do",
          name_of(row.kind));
  require(shape.group_size() <= shape.stages, tree, key,
          "is false, where groups of {} micro-batches wait for messages that {} stages "
          "have no place for; true would do",
          shape.group_size(), shape.stages);
}

/// Input gradients and weight gradients apart.
void check_cut(const ScheduleRow& row, const Recipe& recipe, const YamlNode& tree) {
  if (!row.cuts_backward) return;
  const std::string_view name = name_of(row.kind);
  require(!sharding_of(recipe).units && !sharding_of(recipe).shards_gradients, tree, kScheduleKey,
          "{} runs weight gradients later than sharding.strategy {} reduces them; zero1 "
          "would do",
          name, name_of(recipe.shards()));
  require(!recipe.lora, tree, kScheduleKey,
          "{} runs weight gradients later, which frozen weights do not have; 1f1b or "
          "interleaved would do",
          name);
  require(!recipe.overlaps_weight_gradients(), tree, kScheduleKey,
          "{} takes weight gradients from beside the communication that "
          "overlap.tp_comm_overlap hides behind them; tp_comm_overlap false would do",
          name);
  require(!recipe.overlap.defer_embedding_wgrad_compute, tree, kScheduleKey,
          "{} runs all weight gradients later by itself; "
          "overlap.defer_embedding_wgrad_compute false would do",
          name);
}

/// Whose gradients are summed over two stages.
void check_copies(const ScheduleRow& row, const Recipe& recipe, const YamlNode& tree) {
  if (row.copies == 1) return;
  require(recipe.sharding.data_parallel_replicate_degree == 1, tree,
          "sharding.data_parallel_replicate_degree",
          "is {} with {}, which shards state over all that hold a layer, on two "
          "stages; 1 would do",
          recipe.sharding.data_parallel_replicate_degree, name_of(row.kind));
}

}  // namespace

void check_schedule(const Recipe& recipe, std::int64_t micro_batches, const YamlNode& tree) {
  const PipelineShape shape = pipeline_shape(recipe, static_cast<int>(micro_batches));
  const ScheduleRow& row = schedule_of(shape);
  check_chunks(row, recipe, tree);
  require(row.takes_groups || !shape.micro_batch_group, tree,
          "parallelism.microbatch_group_size_per_vp_stage",
          "is of several chunks a stage in turn, which {} does not run; interleaved "
          "would do",
          name_of(row.kind));
  if (row.refusal != nullptr) {
    if (const auto refusal = row.refusal(shape))
      require(false, tree, fmt::format("parallelism.{}", refusal->key), refusal->sentence);
  }
  check_messages(row, shape, recipe, tree);
  check_cut(row, recipe, tree);
  check_copies(row, recipe, tree);
}

}  // namespace simtrain
