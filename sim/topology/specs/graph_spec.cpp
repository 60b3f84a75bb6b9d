#include "sim/topology/specs/graph_spec.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "sim/core/files/data_folder.h"
#include "sim/core/invariant.h"
#include "sim/topology/specs/node_fields.h"

namespace simtrain {
namespace {

std::string graph_item(const char* list, std::size_t i) {
  return fmt::format("graph.{}[{}]", list, i);
}

void load_nodes(const DataFolder& data, GraphSpec& graph) {
  if (graph.hosts.empty()) throw InputError(graph.where, "graph.hosts", "needs at least one host");
  for (std::size_t i = 0; i < graph.hosts.size(); ++i) {
    GraphHosts& hosts = graph.hosts[i];
    const std::string key = graph_item("hosts", i) + ".node";
    hosts.spec = data.load<NodeSpec>("hardware/nodes", hosts.node, hosts.where, key);
    check_node(hosts.spec);
    const NodeSpec& first = graph.hosts.front().spec;
    if (hosts.spec.gpu == first.gpu) continue;
    throw InputError(hosts.where, key,
                     fmt::format("'{}' has GPUs of kind {}, the first host has {}; one kind would "
                                 "do",
                                 hosts.node, hosts.spec.gpu, first.gpu));
  }
}

/// What the names of a graph mean, and what hangs on what while its links are read.
class GraphChecker {
 public:
  explicit GraphChecker(const GraphSpec& graph) : graph_(graph) {}

  void check() {
    name_all();
    for (std::size_t i = 0; i < graph_.links.size(); ++i) {
      check_link(graph_.links[i], graph_item("links", i));
    }
    refuse_unlinked();
    refuse_parted();
  }

 private:
  /// An entry of hosts, one host (its entry and number) or a switch.
  struct Named {
    const GraphHosts* hosts = nullptr;
    int number = -1;
  };

  void name(const std::string& called, Named named, const SourcePlace& where,
            const std::string& key) {
    if (names_.try_emplace(called, named).second) return;
    throw InputError(where, key + ".name", fmt::format("'{}' appears twice", called));
  }

  void name_all() {
    for (std::size_t i = 0; i < graph_.hosts.size(); ++i) {
      const GraphHosts& hosts = graph_.hosts[i];
      name(hosts.name, {&hosts, -1}, hosts.where, graph_item("hosts", i));
      for (int number = 0; hosts.count > 1 && number < hosts.count; ++number) {
        name(hosts.host_name(number), {&hosts, number}, hosts.where, graph_item("hosts", i));
      }
    }
    for (std::size_t i = 0; i < graph_.switches.size(); ++i) {
      const GraphSwitch& one = graph_.switches[i];
      name(one.name, {}, one.where, graph_item("switches", i));
    }
  }

  const Named& find(const std::string& called, const GraphLink& link, const std::string& key) {
    const auto found = names_.find(called);
    if (found != names_.end()) return found->second;
    std::vector<std::string> known;
    for (const auto& [other, named] : names_) known.push_back(other);
    throw InputError(
        link.where, key,
        fmt::format("'{}' is no host or switch; {}", called, suggestion(called, known)));
  }

  void check_link(const GraphLink& link, const std::string& key) {
    const Named& from = find(link.from, link, key + ".from");
    const Named& to = find(link.to, link, key + ".to");
    if (link.latency > std::chrono::milliseconds(1)) {
      throw InputError(link.where, key + ".latency",
                       "is more than 1 ms, which no link of a cluster takes");
    }
    if (from.hosts != nullptr && to.hosts != nullptr) {
      throw InputError(link.where, key, "joins two hosts; a switch must lie between them");
    }
    if (from.hosts == nullptr && to.hosts == nullptr) {
      check_trunk(link, key);
    } else {
      take_nics(link, from.hosts != nullptr ? from : to,
                from.hosts != nullptr ? link.to : link.from, key);
    }
  }

  void check_trunk(const GraphLink& link, const std::string& key) {
    if (link.nics) throw InputError(link.where, key + ".nics", "is given at a link without a host");
    if (link.from == link.to) {
      throw InputError(link.where, key, fmt::format("joins '{}' with itself", link.from));
    }
    join(link.from, link.to);
  }

