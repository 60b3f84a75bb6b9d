#pragma once

#include <cstdint>

#include "sim/workload/model/operators/rank_shape.h"

namespace simtrain {

/// Who brings the rows of quantized experts to a multiple that their GEMMs take: nobody where they
/// are not quantized; the router, by choices of each rank that it adds; the dispatcher where it
/// sorts rows; or kernels before and behind the experts, which copy all rows.
enum class RowPadding : std::uint8_t { none, by_router, by_dispatcher, by_copies };

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
  RowPadding padding;
  double sent;       ///< rows that leave its tokens
  double rows;       ///< that come to its experts: the mean over the ranks of its EP group
  double imbalance;  ///< those of the busiest rank over the mean

  /// Whether FC1, activation and quantization are one kernel, and all experts one launch.
  bool fused;

  /// Rows that one expert works on, with those that pad, on the mean rank or the busiest one.
  [[nodiscard]] std::int64_t rows_of_expert(double of_mean) const;
  /// Of all experts of the rank.
  [[nodiscard]] double padded_rows(double of_mean) const;

 private:
  int multiple_;     ///< of an expert's rows, where they are padded behind the exchange
  bool rows_known_;  ///< not left to chance
};

}  // namespace simtrain
