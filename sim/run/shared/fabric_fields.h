#pragma once

#include "sim/core/input/yaml_reader.h"
#include "sim/run/shared/fabric_spec.h"
#include "sim/topology/placement/placement_fields.h"
#include "sim/topology/specs/fault_fields.h"

namespace simtrain {

template <>
struct Fields<FabricCluster> {
  template <class Visitor>
  static void visit(Visitor& v, FabricCluster& cluster) {
    v("name", cluster.name);
    v("nodes", cluster.nodes, Limits{1, 1e6});
    v.optional("faults", cluster.faults);
  }
};

template <>
struct Fields<FabricEntry> {
  template <class Visitor>
  static void visit(Visitor& v, FabricEntry& job) {
    v("name", job.name);
    v("scenario", job.scenario);
    v.optional("row", job.row);
    v.optional("set", job.set);
    v.optional("placement", job.placement);
    v.optional("rank_order", job.rank_order);
    v.optional("start", job.start);
  }
};

template <>
struct Fields<FabricFile> {
  template <class Visitor>
  static void visit(Visitor& v, FabricFile& file) {
    v("name", file.name);
    v.optional("notes", file.notes);
    v("cluster", file.cluster);
    v.optional("steps", file.steps, Limits{1, 1000});
    v.optional("warm_up_steps", file.warm_up_steps, Limits{0, 1000});
    v("jobs", file.jobs);
  }
};

}  // namespace simtrain
