#pragma once

#include "sim/job/plan/job_plan.h"
#include "sim/job/specs/storage_spec.h"
#include "sim/run/scenario/job_spec.h"
#include "sim/run/scenario/scenario.h"

namespace simtrain {

/// Who reads the training data of a step, and how much. As Megatron reads it: the first rank of
/// each TP group, at the stage with the embedding and, for the labels, at the one with the output
/// layer, reads whole sequences; CP ranks cut theirs out of them. Of two copies of the model each
/// reads its own.
struct DataShape {
  double loaders = 0;  ///< ranks that read
  double nodes = 0;    ///< that these are on
  double samples = 0;  ///< of each in a step
  double bytes_per_sample = 0;
  double bytes = 0;  ///< of all in a step
};

DataShape data_shape(const Scenario& scenario, const DataSpec& spec);

/// Bytes of a token on disk, as Megatron's indexed data sets write it: two where all tokens of the
/// vocabulary fit (fewer than 65,500), else four.
int bytes_of_token(std::int64_t vocabulary);

/// What the steps of a job take to be fed. Each loader's workers read and make its samples, one
/// after the other each; nodes and a shared storage bound all of them together.
DataPlan data_plan(const DataShape& shape, const DataSpec& spec, const StorageSpec& storage);

}  // namespace simtrain
