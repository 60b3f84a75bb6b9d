#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/core/threads/value_store.h"
#include "sim/topology/gpu_links.h"
#include "sim/topology/graph/host_links.h"
#include "sim/topology/placement/hosts.h"

namespace simtrain {

struct ClusterGraph;
class Forwarding;
class LinksByVertex;

/// The part of a flow that crosses a link: 1 on a single way, less where equal ways share it.
struct LinkShare {
  int link;
  double share;
};

/// How data goes from one GPU to another. Latency is that of the slowest of its ways.
struct Route {
  std::vector<LinkShare> links;
  Duration latency{};
};

/// How far two GPUs are apart, by the switches that lie between: those of an NVLink domain, one
/// leaf, leaves and spines of one block, or all levels that the fabric has. Without blocks all ways
/// over spines are `fabric`.
enum class Distance { same_gpu, nvlink_domain, unit, block, fabric };
inline constexpr std::size_t kDistances = 5;

template <>
struct EnumNames<Distance> {
  static constexpr std::array rows{std::pair{std::string_view("same_gpu"), Distance::same_gpu},
                                   std::pair{std::string_view("nvlink"), Distance::nvlink_domain},
                                   std::pair{std::string_view("unit"), Distance::unit},
                                   std::pair{std::string_view("block"), Distance::block},
                                   std::pair{std::string_view("fabric"), Distance::fabric}};
};

/// The cluster as a graph: GPUs, NVLink switches, NICs, switches of the fabric, each link with
/// bandwidth and latency. It never changes. Regular fabrics forward by their shape; where the graph
/// is the user's own, or links between switches are weakened, forwarding tables are worked out when
/// first asked for.
/// Many threads may use one at a time.
class Cluster {
 public:
  /// Throws InputError where the spec's faults name what does not exist or part hosts from one
  /// another.
  explicit Cluster(ClusterSpec spec);
  Cluster(Cluster&&) noexcept;
  ~Cluster();

  [[nodiscard]] const ClusterSpec& spec() const { return spec_; }
  [[nodiscard]] const ClusterGraph& graph() const { return *graph_; }
  [[nodiscard]] int links() const { return static_cast<int>(capacities_.size()); }
  /// Link capacities by id, in bytes per second.
  [[nodiscard]] const std::vector<double>& capacities() const { return capacities_; }
  /// How the switches of the fabric forward.
  [[nodiscard]] const Forwarding& forwarding() const { return *forwarding_; }
  /// Which links are whose own.
  [[nodiscard]] const LinkOwners& owners() const { return owners_; }

  /// What others worked out from this cluster, for whoever asks again.
  [[nodiscard]] ValueStore& derived() const { return *derived_; }

  [[nodiscard]] const std::vector<Host>& hosts() const { return hosts_; }
  [[nodiscard]] int gpus() const { return hosts_.back().first_gpu + hosts_.back().gpus; }
  [[nodiscard]] int nics() const { return hosts_.back().first_nic + hosts_.back().nics; }
  /// Index in hosts().
  [[nodiscard]] int host_of(int gpu) const { return host_of_[index(gpu)]; }
  /// The NIC that a GPU uses, numbered through the cluster: local GPU i of g uses i * nics / g, or
  /// the next one where that is down.
  [[nodiscard]] int nic_of(int gpu) const { return nic_of_[index(gpu)]; }
  /// How many times as long the kernels of a GPU take as those of its kind do; 1 for a healthy one.
  [[nodiscard]] double slowdown(int gpu) const { return slowdown_of_[index(gpu)]; }
  /// From a GPU to the memory of its host, where the spec has host_links.
  [[nodiscard]] const HostWay& host_way(int gpu) const { return host_ways_[index(gpu)]; }
  [[nodiscard]] int domain_of(int gpu) const { return host(gpu).domain; }
  /// What large flows reach of the line rate of the GPU's NIC, which other GPUs may use as well.
  [[nodiscard]] Bandwidth usable_nic_bandwidth(int gpu) const;
  [[nodiscard]] std::size_t gpu_vertex(int gpu) const { return index(gpu); }
  [[nodiscard]] std::size_t nic_vertex(int nic) const { return index(gpus() + nic); }
  /// Which GPU's NIC data from one GPU to another NVLink domain leaves by. Itself, or with PXN on
  /// rails the first of its host (else of its NVLink domain) whose NIC is on the target's rail; in
  /// a graph, on the target's leaf.
  [[nodiscard]] int exit_gpu(int from_gpu, int to_gpu) const;

