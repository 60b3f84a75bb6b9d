#pragma once

#include <vector>

#include "sim/collectives/names.h"

namespace simtrain {

/// The shape of a communicator for schedules: `domains` NVLink domains of `per_domain` ranks each,
/// rank r being number r % per_domain of domain r / per_domain.
struct GroupShape {
  int domains = 1;
  int per_domain = 1;
  [[nodiscard]] int ranks() const { return domains * per_domain; }
  [[nodiscard]] int rank(int domain, int local) const {
    return (domain % domains) * per_domain + local % per_domain;
  }
  /// The NVLink switch of a domain, and the switches of the network, as ends of moves.
  [[nodiscard]] int nvlink_switch(int domain) const { return ranks() + domain; }
  [[nodiscard]] int network_switch() const { return ranks() + domains; }
};

/// One message: a part of the buffer goes from one end to another, which adds it to its own or
/// takes it over.
struct Move {
  int from = 0;
  int to = 0;
  int part = 0;
  bool reduce = false;
};

/// All messages of one call, each after those that it depends on. The buffer is cut into equal
/// `parts`; part k of an all-gather or reduce-scatter belongs to rank k * ranks / parts, that of
/// an all-to-all goes from rank k / ranks to rank k % ranks.
struct Schedule {
  int parts = 1;
  double share = 1;  ///< of a part in the call's bytes
  std::vector<Move> moves;
};

/// Bytes that one rank sends in a call, over its NVLinks and over its NIC.
struct SentBytes {
  double nvlink = 0;
  double nic = 0;
};

/// The place of one domain in one of the two binary trees that lie over the domains; -1 where
/// there is no such neighbour. Tree 1 is tree 0 mirrored, or shifted where the number is odd, so
/// that a domain inside one tree is a leaf of the other; only domain 0 of an odd number may have
/// one below it in each (NVIDIA/nccl src/graph/trees.cc).
struct TreePlace {
  int up = -1;
  std::vector<int> down;
};
TreePlace tree_place(int domains, int domain, int tree);

/// Messages up and down both trees between the ranks `local` of all domains; the parts are
/// tree * parts_per_tree + part.
void add_tree_moves(Schedule& schedule, const GroupShape& shape, int local, int part,
                    int parts_per_tree);

/// Bytes that a rank of `domain` sends over both trees when the ranks of its domain share `bytes`.
double tree_sent(const GroupShape& shape, int domain, double bytes);

}  // namespace simtrain
