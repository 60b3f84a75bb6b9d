#pragma once

#include "sim/workload/model/program_builder.h"

namespace simtrain {

/// The linear modules of a layer, with their tensor-parallel communication as the recipe overlaps
/// it. `rows` is always the M tokens of the whole TP group.
class OverlappedGemm {
 public:
  OverlappedGemm(ProgramBuilder& builder, std::int64_t rows);

  /// Gathers the rows of the input from the TP group, then multiplies: [M, k] x [k, n].
  void gather_then(std::int64_t n, std::int64_t k, DataType gathered);
  /// Multiplies and scatters the sum over the TP group; returns the op after which this rank's rows
  /// are there (kNoOp: the last kernel).
  std::uint32_t then_scatter(std::int64_t n, std::int64_t k, const TpOverlapEntry* entry);

  /// Data gradient [M, n] beside the gather of `columns` saved columns that the weight gradient
  /// needs; returns the gather (kNoOp: none).
  std::uint32_t data_gradient_beside_gather(std::int64_t n, std::int64_t k, std::int64_t columns,
                                            const TpOverlapEntry* entry);
  /// Weight gradient [m, n] over M tokens beside the scatter of the data gradient's `columns`;
  /// returns the scatter (kNoOp: none).
  std::uint32_t weight_gradient_beside_scatter(std::int64_t m, std::int64_t n, std::int64_t columns,
                                               const TpOverlapEntry* entry, std::uint32_t after);
  void weight_gradient(std::int64_t m, std::int64_t n, std::uint32_t after = kNoOp,
                       int sm_margin = 0);

 private:
  [[nodiscard]] Gemm gemm(std::int64_t rows, std::int64_t n, std::int64_t k) const;
  /// SMs that a GEMM leaves free from its start.
  [[nodiscard]] int margin(const TpOverlapEntry* entry) const;
  [[nodiscard]] bool sharded() const;
  std::uint32_t scatter_pipelined(std::int64_t n, std::int64_t k, const TpOverlapEntry& entry);
  std::uint32_t scatter_ring(std::int64_t n, std::int64_t k, const TpOverlapEntry& entry);
  std::uint32_t bulk(Collective collective, std::int64_t columns, DataType type,
                     const TpOverlapEntry* entry, std::uint32_t after);

  ProgramBuilder& builder_;
  std::int64_t rows_;
  int tp_;
  bool overlap_;
  DataType type_;
};

}  // namespace simtrain
