#include "sim/topology/specs/node_spec.h"

#include <fmt/format.h>

#include "sim/core/input/input_error.h"

namespace simtrain {

void check_nics(const NodeSpec& node) {
  if (node.nics.value <= node.gpus) return;
  throw InputError(node.where, "nics",
                   fmt::format("is {} for {} GPUs; a GPU uses one NIC, so at most {} would do "
                               "(count a bundle as one NIC of their sum)",
                               node.nics.value, node.gpus, node.gpus));
}

}  // namespace simtrain
