#pragma once

#include <string>

#include "sim/core/quantity.h"

namespace simtrain {

enum class VertexKind {
  gpu,
  nvswitch,
  nic,
  leaf,
  spine,
  core,
  host_switch,  ///< joins the links of some GPUs to one of their processor
  processor,
  host_memory
};

/// A device of the cluster. `group` is its host (gpu, nic and those of the host), NVLink domain
/// (nvswitch), unit (leaf) or block (spine); `index` its number there: local GPU or NIC, switch
/// plane, rail, spine. `name` is what messages and faults call it; GPUs, NICs and NVLink switches
/// go by host and number instead.
struct Device {
  VertexKind kind{};
  int group = 0;
  int index = 0;
  std::string name{};
};

}  // namespace simtrain
