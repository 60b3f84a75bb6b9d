#include "sim/topology/graph/cluster_graph.h"

#include <algorithm>
#include <utility>

namespace simtrain {

void connect(ClusterGraph& graph, std::size_t a, std::size_t b, Bandwidth bandwidth,
             Duration latency) {
  for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
    const int id = static_cast<int>(boost::num_edges(graph));
    boost::add_edge(from, to, Link{bandwidth, std::max(latency, Duration(1)), id}, graph);
  }
}

}  // namespace simtrain