  [[nodiscard]] Distance distance(int from_gpu, int to_gpu) const;
  /// What the way adds to one below a leaf: the latency of all links between switches.
  [[nodiscard]] Duration far_latency(int from_gpu, int to_gpu) const;

  /// The way from GPU to GPU: over NVLink inside a domain (in a mesh by the pair's own link), else
  /// from NIC to NIC over the fewest switches. Where ways branch, each takes an equal part; under
  /// ECMP, the connection `salt` goes by hash over one of them, always the same.
  [[nodiscard]] Route route(int from_gpu, int to_gpu, std::uint64_t salt = 0) const;
  /// The way of a flow of equal `connections` (queue pairs, at least 1): under ECMP each is hashed
  /// apart, with salts 0 to connections - 1. Otherwise the same as route().
  [[nodiscard]] Route spread_route(int from_gpu, int to_gpu, int connections) const;

  /// True where no link between switches can ever be the narrowest of a flow, whatever runs: each
  /// switch has at least as much bandwidth upward as downward, evenly used. Then only the links of
  /// the GPUs themselves matter, and equally placed ranks are provably alike.
  [[nodiscard]] bool inner_links_never_bind() const;

 private:
  /// The link of a NIC to its leaf switch.
  struct Port {
    std::size_t leaf = 0;
    int up = 0;
    int down = 0;
    Duration latency{};
    Bandwidth bandwidth;
  };

  static std::size_t index(int number) { return static_cast<std::size_t>(number); }
  [[nodiscard]] const Host& host(int gpu) const { return hosts_[index(host_of(gpu))]; }
  [[nodiscard]] const Port& port(int gpu) const { return ports_[index(nic_of(gpu))]; }
  [[nodiscard]] int rail_of(int gpu) const { return nic_of(gpu) - host(gpu).first_nic; }
  [[nodiscard]] bool same_rail(int gpu, int other) const;
  [[nodiscard]] bool ways_stay_below_leaves() const;
  [[nodiscard]] bool ways_never_branch() const;
  [[nodiscard]] bool moved_nics() const;  ///< of GPUs whose own NIC is down
  void build(const std::vector<double>& nic_factors);
  void find_ports();
  void find_capacities();
  void refuse_parted() const;
  void add_nvlink(Route& route, int from_gpu, int to_gpu) const;
  void add_link(Route& route, std::size_t from, std::size_t to) const;
  void add_spread(Route& route, std::size_t from, std::size_t to) const;
  void add_hashed(Route& route, std::size_t from, std::size_t to, std::uint64_t hash) const;

  ClusterSpec spec_;
  std::unique_ptr<ClusterGraph> graph_;
  std::unique_ptr<LinksByVertex> links_of_;
  std::vector<Host> hosts_;
  std::vector<int> host_of_;         ///< by GPU
  std::vector<int> nic_of_;          ///< by GPU
  std::vector<double> slowdown_of_;  ///< by GPU
  std::vector<Port> ports_;          ///< by NIC
  std::size_t first_switch_ = 0;
  std::vector<double> capacities_;  ///< by link
  LinkOwners owners_;
  std::unique_ptr<Forwarding> forwarding_;
  std::vector<HostWay> host_ways_;  ///< by GPU
  std::unique_ptr<ValueStore> derived_ = std::make_unique<ValueStore>();
};

}  // namespace simtrain
