#include "sim/collectives/group_links.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "sim/collectives/group_layout.h"
#include "sim/collectives/move_schedule.h"

namespace simtrain {
namespace {

/// The rank of another domain at the same place, as far as it has one.
int partner(const std::vector<int>& domain, std::size_t local) {
  return domain[local % domain.size()];
}

}  // namespace

/// Shares by link.
class GroupLinks::Sum {
 public:
  void add(int link, double share) { shares_.push_back({link, share}); }
  /// Sorted by link, each once; equal ones are summed in the order in which they were added.
  [[nodiscard]] std::vector<LinkShare> list() {
    std::stable_sort(shares_.begin(), shares_.end(),
                     [](const LinkShare& a, const LinkShare& b) { return a.link < b.link; });
    std::vector<LinkShare> links;
    links.reserve(shares_.size());
    for (const LinkShare& added : shares_) {
      if (links.empty() || links.back().link != added.link) {
        links.push_back(added);
      } else {
        links.back().share += added.share;
      }
    }
    return links;
  }

 private:
  std::vector<LinkShare> shares_;
};

GroupLinks::GroupLinks(const Cluster& cluster)
    : cluster_(cluster), owners_(cluster.owners()), inner_(!cluster.inner_links_never_bind()) {}

/// In a mesh only the links to peers of the group carry anything, in equal parts.
void GroupLinks::add_own(Sum& sum, int gpu, const std::vector<int>& group,
                         const LinkLoad& load) const {
  const GpuLinks own = owners_.of_gpu(gpu);
  std::vector<int> used;
  for (const PeerLink& peer : own.peers) {
    if (std::find(group.begin(), group.end(), peer.gpu) != group.end()) used.push_back(peer.link);
  }
  const bool mesh = !own.peers.empty();
  const double parts =
      mesh ? static_cast<double>(used.size()) : static_cast<double>(own.nvlink.size()) / 2;
  for (const int link : mesh ? used : own.nvlink) {
    if (load.nvlink > 0) sum.add(link, load.nvlink / parts);
  }
  for (const int link : own.nic) {
    if (load.nic > 0) sum.add(link, load.nic);
  }
}

void GroupLinks::add_between(Sum& sum, int from_gpu, int to_gpu, double share,
                             int connections) const {
  for (const LinkShare& link : cluster_.spread_route(from_gpu, to_gpu, connections).links) {
    if (owners_.shared(link.link)) sum.add(link.link, share * link.share);
  }
}

/// Each of the two trees carries half; the ranks of a domain share it.
void GroupLinks::add_tree(Sum& sum, const std::vector<std::vector<int>>& domains,
                          const TransferCost& cost) const {
  const int count = static_cast<int>(domains.size());
  const double share = static_cast<double>(cost.bytes.value()) /
                       std::max(1.0, static_cast<double>(cost.wire.value())) / 2;
  for (int tree = 0; tree < 2; ++tree) {
    for (int domain = 0; domain < count; ++domain) {
      const int up = tree_place(count, domain, tree).up;
      if (up < 0) continue;
      const auto& own = domains[static_cast<std::size_t>(domain)];
      const auto& parent = domains[static_cast<std::size_t>(up)];
      for (std::size_t local = 0; local < own.size(); ++local) {
        const double part = share / static_cast<double>(own.size());
        add_between(sum, own[local], partner(parent, local), part, cost.sms);
        add_between(sum, partner(parent, local), own[local], part, cost.sms);
      }
    }
  }
}

/// All pairs of two leaves take equal ways, so that one pair represents all of them.
void GroupLinks::add_all_pairs(Sum& sum, const std::vector<int>& gpus, int connections) const {
  std::map<std::pair<int, int>, std::vector<int>> leaves;  // by unit and rail
  for (const int gpu : gpus) {
    const Host& host = cluster_.hosts()[static_cast<std::size_t>(cluster_.host_of(gpu))];
    leaves[{host.unit, cluster_.nic_of(gpu) - host.first_nic}].push_back(gpu);
  }
  const double share = 1.0 / std::max<double>(1, static_cast<double>(gpus.size()) - 1);
  for (const auto& [from, senders] : leaves) {
    for (const auto& [to, receivers] : leaves) {
      if (from.first == to.first && from.second == to.second) continue;
      const double pairs =
          static_cast<double>(senders.size()) * static_cast<double>(receivers.size());
      add_between(sum, senders.front(), receivers.back(), share * pairs, connections);
    }
  }
}

std::vector<LinkShare> GroupLinks::of_call(const TransferCost& cost, const std::vector<int>& gpus,
                                           const std::vector<int>& loaded) const {
  if (cost.collective == Collective::send_receive) {
    std::vector<Way> ring;
    for (std::size_t i = 0; i < gpus.size(); ++i)
      ring.push_back({gpus[i], gpus[(i + 1) % gpus.size()]});
    return of_messages(ring, cost.sms);
  }
  Sum sum;
  for (const int gpu : loaded) add_own(sum, gpu, gpus, cost.load);
  if (!inner_) return sum.list();
  const std::vector<std::vector<int>> domains = by_domain(cluster_, gpus);
  const BetweenDomains between = between_domains(cost.algorithm);
  if (domains.size() < 2 || between == BetweenDomains::switches) return sum.list();
  if (cost.collective == Collective::all_to_all) {
    add_all_pairs(sum, gpus, cost.sms);
  } else if (between == BetweenDomains::next) {
    for (std::size_t domain = 0; domain < domains.size(); ++domain) {
      for (std::size_t local = 0; local < domains[domain].size(); ++local) {
        add_between(sum, domains[domain][local],
                    partner(domains[(domain + 1) % domains.size()], local), cost.load.nic,
                    cost.sms);
      }
    }
  } else {
    add_tree(sum, domains, cost);
  }
  return sum.list();
}

std::vector<LinkShare> GroupLinks::of_messages(const std::vector<Way>& ways,
                                               int connections) const {
  Sum sum;
  for (const Way& way : ways) {
    for (const LinkShare& link : of_way(way.from_gpu, way.to_gpu, connections))
      sum.add(link.link, link.share);
  }
  return sum.list();
}

std::vector<LinkShare> GroupLinks::own_links(const std::vector<LinkShare>& links,
                                             const std::vector<int>& gpus) const {
  std::vector<int> own;
  for (const int gpu : gpus) {
    const GpuLinks of_gpu = owners_.of_gpu(gpu);
    own.insert(own.end(), of_gpu.nvlink.begin(), of_gpu.nvlink.end());
    own.insert(own.end(), of_gpu.nic.begin(), of_gpu.nic.end());
  }
  std::sort(own.begin(), own.end());
  std::vector<LinkShare> kept;
  std::copy_if(links.begin(), links.end(), std::back_inserter(kept), [&](const LinkShare& link) {
    return std::binary_search(own.begin(), own.end(), link.link);
  });
  return kept;
}

std::vector<LinkShare> GroupLinks::of_way(int from_gpu, int to_gpu, int connections) const {
  std::vector<LinkShare> links;
  for (const LinkShare& link :
       cluster_.spread_route(from_gpu, to_gpu, std::max(1, connections)).links) {
    if (inner_ || !owners_.shared(link.link)) links.push_back(link);
  }
  return links;
}

double idle_rate(const Cluster& cluster, const GroupLinks& links, const TransferCost& cost,
                 const std::vector<int>& gpus) {
  const std::vector<LinkShare> taken = links.of_call(cost, gpus, gpus);
  return share_links(cluster.capacities(), {{&taken, cost.limit}}).front();
}

}  // namespace simtrain
