#pragma once

#include <array>
#include <optional>
#include <string>

#include "sim/core/enum_names.h"
#include "sim/core/fields.h"
#include "sim/core/quantity.h"
#include "sim/core/source_place.h"
#include "sim/core/sourced.h"
#include "sim/topology/specs/fault_spec.h"
#include "sim/topology/specs/gpu_spec.h"
#include "sim/topology/specs/graph_spec.h"

namespace simtrain {

class DataFolder;

enum class Transport { infiniband, roce };
enum class Wiring { rail_optimized, fat_tree };
/// How a switch spreads traffic over equally short ways: in equal parts (ideal, adaptive) or each
/// connection by hash on one of them (ecmp).
enum class Routing { ideal, adaptive, ecmp };

template <>
struct EnumNames<Transport> {
  static constexpr std::array rows{std::pair{std::string_view("infiniband"), Transport::infiniband},
                                   std::pair{std::string_view("roce"), Transport::roce}};
};
template <>
struct EnumNames<Wiring> {
  static constexpr std::array rows{
      std::pair{std::string_view("rail-optimized"), Wiring::rail_optimized},
      std::pair{std::string_view("fat-tree"), Wiring::fat_tree}};
};
template <>
struct EnumNames<Routing> {
  static constexpr std::array rows{std::pair{std::string_view("ideal"), Routing::ideal},
                                   std::pair{std::string_view("adaptive"), Routing::adaptive},
                                   std::pair{std::string_view("ecmp"), Routing::ecmp}};
};

/// What the network between nodes draws.
struct FabricPower {
  Sourced<Power> switch_port;  ///< of a switch, each of its ports of a NIC's line rate
  Sourced<Power> transceiver;  ///< at each end of a cable of that rate
};
template <>
struct Fields<FabricPower>;

/// The network between nodes: `hardware/fabrics/NAME.yaml`. The hop times are whole NCCL steps
/// below one leaf switch, NIC and proxy included; longer ways add their switches and cables.
struct FabricSpec {
  std::string name;
  std::string description;
  Transport transport{};
  Wiring wiring{};
  Sourced<int> nodes_per_unit;       ///< nodes below one set of leaf switches (SU, sub-block)
  Sourced<double> oversubscription;  ///< leaf downlinks over uplinks
  /// Nodes below one set of spine switches; more of them are joined by core switches.
  std::optional<Sourced<int>> nodes_per_block;
  Sourced<double> core_oversubscription{1, "default"};  ///< spine downlinks over uplinks
  /// Cross-rail traffic first takes NVLink to the GPU on the rail of its target (NCCL's PXN).
  Sourced<bool> pxn{true, "NCCL's default"};
  Sourced<Routing> routing{Routing::ideal, "default"};
  Sourced<double> link_efficiency;  ///< of the NIC's line rate
  Sourced<Duration> switch_latency;
  Sourced<Duration> cable_latency;
  Sourced<Duration> ll_hop;
  Sourced<Duration> ll128_hop;
  Sourced<Duration> simple_hop;
  Sourced<Duration> collective_start;  ///< once a round: the proxies post on all channels
  Sourced<Duration> tree_hop;          ///< of trees with the Simple protocol
  Sourced<Duration> send_receive_latency;
  Sourced<Duration> chunk_turnaround;
  Sourced<Duration> all_to_all_peer;  ///< what each peer beyond the domain adds, eight at most
  Sourced<Duration> all_to_all_turnaround;  ///< of a chunk where a rank sends to many at once
  Sourced<Bandwidth> channel_bandwidth;     ///< of a collective's channel with the Simple protocol
  std::optional<Sourced<bool>> sharp;       ///< switches reduce (InfiniBand SHARP)
  std::optional<FabricPower> power;         ///< a loaded cluster has it, as NodeSpec::power
  SourcePlace where;

