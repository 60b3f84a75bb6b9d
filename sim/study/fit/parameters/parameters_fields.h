#pragma once

#include "sim/study/fit/parameters/parameters.h"
#include "sim/study/validate/documented_fields.h"

namespace simtrain {

template <>
struct Fields<ParameterKey> {
  template <class Visitor>
  static void visit(Visitor& v, ParameterKey& key) {
    v("file", key.file);
    v("key", key.key);
  }
};

template <>
struct Fields<Prior> {
  template <class Visitor>
  static void visit(Visitor& v, Prior& prior) {
    v("value", prior.value);
    v("standard_error", prior.standard_error, Limits{1e-12, 1e18});
    v("source", prior.source);
  }
};

template <>
struct Fields<FittedParameter> {
  template <class Visitor>
  static void visit(Visitor& v, FittedParameter& parameter) {
    v("name", parameter.name);
    v("meaning", parameter.meaning);
    v.optional("unit", parameter.unit);
    v("sets", parameter.sets);
    v("prior", parameter.prior);
    v("range", parameter.range);
  }
};

template <>
struct Fields<CalibrationSpec> {
  template <class Visitor>
  static void visit(Visitor& v, CalibrationSpec& spec) {
    v("name", spec.name);
    v("left_out_bounds", spec.left_out_bounds);
    v("parameters", spec.parameters);
  }
};

}  // namespace simtrain
