#pragma once

#include "sim/core/input/yaml_reader.h"
#include "sim/topology/placement/placement.h"

namespace simtrain {

template <>
struct Fields<PlacementSpec> {
  template <class Visitor>
  static void visit(Visitor& v, PlacementSpec& spec) {
    v("kind", spec.kind);
    v.optional("seed", spec.seed, kCountOrNone);
    v.optional("free", spec.free, kShare);
    v.optional("hosts", spec.hosts);
    v.optional("segment", spec.segment, Limits{1, 1e6});
  }
};

}  // namespace simtrain
