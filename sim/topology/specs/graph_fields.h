#pragma once

#include "sim/core/input/yaml_reader.h"
#include "sim/topology/specs/graph_spec.h"

namespace simtrain {

template <>
struct Fields<GraphHosts> {
  template <class Visitor>
  static void visit(Visitor& v, GraphHosts& hosts) {
    v("name", hosts.name);
    v("node", hosts.node);
    v.optional("count", hosts.count, Limits{1, 10000});
  }
};

template <>
struct Fields<GraphSwitch> {
  template <class Visitor>
  static void visit(Visitor& v, GraphSwitch& node) {
    v("name", node.name);
  }
};

template <>
struct Fields<GraphLink> {
  template <class Visitor>
  static void visit(Visitor& v, GraphLink& link) {
    v("from", link.from);
    v("to", link.to);
    v("bandwidth", link.bandwidth);
    v("latency", link.latency);
    v.optional("nics", link.nics, Limits{0, 1023});
  }
};

template <>
struct Fields<GraphSpec> {
  template <class Visitor>
  static void visit(Visitor& v, GraphSpec& spec) {
    v("hosts", spec.hosts);
    v("switches", spec.switches);
    v("links", spec.links);
  }
};

}  // namespace simtrain
