#pragma once

#include <array>
#include <optional>
#include <string>

#include "sim/core/enum_names.h"
#include "sim/core/fields.h"
#include "sim/core/quantity.h"
#include "sim/core/source_place.h"
#include "sim/core/sourced.h"

namespace simtrain {

/// How the GPUs of an NVLink domain are joined: over switches that each has links to, each pair by
/// links of its own, or over PCIe, whose root is as one switch.
enum class GpuWiring { switches, mesh, pcie };

template <>
struct EnumNames<GpuWiring> {
  static constexpr std::array rows{std::pair{std::string_view("switches"), GpuWiring::switches},
                                   std::pair{std::string_view("mesh"), GpuWiring::mesh},
                                   std::pair{std::string_view("pcie"), GpuWiring::pcie}};
};

/// What a node draws beside its GPUs, while they train.
struct NodePower {
  Sourced<Power> host;                ///< CPUs, memory, storage, fans and boards of one node
  Sourced<Power> nic;                 ///< each
  Sourced<Power> nvswitch;            ///< each chip
  Sourced<double> supply_efficiency;  ///< of power supplies: what the node uses over what it takes
};
template <>
struct Fields<NodePower>;

/// The make of a node's host processors. NCCL's tables for calls between nodes go by it.
enum class HostCpu { intel, amd, arm };

template <>
struct EnumNames<HostCpu> {
  static constexpr std::array rows{std::pair{std::string_view("intel"), HostCpu::intel},
                                   std::pair{std::string_view("amd"), HostCpu::amd},
                                   std::pair{std::string_view("arm"), HostCpu::arm}};
};

/// The host of a node as a place to keep what GPUs have no room for. Bandwidths are what large
/// transfers reach.
struct HostSpec {
  Sourced<Bytes> memory;                       ///< of the node
  Sourced<Bandwidth> memory_bandwidth;         ///< of the node, reads and writes together
  Sourced<Bandwidth> adam_bandwidth;           ///< of it, what an update by all cores moves
  Sourced<int> processors;                     ///< each with an equal part of memory and GPUs
  Sourced<Bandwidth> gpu_bandwidth;            ///< of a GPU's link to its host, each direction
  Sourced<int> gpus_per_uplink{1, "default"};  ///< GPUs whose links a switch joins into one
  Sourced<Duration> copy_latency;              ///< of a copy between GPU and host
};
template <>
struct Fields<HostSpec>;

/// One server (for GB200: one tray): `hardware/nodes/NAME.yaml`.
struct NodeSpec {
  std::string name;
  std::string description;
  std::string gpu;
  int gpus = 0;
  Sourced<int> nics;  ///< NIC i is on rail i; GPU i of g uses NIC i * nics / g
  Sourced<Bandwidth> nic_bandwidth;
  Sourced<int> nvlink_domain_nodes;  ///< nodes that one NVLink domain joins
  Sourced<GpuWiring> gpu_wiring{GpuWiring::switches, "default"};
  Sourced<HostCpu> host_cpu{HostCpu::intel, "default"};
  Sourced<int> nvswitches{};  ///< switch chips of one NVLink domain; none of a mesh
  Sourced<Duration> host_launch_latency;
  std::optional<HostSpec> host;    ///< missing: nothing is offloaded to it
  std::optional<NodePower> power;  ///< of a loaded cluster: its file's, else by PowerRules
  SourcePlace where;

  [[nodiscard]] bool is_mesh() const { return gpu_wiring.value == GpuWiring::mesh; }
};
template <>
struct Fields<NodeSpec>;

/// Throws InputError where a node has more NICs than GPUs, no NVLink switches though its GPUs are
/// joined over them, or some though they are not, or where its GPUs do not divide over the parts of
/// its host.
void check_node(const NodeSpec& node);

}  // namespace simtrain
