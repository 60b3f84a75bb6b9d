#pragma once

#include <optional>
#include <string>

#include "sim/core/fields.h"
#include "sim/core/quantity.h"
#include "sim/core/sourced.h"

namespace simtrain {

/// How a software stack configures RCCL: the `rccl` map of `hardware/software/NAME.yaml`.
struct RcclSettings {
  Sourced<bool> msccl;           ///< RCCL_MSCCL_ENABLE: all ranks of a node at once
  Sourced<Bytes> msccl_largest;  ///< calls that take it where it is on
};
template <>
struct Fields<RcclSettings>;

/// RCCL as it comes: MSCCL on, for calls up to 4 MiB.
RcclSettings usual_rccl();

/// What a scenario's own `rccl` map changes of a software stack's.
struct RcclOverrides {
  std::optional<bool> msccl;
  std::optional<Bytes> msccl_largest;
};
template <>
struct Fields<RcclOverrides>;

/// The overrides that give these settings, whatever they are laid over.
RcclOverrides overrides_of(const RcclSettings& settings);

/// The settings with the overrides over them; the source of a changed value is `source`.
RcclSettings with_overrides(RcclSettings settings, const RcclOverrides& overrides,
                            const std::string& source);

}  // namespace simtrain
