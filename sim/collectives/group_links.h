#pragma once

#include <vector>

#include "sim/collectives/transfer_cost.h"
#include "sim/topology/cluster.h"
#include "sim/topology/link_sharing.h"

namespace simtrain {

/// Which links the calls of communicators load, and how much of each per wire byte.
///
/// Every rank loads its own NVLinks and its NIC with the cost's load; in a mesh of GPUs the links
/// to the other ranks alone. Links between switches are named only where they can bind: those on
/// the ways from each domain to the domains that the algorithm sends to (ring, trees, all), rail by
/// rail; reductions in switches (SHARP) send little enough to load none. Sends and receives load
/// the ways from each rank to the next, in a ring.
class GroupLinks {
 public:
  explicit GroupLinks(const Cluster& cluster);

  /// Links of a call on `gpus` (in rank order), of which only `loaded` put their own links in:
  /// those that represent others in a folded plan. Sorted by link, each once.
  [[nodiscard]] std::vector<LinkShare> of_call(const TransferCost& cost,
                                               const std::vector<int>& gpus,
                                               const std::vector<int>& loaded) const;

  /// Links of messages from one GPU to another, as one flow: each on its way in `connections`
  /// channels. Sorted by link, each once.
  struct Way {
    int from_gpu = 0;
    int to_gpu = 0;
  };
  [[nodiscard]] std::vector<LinkShare> of_messages(const std::vector<Way>& ways,
                                                   int connections) const;

  /// Those of `links` that are own ones of these GPUs.
  [[nodiscard]] std::vector<LinkShare> own_links(const std::vector<LinkShare>& links,
                                                 const std::vector<int>& gpus) const;

  /// Links of one way, in `connections` channels.
  [[nodiscard]] std::vector<LinkShare> of_way(int from_gpu, int to_gpu, int connections) const;

 private:
  class Sum;
  void add_own(Sum& sum, int gpu, const std::vector<int>& group, const LinkLoad& load) const;
  void add_between(Sum& sum, int from_gpu, int to_gpu, double share, int connections) const;
  void add_tree(Sum& sum, const std::vector<std::vector<int>>& domains,
                const TransferCost& cost) const;
  void add_all_pairs(Sum& sum, const std::vector<int>& gpus, int connections) const;

  const Cluster& cluster_;
  const LinkOwners& owners_;
  bool inner_;  ///< whether links between switches can bind
};

/// The most wire bytes per second that a call gets on an otherwise idle cluster.
double idle_rate(const Cluster& cluster, const GroupLinks& links, const TransferCost& cost,
                 const std::vector<int>& gpus);

}  // namespace simtrain
