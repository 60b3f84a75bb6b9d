#pragma once

#include "sim/core/input/yaml_reader.h"
#include "sim/topology/specs/node_spec.h"

namespace simtrain {

template <>
struct Fields<NodePower> {
  template <class Visitor>
  static void visit(Visitor& v, NodePower& power) {
    v("host", power.host);
    v("nic", power.nic);
    v("nvswitch", power.nvswitch);
    v("supply_efficiency", power.supply_efficiency, Limits{0.1, 1});
  }
};

template <>
struct Fields<HostSpec> {
  template <class Visitor>
  static void visit(Visitor& v, HostSpec& host) {
    v("memory", host.memory);
    v("memory_bandwidth", host.memory_bandwidth);
    v("adam_bandwidth", host.adam_bandwidth);
    v("processors", host.processors, Limits{1, 64});
    v("gpu_bandwidth", host.gpu_bandwidth);
    v.optional("gpus_per_uplink", host.gpus_per_uplink, Limits{1, 1024});
    v("copy_latency", host.copy_latency);
  }
};

template <>
struct Fields<NodeSpec> {
  template <class Visitor>
  static void visit(Visitor& v, NodeSpec& spec) {
    v("name", spec.name);
    v("description", spec.description);
    v("gpu", spec.gpu);
    v("gpus", spec.gpus, Limits{1, 1024});
    v("nics", spec.nics, Limits{1, 1024});
    v("nic_bandwidth", spec.nic_bandwidth);
    v("nvlink_domain_nodes", spec.nvlink_domain_nodes, Limits{1, 1024});
    v.optional("gpu_wiring", spec.gpu_wiring);
    v.optional("host_cpu", spec.host_cpu);
    v.optional("nvswitches", spec.nvswitches, Limits{1, 1024});
    v("host_launch_latency", spec.host_launch_latency);
    v.optional("host", spec.host);
    v.optional("power", spec.power);
  }
};

}  // namespace simtrain
