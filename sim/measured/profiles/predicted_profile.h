#pragma once

#include <array>
#include <cstdint>

#include "sim/measured/profiles/kernel_kind.h"
#include "sim/measured/profiles/profile.h"
#include "sim/run/step/simulated_step.h"

namespace simtrain {

/// What a rank runs of one kind of kernel in a step.
struct PredictedKernels {
  std::int64_t calls = 0;
  double seconds = 0;  ///< a collective's from when its last member has come
  /// Collectives: from when the rank could have started, until the last member has come. A kernel
  /// of NCCL is on the GPU and waits in that time.
  double waiting_s = 0;
};

/// What a profile of one rank shows of a step.
struct PredictedProfile {
  std::array<PredictedKernels, kKernelKinds> kernels{};  ///< by KernelKind number
  /// In which any kernel is on the GPU, in seconds: collectives from when the rank could have
  /// started, and for as long as it waits for the slowest rank.
  double busy_s = 0;
  /// In which the rank waits for the slowest of all ranks, whose hardware differs, in seconds: in
  /// no kind of kernel. Collectives on the GPU show that time.
  double straggler_wait_s = 0;

  [[nodiscard]] const PredictedKernels& of(KernelKind kind) const {
    return kernels[static_cast<std::size_t>(kind)];
  }
};

/// The kernels of a rank in a simulated step, by kind. Inside passes that were slowed by transfers
/// beside them, all kernels are stretched evenly. Element-wise kernels of attention count as
/// attention; norm, GEMM and loss of the head by what they are, not as the embedding_and_loss that
/// the breakdown makes of them.
PredictedProfile predicted_profile(const SimulatedStep& simulated, int rank);

/// The calls of NCCL that a rank makes in a step, as a log of them counts.
CallCounts predicted_calls(const SimulatedStep& simulated, int rank);

}  // namespace simtrain