  void take_nics(const GraphLink& link, const Named& end, const std::string& upper,
                 const std::string& key) {
    const GraphHosts& hosts = *end.hosts;
    const int first = std::max(end.number, 0);
    const int last = end.number < 0 ? hosts.count : end.number + 1;
    if (link.nics && link.nics->empty()) throw InputError(link.where, key + ".nics", "is empty");
    for (int number = first; number < last; ++number) {
      const std::string host = hosts.host_name(number);
      join(host, upper);
      for (const int nic : nics_of(link, hosts)) {
        if (nic >= hosts.spec.nics.value) {
          throw InputError(link.where, key + ".nics",
                           fmt::format("{} is no NIC of {}, which has 0 to {}", nic, host,
                                       hosts.spec.nics.value - 1));
        }
        if (!linked_.emplace(host, nic).second) {
          throw InputError(link.where, key,
                           fmt::format("gives NIC {} of {} a second link", nic, host));
        }
      }
    }
  }

  static std::vector<int> nics_of(const GraphLink& link, const GraphHosts& hosts) {
    if (link.nics) return *link.nics;
    std::vector<int> all(static_cast<std::size_t>(hosts.spec.nics.value));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
    return all;
  }

  void join(const std::string& a, const std::string& b) {
    beside_[a].insert(b);
    beside_[b].insert(a);
  }

  void refuse_unlinked() const {
    for (std::size_t i = 0; i < graph_.hosts.size(); ++i) {
      const GraphHosts& hosts = graph_.hosts[i];
      for (int number = 0; number < hosts.count; ++number) {
        for (int nic = 0; nic < hosts.spec.nics.value; ++nic) {
          if (linked_.contains({hosts.host_name(number), nic})) continue;
          throw InputError(hosts.where, graph_item("hosts", i),
                           fmt::format("NIC {} of {} has no link", nic, hosts.host_name(number)));
        }
      }
    }
    for (std::size_t i = 0; i < graph_.switches.size(); ++i) {
      const GraphSwitch& one = graph_.switches[i];
      if (beside_.contains(one.name)) continue;
      throw InputError(one.where, graph_item("switches", i), "has no link");
    }
  }

  /// Every part must be reached over switches, since hosts do not forward.
  void refuse_parted() const {
    const std::string start = graph_.switches.front().name;
    std::set<std::string> reached{start};
    std::vector<std::string> open{start};
    while (!open.empty()) {
      const std::string here = open.back();
      open.pop_back();
      for (const std::string& next : beside_.at(here)) {
        const bool forwards = names_.at(next).hosts == nullptr;
        if (reached.insert(next).second && forwards) open.push_back(next);
      }
    }
    for (const auto& [called, others] : beside_) {
      if (reached.contains(called)) continue;
      throw InputError(graph_.where, "graph",
                       fmt::format("no way over switches leads from {} to {}", start, called));
    }
  }

  const GraphSpec& graph_;
  std::map<std::string, Named> names_;
  std::set<std::pair<std::string, int>> linked_;         ///< host and NIC
  std::map<std::string, std::set<std::string>> beside_;  ///< hosts one by one, and switches
};

}  // namespace

int GraphSpec::count() const {
  int sum = 0;
  for (const GraphHosts& entry : hosts) sum += entry.count;
  return sum;
}

const GraphHosts& GraphSpec::entry_of(int host) const {
  for (const GraphHosts& entry : hosts) {
    if (host < entry.count) return entry;
    host -= entry.count;
  }
  invariant(false, "the graph has this host");
  return hosts.front();
}

int GraphSpec::first_of(const GraphHosts& entry) const {
  int first = 0;
  for (const GraphHosts* other = hosts.data(); other != &entry; ++other) first += other->count;
  return first;
}

GraphSpec load_graph(const DataFolder& data, GraphSpec graph) {
  load_nodes(data, graph);
  GraphChecker(graph).check();
  return graph;
}

}  // namespace simtrain
