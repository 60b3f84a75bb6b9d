#pragma once

#include "sim/core/input/yaml_reader.h"
#include "sim/job/specs/tolerance_spec.h"

namespace simtrain {

template <>
struct Fields<ToleranceSpec> {
  template <class Visitor>
  static void visit(Visitor& v, ToleranceSpec& tolerance) {
    v("name", tolerance.name);
    v("description", tolerance.description);
    v("notice", tolerance.notice);
    v("leave", tolerance.leave);
    v("join", tolerance.join);
  }
};

}  // namespace simtrain
