#pragma once

#include "sim/collectives/algorithm.h"

namespace simtrain {

/// What a group's ranks have of the links between the GPUs of a node, in bytes per second and
/// direction, before any protocol.
struct RcclLinks {
  double all = 0;      ///< from a rank to the others of its node: (ranks - 1) links of a mesh
  double message = 0;  ///< of one message: one link of a mesh
};
RcclLinks rccl_links(const GroupLayout& layout, const ClusterSpec& cluster);

/// Bus bytes per second of rings over several nodes, with this share of the links' rate: each
/// enters a node over another NIC and passes all of its ranks on ways that share no link of a mesh.
double rings_between_nodes(const GroupLayout& layout, const ClusterSpec& cluster, double share);

}  // namespace simtrain
