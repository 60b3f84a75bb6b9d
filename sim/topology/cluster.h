#pragma once

#include <string_view>
#include <vector>

#include <boost/graph/adjacency_list.hpp>

#include "sim/topology/cluster_spec.h"

namespace simtrain {

enum class VertexKind { gpu, nvswitch, nic, leaf, spine };

/// A device of the cluster. `group` is its node (gpu, nic), NVLink domain (nvswitch) or unit
/// (leaf); `index` its number there: local GPU, switch plane, rail, spine.
struct Device {
  VertexKind kind{};
  int group = 0;
  int index = 0;
};

/// One direction of a cable or board trace.
struct Link {
  Bandwidth bandwidth;
  Duration latency{};
  int id = 0;
};

using ClusterGraph =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, Device, Link>;

/// The part of a flow that crosses a link: 1 on a single way, less where equal ways share it.
struct LinkShare {
  int link;
  double share;
};

/// How data goes from one GPU to another: over all shortest ways at once, in equal parts where they
/// branch (ideal spreading). Latency is that of one way.
struct Route {
  std::vector<LinkShare> links;
  Duration latency{};
};

/// How far two GPUs are apart.
enum class Distance { same_gpu, nvlink_domain, unit, fabric };
inline constexpr std::size_t kDistances = 4;

template <>
struct EnumNames<Distance> {
  static constexpr std::array rows{std::pair{std::string_view("same_gpu"), Distance::same_gpu},
                                   std::pair{std::string_view("nvlink"), Distance::nvlink_domain},
                                   std::pair{std::string_view("unit"), Distance::unit},
                                   std::pair{std::string_view("fabric"), Distance::fabric}};
};

/// The cluster as a graph: GPUs, NVLink switches, NICs, leaf and spine switches, each link with
/// bandwidth and latency. GPU g is local GPU g % gpus of node g / gpus. Immutable once built.
class Cluster {
 public:
  explicit Cluster(ClusterSpec spec);

  [[nodiscard]] const ClusterSpec& spec() const { return spec_; }
  [[nodiscard]] const ClusterGraph& graph() const { return graph_; }
  [[nodiscard]] int links() const { return static_cast<int>(boost::num_edges(graph_)); }
  /// Link capacities by id, in bytes per second.
  [[nodiscard]] std::vector<double> capacities() const;

  [[nodiscard]] Distance distance(int from_gpu, int to_gpu) const;
  /// Shortest ways by latency, found on the graph.
  [[nodiscard]] Route route(int from_gpu, int to_gpu) const;

  /// True where no link between switches can ever be the narrowest of a flow, whatever runs: each
  /// leaf has at least as much bandwidth upward as its NICs have together. Then only the links of
  /// the GPUs themselves matter, and equally placed ranks are provably alike.
  [[nodiscard]] bool inner_links_never_bind() const;

 private:
  ClusterSpec spec_;
  ClusterGraph graph_;
};

/// One way to wire nodes together: builds NICs' upper side, leaf and spine switches.
struct WiringRow {
  std::string_view name;
  Wiring wiring;
  void (*build)(const ClusterSpec&, ClusterGraph&);
  std::string_view help;
};

/// All wirings, for building and for `simtrain list fabrics`.
const std::vector<WiringRow>& wirings();

/// Vertex of a GPU or of its NIC in the graph (GPUs first, then NICs, in GPU order).
inline std::size_t gpu_vertex(int gpu) { return static_cast<std::size_t>(gpu); }
inline std::size_t nic_vertex(const ClusterSpec& spec, int gpu) {
  return gpu_vertex(spec.gpus()) + gpu_vertex(gpu);
}

/// Adds one link in each direction, of at least one picosecond, so that ways have no loops.
void connect(ClusterGraph& graph, std::size_t a, std::size_t b, Bandwidth bandwidth,
             Duration latency);

}  // namespace simtrain
