#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "sim/core/enum_names.h"
#include "sim/core/fields.h"
#include "sim/core/quantity.h"
#include "sim/core/source_place.h"

namespace simtrain {

/// What a checkpoint holds of each parameter, by who writes it (sim/job/checkpoint/checkpoint.h).
enum class CheckpointFormat { torch_dist, torch_dcp, deepspeed };

template <>
struct EnumNames<CheckpointFormat> {
  static constexpr std::array rows{
      std::pair{std::string_view("torch_dist"), CheckpointFormat::torch_dist},
      std::pair{std::string_view("torch_dcp"), CheckpointFormat::torch_dcp},
      std::pair{std::string_view("deepspeed"), CheckpointFormat::deepspeed}};
};

/// How a job saves, in Megatron's words.
struct CheckpointSpec {
  std::string storage;               ///< a name of hardware/storage
  std::optional<int> save_interval;  ///< steps; missing: the one that costs least
  bool async_save = false;           ///< training goes on once the state is in host memory
  CheckpointFormat ckpt_format = CheckpointFormat::torch_dist;
  bool ckpt_fully_parallel_save = true;  ///< all replicas write; else the first alone
  bool ckpt_fully_parallel_load = false;
  /// Checkpoints between those, on storage of the nodes or in their memory.
  std::optional<std::string> non_persistent_storage;
  std::optional<int> non_persistent_save_interval;
};
template <>
struct Fields<CheckpointSpec>;

/// Passes over validation data.
struct EvalSpec {
  int eval_interval = 0;  ///< steps between them
  int eval_iters = 0;     ///< steps' worth of samples, forward only
};
template <>
struct Fields<EvalSpec>;

/// How training data come to the GPUs.
struct DataSpec {
  std::string storage;                 ///< a name of hardware/storage
  int num_workers = 2;                 ///< of each rank that loads, ahead of it; 0: it loads itself
  std::optional<int> bytes_per_token;  ///< on disk; missing: 2 or 4, by the vocabulary
  /// A worker's time for one sample beside reading it: tokenization, packing, decoding.
  std::optional<Duration> sample_time;
};
template <>
struct Fields<DataSpec>;

/// The training job that a scenario's step is one of many of: `job` of a scenario. Nothing of a
/// step depends on it.
struct JobSpec {
  std::optional<double> tokens;  ///< one of these three says how long it is
  std::optional<std::int64_t> train_iters;
  std::optional<double> days;
  std::optional<std::string> failures;  ///< a name of hardware/failures; missing: nothing fails
  CheckpointSpec checkpoint;
  int spare_nodes = 0;
  int elastic_replicas = 0;  ///< that it goes on without while nodes are missing
  /// A name of hardware/fault_tolerance: how replicas leave and come back while the others go on;
  /// missing: a failure ends the job, and all of it starts again.
  std::optional<std::string> fault_tolerance;
  std::optional<EvalSpec> eval;
  std::optional<DataSpec> data;  ///< missing: data are there when a step begins
  int runs = 1000;
  int seed = 0;
  SourcePlace where;
};
template <>
struct Fields<JobSpec>;

}  // namespace simtrain
