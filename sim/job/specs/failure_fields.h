#pragma once

#include "sim/core/input/yaml_reader.h"
#include "sim/job/specs/failure_spec.h"

namespace simtrain {

template <>
struct Fields<FailureExposure> {
  template <class Visitor>
  static void visit(Visitor& v, FailureExposure& observed) {
    v("days", observed.days, Limits{0.01, 1e9});
    v.optional("gpus", observed.gpus, Limits{1, 1e9});
    v.optional("nics", observed.nics, Limits{1, 1e9});
    v.optional("nodes", observed.nodes, Limits{1, 1e9});
    v.optional("units", observed.units, Limits{0.001, 1e9});
    v("source", observed.source);
  }
};

template <>
struct Fields<FailureRow> {
  template <class Visitor>
  static void visit(Visitor& v, FailureRow& row) {
    v("component", row.component);
    v("per", row.per);
    v("events", row.events, Limits{0, 1e9});
    v("source", row.source);
    v("effect", row.effect);
    v("takes", row.takes);
    v("detection", row.detection);
    v.optional("repair", row.repair);
    v.optional("gpu_slowdown", row.gpu_slowdown, Limits{1, 1000});
    v.optional("nic_bandwidth_share", row.nic_bandwidth_share, Limits{0.01, 1});
  }
};

template <>
struct Fields<RestartSpec> {
  template <class Visitor>
  static void visit(Visitor& v, RestartSpec& restart) {
    v("scheduler", restart.scheduler);
    v("launch", restart.launch);
    v("manual_share", restart.manual_share, kShare);
    v("manual_delay", restart.manual_delay);
  }
};

template <>
struct Fields<FailureSpec> {
  template <class Visitor>
  static void visit(Visitor& v, FailureSpec& spec) {
    v("name", spec.name);
    v("description", spec.description);
    v("observed", spec.observed);
    v("components", spec.components);
    v("restart", spec.restart);
  }
};

}  // namespace simtrain
