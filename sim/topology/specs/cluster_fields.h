#pragma once

#include "sim/core/input/yaml_reader.h"
#include "sim/topology/specs/cluster_spec.h"
#include "sim/topology/specs/graph_fields.h"

namespace simtrain {

inline constexpr Limits kPue{1, 5};

template <>
struct Fields<FabricPower> {
  template <class Visitor>
  static void visit(Visitor& v, FabricPower& power) {
    v("switch_port", power.switch_port);
    v("transceiver", power.transceiver);
  }
};

template <>
struct Fields<PowerRules> {
  template <class Visitor>
  static void visit(Visitor& v, PowerRules& rules) {
    v("name", rules.name);
    v("host_share", rules.host_share, Limits{0, 10});
    v("nic", rules.nic);
    v("nvswitch", rules.nvswitch);
    v("supply_efficiency", rules.supply_efficiency, Limits{0.1, 1});
    v("switch_port", rules.switch_port);
    v("transceiver", rules.transceiver);
    v("pue", rules.pue, kPue);
  }
};

template <>
struct Fields<FabricSpec> {
  template <class Visitor>
  static void visit(Visitor& v, FabricSpec& spec) {
    v("name", spec.name);
    v("description", spec.description);
    v("transport", spec.transport);
    v("wiring", spec.wiring);
    v("nodes_per_unit", spec.nodes_per_unit, Limits{1, 100000});
    v("oversubscription", spec.oversubscription, Limits{1, 1000});
    v.optional("nodes_per_block", spec.nodes_per_block, Limits{1, 1e6});
    v.optional("core_oversubscription", spec.core_oversubscription, Limits{1, 1000});
    v.optional("pxn", spec.pxn);
    v.optional("routing", spec.routing);
    v("link_efficiency", spec.link_efficiency, Limits{0.01, 1});
    v("switch_latency", spec.switch_latency);
    v("cable_latency", spec.cable_latency);
    v("ll_hop", spec.ll_hop);
    v("ll128_hop", spec.ll128_hop);
    v("simple_hop", spec.simple_hop);
    v("collective_start", spec.collective_start);
    v("tree_hop", spec.tree_hop);
    v("send_receive_latency", spec.send_receive_latency);
    v("chunk_turnaround", spec.chunk_turnaround);
    v("all_to_all_peer", spec.all_to_all_peer);
    v("all_to_all_turnaround", spec.all_to_all_turnaround);
    v("channel_bandwidth", spec.channel_bandwidth);
    v.optional("sharp", spec.sharp);
    v.optional("power", spec.power);
  }
};

template <>
struct Fields<ClusterFile> {
  template <class Visitor>
  static void visit(Visitor& v, ClusterFile& file) {
    v("name", file.name);
    v("description", file.description);
    v.optional("node", file.node);
    v("fabric", file.fabric);
    v.optional("max_nodes", file.max_nodes, Limits{1, 1e6});
    v.optional("graph", file.graph);
    v.optional("pue", file.pue, kPue);
  }
};

}  // namespace simtrain
