#pragma once

#include "sim/job/specs/storage_spec.h"
#include "sim/run/scenario/scenario.h"

namespace simtrain {

/// What checkpoints take of the network of training while they move over it.
struct NetworkUse {
  /// What they leave of NICs and of links between switches; none of them where they take nothing.
  ClusterFaults left;
  double most_of_nic = 0;   ///< share that they take of a NIC, at most
  double most_of_link = 0;  ///< of a link between switches, where such links can bind
  double slowed = 1;  ///< they take so many times as long, as no link gives them more than 0.9

  [[nodiscard]] bool takes() const { return most_of_nic > 0; }
};

/// What moves to a storage over the network of training.
struct SavingTraffic {
  StorageScope scope{};
  double node_rate = 0;  ///< bytes per second of each node that writes
  int nodes = 0;         ///< that write: evenly among those of the job
};

/// Each node that writes sends to another node of the job, evenly over its NICs, by the ways that
/// training takes: to the next one where each node's storage has its copy on a peer; half of the
/// job away where the storage is one for all, whose servers are then taken to be below other
/// switches. Links between switches count where they can bind (Cluster::inner_links_never_bind):
/// elsewhere they have as much as the NICs below them.
NetworkUse network_use(const Scenario& scenario, const SavingTraffic& traffic);

}  // namespace simtrain
