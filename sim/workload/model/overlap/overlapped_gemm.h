#pragma once

#include <span>

#include "sim/workload/model/program_builder.h"

namespace simtrain {

/// Where a linear module is. In a layer it is overlapped as the recipe says, alone or in the head
/// never.
enum class GemmPlace : std::uint8_t { layer, layer_alone, head };

/// The GEMMs of a linear module, with their tensor-parallel communication as the recipe overlaps
/// it. M is the tokens of the whole TP group. With tp_comm_overlap the GEMMs after an all-gather
/// run as t chunks, each waiting for its part (ring exchange); those before a reduce-scatter run in
/// splits whose parts leave while the next runs (pipeline) or as t chunks (ring exchange); the
/// backward's second gather and its scatter run beside whole GEMMs (bulk). PyTorch's symmetric
/// memory has t chunks in both places, dealt out to two streams, and nothing beside whole GEMMs.
class OverlappedGemm {
 public:
  OverlappedGemm(ProgramBuilder& builder, const LinearFormats& formats, GemmPlace place);

  /// Gathers the rows of the left operand from the TP group, then multiplies: [M, k] x [k, n].
  /// Several n are GEMMs that read the same rows. Where the rows are `moved` in another format,
  /// they are not overlapped. Those of an operand whose copies are made for each GEMM
  /// (Operand::recast) are cast here: what arrived, or where user buffers gather the rank's own.
  void gather_then(const GemmFormats& formats, const Operand& operand,
                   std::span<const std::int64_t> n, std::int64_t k,
                   const TensorFormat* moved = nullptr);
  /// Multiplies and scatters the sum over the TP group; returns the op after which this rank's rows
  /// are there (kNoOp: the last kernel).
  std::uint32_t then_scatter(std::int64_t n, std::int64_t k, const TpOverlapEntry* entry);

  /// Gathers `columns` columns of M rows beside what follows, by NCCL where there is no entry;
  /// returns the gather (kNoOp: none).
  std::uint32_t gather_beside(const TensorFormat& format, std::int64_t columns,
                              const TpOverlapEntry* entry);
  /// [M, k] x [k, n] alone.
  void data_gradient(std::int64_t n, std::int64_t k, const TpOverlapEntry* entry);
  /// Sums the last kernel's `columns` of M rows over the TP group, beside what follows; returns the
  /// scatter (kNoOp: none).
  std::uint32_t scatter_beside(std::int64_t columns, const TpOverlapEntry* entry);
  /// Whether collectives run between GEMMs and never beside them, as TensorParallelism says.
  [[nodiscard]] bool in_order() const;
  /// scatter_beside() of what an earlier GEMM made, where nothing runs beside.
  std::uint32_t scatter_after(std::int64_t columns);
  /// Weight gradient [m, n] over M tokens, or over fewer.
  void weight_gradient(std::int64_t m, std::int64_t n, std::uint32_t after,
                       const TpOverlapEntry* entry) {
    weight_gradient(m, n, after, entry, rows_);
  }
  void weight_gradient(std::int64_t m, std::int64_t n, std::uint32_t after,
                       const TpOverlapEntry* entry, std::int64_t tokens);

 private:
  /// The kernels that add a weight gradient to the sum of the micro-batches where its GEMM does
  /// not.
  void add_gradient(std::int64_t elements, bool converted);
  [[nodiscard]] Gemm gemm(const GemmFormats& formats, std::int64_t rows, std::int64_t n,
                          std::int64_t k) const;
  /// SMs that a GEMM leaves free from its start.
  [[nodiscard]] int margin(const TpOverlapEntry* entry) const;
  [[nodiscard]] bool sharded() const;
  /// How an overlapped gather is: by PyTorch's symmetric memory, or else a ring exchange.
  [[nodiscard]] bool symmetric() const;
  /// Rows of several samples are put in order, after they are gathered or before they are
  /// scattered.
  void put_in_order(const TensorFormat& format, std::int64_t columns, std::uint32_t after);
  std::uint32_t multiply(const Gemm& gemm, std::uint32_t after = kNoOp) {
    return builder_.kernel(gemm, share_, after);
  }
  std::uint32_t scatter_pipelined(std::int64_t n, std::int64_t k, const TpOverlapEntry& entry);
  std::uint32_t scatter_ring(std::int64_t n, std::int64_t k, const TpOverlapEntry& entry);
  std::uint32_t scatter_symmetric(std::int64_t n, std::int64_t k);
  /// [rows, k] x [k, n] for each n; the last one's op.
  std::uint32_t multiply_each(const GemmFormats& formats, std::int64_t rows,
                              std::span<const std::int64_t> n, std::int64_t k,
                              std::uint32_t after = kNoOp);
  void gather_in_chunks(const GemmFormats& formats, std::span<const std::int64_t> n,
                        std::int64_t k);
  /// Sums the t parts of a chunk of so many bytes.
  void add_parts(std::int64_t bytes, std::uint32_t after);
  std::uint32_t bulk(Collective collective, const TensorFormat& format, std::int64_t columns,
                     const TpOverlapEntry* entry);

  ProgramBuilder& builder_;
  std::int64_t rows_;
  int tp_;
  bool overlap_;
  const LinearFormats& formats_;
  const TensorFormat& output_;
  Share share_;
};

}  // namespace simtrain