  /// A switch and the cable to it.
  [[nodiscard]] Duration hop_latency() const { return switch_latency.value + cable_latency.value; }
  /// What a way adds for each switch level that it climbs: two more switches and cables.
  [[nodiscard]] Duration level_latency() const { return 2 * hop_latency(); }
};
template <>
struct Fields<FabricSpec>;

/// A kind of cluster as its file says it: `hardware/clusters/NAME.yaml`.
struct ClusterFile {
  std::string name;
  std::string description;
  std::optional<std::string> node;  ///< not with a graph
  std::string fabric;               ///< with a graph: what the links' protocol needs
  std::optional<Sourced<int>> max_nodes;
  std::optional<GraphSpec> graph;  ///< one's own hosts, switches and links
  std::optional<Sourced<double>> pue;
  SourcePlace where;

  /// How many nodes it has at most.
  [[nodiscard]] int nodes() const {
    return graph ? graph->count() : max_nodes ? max_nodes->value : 0;
  }
};
template <>
struct Fields<ClusterFile>;

/// The nodes of one job and all that they are made of.
struct ClusterSpec {
  std::string name;
  int nodes = 0;
  NodeSpec node;  ///< with a graph: of its first host
  GpuSpec gpu;
  FabricSpec fabric;
  std::optional<GraphSpec> graph;  ///< in place of the fabric's wiring
  Sourced<double> pue{1, ""};      ///< what the site takes over what its computers take
  ClusterFaults faults;            ///< of this job's scenario
  bool host_links = false;         ///< the graph has the ways from GPUs to their hosts' memory

  /// The kind of the host at this place in host order.
  [[nodiscard]] const NodeSpec& node_of(int host) const;
  [[nodiscard]] int gpus() const;
  /// Of the host that has the fewest.
  [[nodiscard]] int fewest_gpus() const;
  /// "28 x hgx-b200", or of a graph "2 x hgx-h100, 1 x hgx-h100-4nic".
  [[nodiscard]] std::string nodes_text() const;
  /// The fabric's wiring by name, or "own graph".
  [[nodiscard]] std::string wiring_text() const;
  /// Line rate of a NIC times what large flows reach of it.
  [[nodiscard]] Bandwidth usable_nic_bandwidth() const {
    return node.nic_bandwidth.value * fabric.link_efficiency.value;
  }
};

/// How the source of a value begins that follows from PowerRules.
inline constexpr std::string_view kByPowerRule = "rule of hardware/power.yaml: ";

/// What holds of a node, a fabric or a site whose file does not say what it draws:
/// `hardware/power.yaml`.
struct PowerRules {
  std::string name;
  Sourced<double> host_share;  ///< NodePower::host over the power limits of the node's GPUs
  Sourced<Power> nic;
  Sourced<Power> nvswitch;
  Sourced<double> supply_efficiency;
  Sourced<Power> switch_port;
  Sourced<Power> transceiver;
  Sourced<double> pue;
};
template <>
struct Fields<PowerRules>;

/// The key that says how many nodes, for messages, and its place.
struct NodesKey {
  std::string key;
  SourcePlace where;
};

/// Reads a cluster and the node, GPU and fabric it names. `where` is the place that asks for it,
/// `nodes_key` the one that says how many nodes (if it is another).
/// Throws InputError where a name is unknown, `nodes` is more than the cluster has or a latency is
/// beyond what routing can distinguish.
ClusterSpec load_cluster(const DataFolder& data, const std::string& name, int nodes,
                         const SourcePlace& where,
                         const std::optional<NodesKey>& nodes_key = std::nullopt);

/// How many nodes a cluster has. Throws InputError as load_cluster does.
int nodes_of_cluster(const DataFolder& data, const std::string& name, const SourcePlace& where);

/// The kind of its nodes; with a graph that of its first host. Throws InputError as load_cluster
/// does.
NodeSpec node_of_cluster(const DataFolder& data, const std::string& name, const SourcePlace& where);

}  // namespace simtrain
