#include "sim/collectives/libraries/rccl/rccl_settings.h"

namespace simtrain {

RcclSettings usual_rccl() {
  return {{true, "RCCL's default on MI300X"}, {Bytes(4 << 20), "assumed: calls bound by latency"}};
}

RcclOverrides overrides_of(const RcclSettings& settings) {
  return {settings.msccl.value, settings.msccl_largest.value};
}

RcclSettings with_overrides(RcclSettings settings, const RcclOverrides& overrides,
                            const std::string& source) {
  if (overrides.msccl) settings.msccl = {*overrides.msccl, source};
  if (overrides.msccl_largest) settings.msccl_largest = {*overrides.msccl_largest, source};
  return settings;
}

}  // namespace simtrain
