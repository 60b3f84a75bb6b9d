#pragma once

#include "sim/collectives/libraries/nccl/nccl_fields.h"
#include "sim/study/nccl/nccl_curves.h"

namespace simtrain {

template <>
struct Fields<CurveSpec> {
  template <class Visitor>
  static void visit(Visitor& v, CurveSpec& curve) {
    v("machine", curve.machine);
    v("cluster", curve.cluster);
    v("nodes", curve.nodes, Limits{1, 1e6});
    v("gpus", curve.gpus, Limits{1, 1e6});
    v("collective", curve.collective);
    v("nccl", curve.nccl);
    v("source", curve.source);
    v("use", curve.use);
    v("bytes", curve.bytes, Limits{1, 1e15});
    v("us", curve.us, Limits{1e-3, 1e12});
  }
};

template <>
struct Fields<CurveFile> {
  template <class Visitor>
  static void visit(Visitor& v, CurveFile& file) {
    v("name", file.name);
    v("data", file.data);
    v("curves", file.curves);
  }
};

}  // namespace simtrain
