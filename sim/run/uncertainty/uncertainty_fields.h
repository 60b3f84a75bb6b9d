#pragma once

#include "sim/core/input/yaml_reader.h"
#include "sim/run/uncertainty/uncertainty.h"

namespace simtrain {

template <>
struct Fields<KindError> {
  template <class Visitor>
  static void visit(Visitor& v, KindError& error) {
    v("share", error.share);
    v.optional("gpu", error.gpu);
    v.optional("kernels", error.kernels);
    v.optional("precision", error.precision);
    v.optional("head_dimension", error.head_dimension);
    v.optional("block", error.block);
    v.optional("unmeasured_machine", error.unmeasured_machine);
    v("relative_error", error.relative_error, Limits{0, 10});
  }
};

template <>
struct Fields<StackError> {
  template <class Visitor>
  static void visit(Visitor& v, StackError& error) {
    v("known", error.known);
    v("relative_error", error.relative_error, Limits{0, 10});
    v("slower", error.slower, Limits{0, 10});
  }
};

template <>
struct Fields<MachineError> {
  template <class Visitor>
  static void visit(Visitor& v, MachineError& error) {
    v.optional("gpu", error.gpu);
    v("relative_error", error.relative_error, Limits{0, 10});
  }
};

template <>
struct Fields<UncertaintySpec> {
  template <class Visitor>
  static void visit(Visitor& v, UncertaintySpec& spec) {
    v("name", spec.name);
    v("scale", spec.scale, Limits{1e-3, 1e3});
    v("run_to_run", spec.run_to_run, Limits{1e-6, 1});
    v("per_doubling", spec.per_doubling, Limits{0, 1});
    v("stacks", spec.stacks);
    v("machines", spec.machines);
    v("kinds", spec.kinds);
  }
};

}  // namespace simtrain
