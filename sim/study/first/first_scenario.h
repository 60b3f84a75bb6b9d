#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/core/watch.h"
#include "sim/import/terms/finding.h"
#include "sim/study/tune/tune.h"

namespace simtrain {

/// What a whole training run needs beside a step.
struct FirstJob {
  double tokens = 0;
  bool tokens_given = false;           ///< else they are assumed
  std::string failures;                ///< a name in hardware/failures
  std::optional<std::string> storage;  ///< a name in hardware/storage
};

/// What is known of a job that has no recipe yet. What is not given is assumed (`assumed_keys`).
struct FirstRequest {
  std::vector<Finding> model;  ///< the key `model`, a name, or `model.KEY` for each key of a shape
  std::string model_name;      ///< for the title
  std::string cluster;         ///< a name in hardware/clusters
  int gpus = 0;
  std::optional<std::string> software;  ///< a name in hardware/software
  std::optional<Precision> precision;
  std::optional<std::int64_t> seq_length;
  std::optional<std::int64_t> longest;  ///< sequence that the model is made for, in tokens
  std::optional<std::int64_t> global_batch_size;
  std::optional<FirstJob> job;  ///< none: the scenario is of a step alone
};

/// A first scenario: its keys, the search for its plan, and one step of it.
struct FirstScenario {
  std::vector<Finding> keys;
  TuneResult search;             ///< nothing is simulated where it has no best plan
  std::optional<Report> report;  ///< of the scenario as it is written

  /// The keys as a scenario file, the origin behind each value. `head` goes above, as comments.
  [[nodiscard]] std::string yaml(const std::string& head) const;
  /// What was not given, as "key value".
  [[nodiscard]] std::vector<std::string> assumed() const;
};

/// The scenario that a request makes, with the best plan for it: a safe one where there is one.
/// Assumed are:
///
/// - software: NeMo 25.04.01, on GPUs without FP8 Megatron Core of 2025;
/// - precision BF16; 8192 tokens a sequence, or as many as the model is made for;
/// - a batch of about 4 Mi tokens, rounded to a multiple of the GPUs, or of the nodes where there
///   are more GPUs than sequences;
/// - for NeMo what NVIDIA's performance recipes set, for Megatron Core its own defaults: overlap,
///   type and buckets of the gradients, distributed optimizer, sequence parallelism;
/// - of a job its tokens, where they are not given, and checkpoints on a parallel file system,
///   written beside training.
///
/// Throws InputError where a name is unknown, the GPUs make no whole nodes, a number is out of its
/// limits or the storage is no place for a job's only checkpoints. `watch` receives the number of
/// plans settled.
FirstScenario first_scenario(const DataFolder& data, const FirstRequest& request,
                             const Watch& watch = {});

}  // namespace simtrain
