#pragma once

#include "sim/workload/model/piece_context.h"

namespace simtrain {

/// Appends kernels and collectives of one rank to a program. The compute stream runs in order, so a
/// kernel names only the transfers it waits for; a transfer starts after the kernels before it.
class ProgramBuilder {
 public:
  explicit ProgramBuilder(const PieceContext& context) : context_(context) {}

  [[nodiscard]] const Recipe& recipe() const { return context_.recipe; }
  [[nodiscard]] const GpuSpec& gpu() const { return context_.cluster.gpu; }
  Program take() { return std::move(program_); }

  /// What follows belongs to this module; a name for people. `sized_by_routing`: the host learns
  /// its sizes in each micro-batch.
  void module(std::string_view name, bool sized_by_routing = false) {
    module_ = name;
    sized_by_routing_ = sized_by_routing;
  }

  /// The next kernel waits for this transfer as well (kNoOp: for none). Where launches block it
  /// waits for the last one in any case.
  void wait_for(std::uint32_t transfer) {
    if (!recipe().cuda_launch_blocking) awaited_ = transfer;
  }

  std::uint32_t kernel(const Kernel& kernel, Share share, std::uint32_t after = kNoOp);
  /// The kernel of the busiest rank; what it takes beyond that of a rank with the mean work is
  /// counted as imbalance.
  std::uint32_t uneven_kernel(const Kernel& busiest, const Kernel& mean, Share share,
                              std::uint32_t after = kNoOp);
  std::uint32_t stream_bytes(StreamingKind kind, double bytes, Share share,
                             std::uint32_t after = kNoOp);

  /// Collective of the communication library over a group; `after` is the kernel that makes its
  /// input.
  std::uint32_t collective(GroupKind group, Collective collective, const TensorFormat& format,
                           std::int64_t elements, std::uint32_t after);
  std::uint32_t tensor_collective(Collective kind, const TensorFormat& format,
                                  std::int64_t elements, std::uint32_t after) {
    return collective(GroupKind::tensor, kind, format, elements, after);
  }
  /// Transfer of Transformer Engine's user buffers, or of PyTorch's symmetric memory: `wire` bytes
  /// through each rank's NVLink.
  std::uint32_t user_buffers(Collective collective, std::int64_t bytes, std::int64_t wire,
                             double limit, int sms, std::uint32_t after);
  /// One step of the context-parallel ring, of activations.
  std::uint32_t context_exchange(std::int64_t elements, std::uint32_t after);
  /// Collective over the context-parallel group, of activations.
  std::uint32_t context_collective(Collective collective, std::int64_t elements,
                                   std::uint32_t after);

  [[nodiscard]] std::uint32_t last_kernel() const { return last_kernel_; }

  /// Tokens of the rank on their way to their experts or back, by a library of its own.
  std::uint32_t exchange_tokens(const ExpertExchange& exchange, std::uint32_t after);
  /// The host waits for a number from the GPU before it launches what follows.
  std::uint32_t host_wait(Duration time);

 private:
  [[nodiscard]] TransferCost collective_cost(GroupKind group, Collective collective,
                                             const TensorFormat& format,
                                             std::int64_t elements) const;
  /// On four streams, or where launches block one after the other.
  [[nodiscard]] KernelTime time_of(const Kernel& kernel) const;
  std::uint32_t add_kernel(const Kernel& kernel, const KernelTime& time, const Breakdown& parts,
                           std::uint32_t after);
  std::uint32_t transfer(const TransferCost& cost, Stream stream, GroupKind slot,
                         std::uint32_t after, DataType moved);

  PieceContext context_;
  Program program_;
  std::string_view module_;
  bool sized_by_routing_ = false;
  std::uint32_t last_kernel_ = kNoOp;
  std::uint32_t awaited_ = kNoOp;
};

}  // namespace simtrain
