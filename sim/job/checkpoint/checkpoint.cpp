#include "sim/job/checkpoint/checkpoint.h"

#include <algorithm>

#include "sim/run/results/resolved_recipe.h"
#include "sim/workload/model/sharding.h"

namespace simtrain {
namespace {

constexpr double kFrozenBytes = 2;

/// How many move how much at once, in one direction.
struct Movers {
  double processes = 0;
  double nodes = 0;
  double bytes = 0;  ///< together
};

/// The slowest of processes, nodes and system decides.
double seconds_to_move(const Movers& movers, double process_rate, double node_rate,
                       const std::optional<Sourced<Bandwidth>>& system) {
  double rate = std::min(movers.processes * process_rate, movers.nodes * node_rate);
  if (system) rate = std::min(rate, system->value.value());
  return movers.bytes / rate;
}

double seconds_to_write(const Movers& movers, const StorageSpec& storage) {
  return seconds_to_move(movers, storage.process_write.value.value(),
                         storage.node_write.value.value(), storage.write);
}

double seconds_to_read(const Movers& movers, const StorageSpec& storage) {
  return seconds_to_move(movers, storage.process_read.value.value(),
                         storage.node_read.value.value(), storage.read);
}

/// GPUs among which one copy of the weights is divided.
int gpus_with_weights(const Scenario& scenario) {
  const Recipe& recipe = scenario.recipe;
  if (sharding_of(recipe).units)
    return scenario.gpus() / std::max(1, recipe.sharding.data_parallel_replicate_degree);
  const int experts = recipe.model.has_experts() ? recipe.ep() : 1;
  return std::min(recipe.tp() * recipe.pp() * experts, scenario.gpus());
}

}  // namespace

FormatBytes bytes_of(CheckpointFormat format) {
  switch (format) {
    case CheckpointFormat::torch_dist:
    case CheckpointFormat::deepspeed:
      return {2, 12};
    case CheckpointFormat::torch_dcp:
      return {0, 12};
  }
  return {2, 12};
}

CheckpointShape checkpoint_shape(const Scenario& scenario, const CheckpointSpec& spec) {
  const Recipe& recipe = scenario.recipe;
  const ParameterCounts parameters = parameter_counts(recipe);
  FormatBytes each = bytes_of(spec.ckpt_format);
  if (!recipe.precision().keeps_master_weights()) each = {4, 8};  // FP32 weights, two moments
  const auto trained = static_cast<double>(parameters.trained);
  CheckpointShape shape;
  shape.weight_bytes = trained * each.weight;
  shape.optimizer_bytes = trained * each.optimizer;
  shape.bytes = shape.weight_bytes + shape.optimizer_bytes;
  shape.gpus = scenario.gpus();
  shape.nodes = scenario.placement.nodes;
  shape.frozen_bytes = kFrozenBytes * static_cast<double>(parameters.model - parameters.trained);
  const int in_node = scenario.cluster.node.gpus;
  const int holders = gpus_with_weights(scenario);
  shape.writers = spec.ckpt_fully_parallel_save ? shape.gpus : holders;
  const bool neighbours_write = spec.ckpt_fully_parallel_save || sharding_of(recipe).units;
  const int together = neighbours_write ? in_node : std::min(in_node, recipe.tp());
  shape.writing_nodes = std::min(shape.nodes, (shape.writers + together - 1) / together);
  shape.copied = shape.bytes / shape.writers;
  const int readers = spec.ckpt_fully_parallel_load ? shape.gpus : holders;
  shape.read_each =
      shape.optimizer_bytes / shape.gpus + (shape.weight_bytes + shape.frozen_bytes) / readers;
  return shape;
}

CheckpointCost checkpoint_cost(const CheckpointShape& shape, const StorageSpec& storage,
                               const StorageSpec& staging, const StorageSpec* drain,
                               Bandwidth node_nics) {
  const Movers out{static_cast<double>(shape.writers), static_cast<double>(shape.writing_nodes),
                   shape.bytes};
  const Movers in{static_cast<double>(shape.gpus), static_cast<double>(shape.nodes),
                  shape.read_each * shape.gpus};
  CheckpointCost cost;
  cost.copy_s = seconds_to_write(out, staging);
  const double writing = seconds_to_write(out, storage);
  cost.write_s = to_seconds(storage.save_start.value) + writing;
  const double draining = drain != nullptr ? seconds_to_write(out, *drain) : 0;
  if (drain != nullptr) cost.drain_s = to_seconds(drain->save_start.value) + draining;
  const double over_nics = storage.shares_nics() ? in.bytes / (in.nodes * node_nics.value()) : 0;
  cost.load_s = to_seconds(storage.load_start.value) +
                std::max(over_nics, seconds_to_read(in, storage)) + seconds_to_read(in, staging);
  const double of_node = shape.bytes / shape.writing_nodes;
  cost.host_bytes_per_node = of_node;
  if (storage.in_host_memory && storage.in_host_memory->value)
    cost.kept_bytes_per_node = of_node * (storage.is_replicated() ? 2 : 1);
  cost.load_bytes_per_gpu = shape.read_each;
  if (drain != nullptr && drain->shares_nics())
    cost.network_s = draining;
  else if (storage.shares_nics())
    cost.network_s = writing;
  if (cost.network_s > 0) cost.node_rate = of_node / cost.network_s;
  return cost;
}

}  // namespace simtrain
