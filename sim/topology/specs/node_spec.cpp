#include "sim/topology/specs/node_spec.h"

#include <fmt/format.h>

#include "sim/core/input/input_error.h"

namespace simtrain {

namespace {

void check_mesh(const NodeSpec& node) {
  if (node.nvswitches.value > 0)
    throw InputError(node.where, "nvswitches", "is given though gpu_wiring is mesh");
  if (node.nvlink_domain_nodes.value > 1)
    throw InputError(
        node.where, "nvlink_domain_nodes",
        fmt::format("is {} though gpu_wiring is mesh, which joins the GPUs of one node",
                    node.nvlink_domain_nodes.value));
}

void check_host(const NodeSpec& node, const HostSpec& host) {
  const auto divides = [&](int parts, const char* key) {
    if (node.gpus % parts != 0)
      throw InputError(
          node.where, key,
          fmt::format("is {} for {} GPUs, which it does not divide", parts, node.gpus));
  };
  divides(host.processors.value, "host.processors");
  divides(host.gpus_per_uplink.value, "host.gpus_per_uplink");
  const int of_processor = node.gpus / host.processors.value;
  if (of_processor % host.gpus_per_uplink.value != 0)
    throw InputError(node.where, "host.gpus_per_uplink",
                     fmt::format("is {} for {} GPUs of a processor, which it does not divide",
                                 host.gpus_per_uplink.value, of_processor));
}

}  // namespace

void check_node(const NodeSpec& node) {
  if (node.nics.value > node.gpus)
    throw InputError(node.where, "nics",
                     fmt::format("is {} for {} GPUs; a GPU uses one NIC, so at most {} would do "
                                 "(count a bundle as one NIC of their sum)",
                                 node.nics.value, node.gpus, node.gpus));
  if (node.host) check_host(node, *node.host);
  if (node.is_mesh()) return check_mesh(node);
  if (node.nvswitches.value < 1) throw InputError(node.where, "nvswitches", "is missing");
}

}  // namespace simtrain
