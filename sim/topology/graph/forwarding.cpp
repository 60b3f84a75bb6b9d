#include "sim/topology/graph/forwarding.h"

#include <algorithm>

#include "sim/topology/graph/cluster_graph.h"

namespace simtrain {

ForwardingTable::ForwardingTable(const ClusterGraph& graph, std::size_t first_switch,
                                 std::size_t goal)
    : first_switch_(first_switch), entries_(boost::num_vertices(graph) - first_switch) {
  entries_[goal - first_switch].hops = 0;
  std::vector<std::size_t> reached{goal};  // breadth first: grows while it is walked
  reached.reserve(entries_.size());
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const std::size_t to = reached[i];
    const Entry& after = entries_[to - first_switch];
    for (const auto edge : boost::make_iterator_range(boost::in_edges(to, graph))) {
      const std::size_t from = boost::source(edge, graph);
      const Link& link = graph[edge];
      if (from < first_switch || link.bandwidth.value() <= 0) continue;
      Entry& before = entries_[from - first_switch];
      if (before.hops < 0) {
        before.hops = after.hops + 1;
        reached.push_back(from);
      }
      if (before.hops != after.hops + 1) continue;
      before.latency = std::max(before.latency, after.latency + link.latency);
      before.next.push_back({link.id, to});
    }
  }
  for (Entry& entry : entries_) {
    std::sort(entry.next.begin(), entry.next.end(),
              [](const NextHop& a, const NextHop& b) { return a.link < b.link; });
  }
}

}  // namespace simtrain
