#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/run/step/simulated_step.h"

namespace simtrain {

/// What holds a kernel: the rate of SMs, memory bandwidth, or the time that every kernel takes.
enum class KernelBound { compute, memory, launch };
template <>
struct EnumNames<KernelBound> {
  static constexpr std::array rows{std::pair{std::string_view("compute"), KernelBound::compute},
                                   std::pair{std::string_view("memory"), KernelBound::memory},
                                   std::pair{std::string_view("launch"), KernelBound::launch}};
};

/// What holds a transfer: the steps from rank to rank; the channels, SMs or copy engines that move
/// it; a GPU's NVLinks or its NIC; or others that take the same links at the time. What is between
/// a GPU and its host: their link, or others on it and on the host's memory.
enum class TransferBound {
  latency,
  channels,
  nvlink,
  nic,
  shared_nvlink,
  shared_nic,
  host,
  shared_host
};
template <>
struct EnumNames<TransferBound> {
  static constexpr std::array rows{
      std::pair{std::string_view("latency"), TransferBound::latency},
      std::pair{std::string_view("channels"), TransferBound::channels},
      std::pair{std::string_view("nvlink"), TransferBound::nvlink},
      std::pair{std::string_view("nic"), TransferBound::nic},
      std::pair{std::string_view("shared_nvlink"), TransferBound::shared_nvlink},
      std::pair{std::string_view("shared_nic"), TransferBound::shared_nic},
      std::pair{std::string_view("host"), TransferBound::host},
      std::pair{std::string_view("shared_host"), TransferBound::shared_host}};
};

/// A kernel of one module and shape in a step.
struct KernelWork {
  std::string module;            ///< in the words of Megatron; of a step's end what it does
  std::optional<Kernel> kernel;  ///< none for the step's end: element-wise over the shards
  Share share{};                 ///< of the breakdown
  KernelBound bound{};
  double each_s = 0;  ///< a call, alone on its GPU
  double flops = 0;   ///< of a call
  double bytes = 0;   ///< of a call of a memory-bound kernel; otherwise 0
  std::optional<double>
      share_of_peak;       ///< FLOP/s over the peak of its type, or bytes over memory's
  std::int64_t calls = 0;  ///< of the busiest rank
  double total_s = 0;      ///< of the busiest rank
  double path_s = 0;       ///< on the critical path, whichever rank that is on
};

/// Calls of one kind and size in a step.
struct TransferWork {
  std::string group;  ///< "tp", "cp", ...
  Share share{};      ///< of the breakdown
  TransferCost cost;  ///< of a call
  TransferBound bound{};
  std::int64_t calls = 0;  ///< of the busiest rank
  double total_s = 0;      ///< of the busiest rank, hidden or not
  double path_s = 0;       ///< on the critical path, whichever rank that is on

  /// Seconds of a call: the mean of the busiest rank's; alone where that rank has none.
  [[nodiscard]] double each_s() const;
  /// Bytes per second as nccl-tests counts them (busbw), of such a call.
  [[nodiscard]] double bus_bandwidth() const;
};

/// What a step is made of. `path_s` of the rows of a share sum to that share of the report's
/// breakdown; what the breakdown has besides is waiting (is_waiting()), which no kernel and no
/// transfer does. Most time on the critical path first, then most of the busiest rank's.
struct StepWork {
  std::vector<KernelWork> kernels;
  std::vector<TransferWork> transfers;
};

/// Shares of a breakdown in which nothing is computed or moved: host launches, pipeline bubble,
/// overlap slowdown, routing imbalance, stragglers.
bool is_waiting(Share share);

/// The kernels and transfers of a simulated step: of its busiest rank, whose stage the others wait
/// for, and on its critical path.
StepWork step_work(const SimulatedStep& simulated);

}  // namespace simtrain
