#pragma once

#include "sim/core/input/yaml_reader.h"
#include "sim/run/scenario/machine.h"

namespace simtrain {

template <>
struct Fields<MachineValue> {
  template <class Visitor>
  static void visit(Visitor& v, MachineValue& value) {
    v("key", value.key);
    v("value", value.value);
    v("source", value.source);
  }
};

template <>
struct Fields<Machine> {
  template <class Visitor>
  static void visit(Visitor& v, Machine& machine) {
    v("name", machine.name);
    v("description", machine.description);
    v("node", machine.node);
    v("values", machine.values);
    v("relative_error", machine.relative_error, Limits{0, 10});
  }
};

}  // namespace simtrain
