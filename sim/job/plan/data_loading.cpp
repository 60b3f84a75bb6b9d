#include "sim/job/plan/data_loading.h"

#include <algorithm>
#include <cmath>

#include "sim/workload/schedule/schedule.h"

namespace simtrain {
namespace {

/// Vocabularies below it are written as 16-bit numbers (Megatron-LM, DType.optimal_dtype).
constexpr std::int64_t kWideVocabulary = 65500;

}  // namespace

int bytes_of_token(std::int64_t vocabulary) { return vocabulary < kWideVocabulary ? 2 : 4; }

DataShape data_shape(const Scenario& scenario, const DataSpec& spec) {
  const Recipe& recipe = scenario.recipe;
  const int copies = pipeline_shape(recipe, 1).copies();
  const double stages = recipe.ends_apart() ? 2 : copies;
  const int gpus = scenario.gpus() / recipe.pp();
  const auto of_stage = static_cast<double>(gpus);
  const double replicas = of_stage / (recipe.tp() * recipe.cp());
  DataShape shape;
  shape.loaders = stages * of_stage / recipe.tp();
  shape.nodes = std::min(
      double{1} * scenario.placement.nodes,
      stages * std::min(std::ceil(of_stage / scenario.cluster.node.gpus), of_stage / recipe.tp()));
  shape.samples = recipe.training.global_batch_size / replicas / copies;
  shape.bytes_per_sample = static_cast<double>(recipe.training.seq_length) *
                           spec.bytes_per_token.value_or(bytes_of_token(recipe.model.vocab_size));
  shape.bytes = shape.loaders * shape.samples * shape.bytes_per_sample;
  return shape;
}

DataPlan data_plan(const DataShape& shape, const DataSpec& spec, const StorageSpec& storage) {
  const double in_workers = std::max(1, spec.num_workers);
  const double work = spec.sample_time ? to_seconds(*spec.sample_time) : 0;
  const double of_sample = shape.bytes_per_sample / storage.process_read.value.value() + work;
  DataPlan plan;
  plan.ahead = spec.num_workers > 0;
  plan.own_s = std::max(shape.samples / in_workers * of_sample,
                        shape.bytes / shape.nodes / storage.node_read.value.value());
  if (storage.read) plan.shared_s = shape.bytes / storage.read->value.value();
  return plan;
}

}  // namespace simtrain
