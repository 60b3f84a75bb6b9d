#pragma once

#include "sim/collectives/libraries/rccl/rccl_settings.h"
#include "sim/core/input/yaml_reader.h"

namespace simtrain {

template <>
struct Fields<RcclSettings> {
  template <class Visitor>
  static void visit(Visitor& v, RcclSettings& settings) {
    v("msccl", settings.msccl);
    v("msccl_largest", settings.msccl_largest);
  }
};

template <>
struct Fields<RcclOverrides> {
  template <class Visitor>
  static void visit(Visitor& v, RcclOverrides& overrides) {
    v.optional("msccl", overrides.msccl);
    v.optional("msccl_largest", overrides.msccl_largest);
  }
};

}  // namespace simtrain
