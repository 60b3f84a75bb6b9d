#pragma once

#include <cstdint>

#include "sim/workload/model/operators/rank_shape.h"

namespace simtrain {

/// What the experts of a rank have to do in one micro-batch. A row is a token on its way to one of
/// its `topk` experts.
struct ExpertShape {
  explicit ExpertShape(const RankShape& shape);

  const ExpertsSpec& spec;
  int ep;
  int etp;
  std::int64_t local;    ///< experts of the rank
  std::int64_t columns;  ///< of a branch of one of them, on the rank
  std::int64_t width;    ///< columns of a row
  double tokens;         ///< of the rank, before they are dispatched
  double sent;           ///< rows that leave its tokens
  double rows;           ///< that its experts work on: the mean over the ranks of its EP group
  double imbalance;      ///< those of the busiest rank over the mean

  /// Of one expert, on the mean rank or the busiest one.
  [[nodiscard]] std::int64_t rows_of_expert(double of_mean) const;
};

}  // namespace simtrain
