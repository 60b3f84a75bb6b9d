#pragma once

#include "sim/core/input/yaml_reader.h"
#include "sim/topology/specs/fault_spec.h"

namespace simtrain {

template <class Visitor>
void visit_fault_times(Visitor& v, FaultTimes& times) {
  v.optional("start", times.start);
  v.optional("for", times.length);
}

template <>
struct Fields<SlowGpu> {
  template <class Visitor>
  static void visit(Visitor& v, SlowGpu& gpu) {
    v("host", gpu.host);
    v("gpu", gpu.gpu, Limits{0, 1023});
    v("slowdown", gpu.slowdown, Limits{1, 1000});
    visit_fault_times(v, gpu.times);
  }
};

template <>
struct Fields<NicFault> {
  template <class Visitor>
  static void visit(Visitor& v, NicFault& fault) {
    v.optional("host", fault.host);
    v("nic", fault.nic, Limits{0, 1023});
    v("bandwidth_share", fault.bandwidth_share, kShare);
    visit_fault_times(v, fault.times);
  }
};

template <>
struct Fields<LinkFault> {
  template <class Visitor>
  static void visit(Visitor& v, LinkFault& fault) {
    v("from", fault.from);
    v("to", fault.to);
    v("bandwidth_share", fault.bandwidth_share, kShare);
    visit_fault_times(v, fault.times);
  }
};

template <>
struct Fields<ClusterFaults> {
  template <class Visitor>
  static void visit(Visitor& v, ClusterFaults& faults) {
    v.optional("gpus", faults.gpus);
    v.optional("nics", faults.nics);
    v.optional("links", faults.links);
  }
};

}  // namespace simtrain
