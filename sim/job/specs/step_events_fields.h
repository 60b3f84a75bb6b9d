#pragma once

#include "sim/core/input/yaml_reader.h"
#include "sim/job/specs/step_events.h"

namespace simtrain {

template <>
struct Fields<FirstStep> {
  template <class Visitor>
  static void visit(Visitor& v, FirstStep& first) {
    v.optional("software", first.software);
    v("adds", first.adds);
  }
};

template <>
struct Fields<StepEvents> {
  template <class Visitor>
  static void visit(Visitor& v, StepEvents& events) {
    v("name", events.name);
    v("first_step", events.first_step);
    v("connections", events.connections);
    v("garbage_collection", events.garbage_collection);
    v("garbage_collection_interval", events.garbage_collection_interval, Limits{1, 1e6});
    v("slow_share", events.slow_share, kShare);
    v("slow_least", events.slow_least, Limits{1, 1000});
    v("slow_most", events.slow_most, Limits{1, 1000});
  }
};

}  // namespace simtrain
