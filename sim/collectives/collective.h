#pragma once

#include <array>
#include <string_view>

#include "sim/collectives/group_layout.h"
#include "sim/collectives/nccl_settings.h"
#include "sim/topology/cluster_spec.h"

namespace simtrain {

enum class Collective { all_reduce, all_gather, reduce_scatter, send_receive, none };
enum class Algorithm { ring, tree, nvls, direct, user_buffers };
enum class Protocol { ll, ll128, simple, copy_engine };

template <>
struct EnumNames<Collective> {
  static constexpr std::array rows{
      std::pair{std::string_view("all_reduce"), Collective::all_reduce},
      std::pair{std::string_view("all_gather"), Collective::all_gather},
      std::pair{std::string_view("reduce_scatter"), Collective::reduce_scatter},
      std::pair{std::string_view("send_receive"), Collective::send_receive},
      std::pair{std::string_view("none"), Collective::none}};
};
template <>
struct EnumNames<Algorithm> {
  static constexpr std::array rows{
      std::pair{std::string_view("ring"), Algorithm::ring},
      std::pair{std::string_view("tree"), Algorithm::tree},
      std::pair{std::string_view("nvls"), Algorithm::nvls},
      std::pair{std::string_view("direct"), Algorithm::direct},
      std::pair{std::string_view("user-buffers"), Algorithm::user_buffers}};
};
template <>
struct EnumNames<Protocol> {
  static constexpr std::array rows{std::pair{std::string_view("ll"), Protocol::ll},
                                   std::pair{std::string_view("ll128"), Protocol::ll128},
                                   std::pair{std::string_view("simple"), Protocol::simple},
                                   std::pair{std::string_view("ce"), Protocol::copy_engine}};
};

/// One call on a communicator. `bytes` is nccl-tests' size: the full vector of an all-reduce, the
/// gathered output of an all-gather, the full input of a reduce-scatter, the message of a send.
struct CollectiveRequest {
  Collective collective{};
  Bytes bytes;
  GroupLayout layout;
};

/// How a call moves its data, ready for the executor: first `latency`, then `wire` bytes (bus
/// bytes: what each rank puts on its busiest link) as a flow that takes at most `limit`.
struct TransferCost {
  Collective collective{};
  Algorithm algorithm{};
  Protocol protocol{};
  Bytes bytes;
  Bytes wire;
  Duration latency{};
  double limit = 0;           ///< bytes per second, from channels and protocol
  int sms = 0;                ///< streaming multiprocessors taken while it runs
  double memory_traffic = 0;  ///< HBM bytes moved per wire byte

  /// Time on an otherwise idle cluster whose links allow `link_rate` bytes per second.
  [[nodiscard]] Duration alone(double link_rate) const;
};

/// What a collective's time depends on beside the call itself.
struct NcclEnvironment {
  const ClusterSpec& cluster;
  const NcclSettings& settings;
};

/// One algorithm: which collectives it does and what a call costs in one protocol.
struct AlgorithmRow {
  Algorithm algorithm;
  std::string_view help;
  bool (*offers)(const CollectiveRequest&, const NcclEnvironment&, Protocol);
  TransferCost (*cost)(const CollectiveRequest&, const NcclEnvironment&, Protocol);
};

/// All algorithms; `simtrain list collectives` prints them.
const std::array<AlgorithmRow, 3>& algorithm_rows();

/// Bus bytes of a call: S * 2(n-1)/n all-reduce, S * (n-1)/n all-gather and reduce-scatter, S send.
Bytes bus_bytes(Collective collective, Bytes bytes, int ranks);

/// Picks algorithm and protocol as NCCL does: the least time on an idle cluster.
TransferCost plan_collective(const CollectiveRequest& request, const NcclEnvironment& environment);

/// A send/receive pair. Over the network each channel moves a chunk per turn-around, so that the
/// default of few channels and small chunks stays below line rate (reference: NVIDIA/nccl #2409).
TransferCost plan_send_receive(Bytes bytes, Distance distance, const NcclEnvironment& environment);

}  // namespace simtrain
