#pragma once

#include "sim/collectives/libraries/library_fields.h"
#include "sim/core/input/yaml_reader.h"
#include "sim/run/scenario/scenario.h"
#include "sim/topology/placement/placement_fields.h"
#include "sim/topology/specs/fault_fields.h"
#include "sim/workload/model/fields/recipe_fields.h"

namespace simtrain {

template <>
struct Fields<ClusterRequest> {
  template <class Visitor>
  static void visit(Visitor& v, ClusterRequest& request) {
    v("name", request.name);
    v.optional("machine", request.machine);
    v.optional("nodes", request.nodes, Limits{1, 1e6});
    v.optional("gpus", request.gpus, Limits{1, 1e8});
    v.optional("available_nodes", request.available_nodes, Limits{1, 1e6});
    v.optional("placement", request.placement);
    v.optional("rank_order", request.rank_order);
    v.optional("faults", request.faults);
  }
};

template <>
struct Fields<CostSpec> {
  template <class Visitor>
  static void visit(Visitor& v, CostSpec& cost) {
    v.optional("gpu_hour", cost.gpu_hour);
    v.optional("electricity", cost.electricity);
    v.optional("grid", cost.grid);
    v.optional("pue", cost.pue, Limits{1, 5});
  }
};

template <>
struct Fields<ScenarioFile> {
  template <class Visitor>
  static void visit(Visitor& v, ScenarioFile& file) {
    v("name", file.name);
    v("source", file.source);
    v.optional("notes", file.notes);
    v.optional("mfu_convention", file.mfu_convention);
    v("cluster", file.cluster);
    v("software", file.software);
    v("model", file.model);
    v("training", file.training);
    v("parallelism", file.parallelism);
    v("overlap", file.overlap);
    v("optimizer", file.optimizer);
    v.optional("sharding", file.sharding);
    v.optional("moe", file.moe);
    v.optional("offload", file.offload);
    v.optional("lora", file.lora);
    v.optional("packed_sequences", file.packed_sequences);
    v.optional("recompute", file.recompute);
    v.optional("recompute_modules", file.recompute_modules);
    v.optional("recompute_every_nth_layer", file.recompute_every_nth_layer, Limits{1, 1e6});
    v.optional("cuda_graphs", file.cuda_graphs);
    v.optional("cuda_launch_blocking", file.cuda_launch_blocking);
    v.optional("cost", file.cost);
    visit_library(v, file.library);
  }
};

}  // namespace simtrain
