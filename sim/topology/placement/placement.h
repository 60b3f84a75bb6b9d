#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/enum_names.h"
#include "sim/core/fields.h"
#include "sim/topology/specs/cluster_spec.h"

namespace simtrain {

struct YamlNode;

/// Which hosts of the cluster a job gets, and in which order.
enum class PlacementKind { compact, spread, random, hosts, fragmented };
/// Which GPU of those hosts each rank runs on.
enum class RankOrder { by_host, round_robin, sorted_hosts };

template <>
struct EnumNames<PlacementKind> {
  static constexpr std::array rows{
      std::pair{std::string_view("compact"), PlacementKind::compact},
      std::pair{std::string_view("spread"), PlacementKind::spread},
      std::pair{std::string_view("random"), PlacementKind::random},
      std::pair{std::string_view("hosts"), PlacementKind::hosts},
      std::pair{std::string_view("fragmented"), PlacementKind::fragmented}};
};
template <>
struct EnumNames<RankOrder> {
  static constexpr std::array rows{
      std::pair{std::string_view("by-host"), RankOrder::by_host},
      std::pair{std::string_view("round-robin"), RankOrder::round_robin},
      std::pair{std::string_view("sorted-hosts"), RankOrder::sorted_hosts}};
};

/// A placement as a scenario asks for it: a word (`compact`) or a map (`{kind: random, seed: 7}`).
struct PlacementSpec {
  PlacementKind kind{};
  std::optional<int> seed;                        ///< random, fragmented
  std::optional<double> free;                     ///< fragmented: share of the hosts that is free
  std::optional<std::vector<std::string>> hosts;  ///< hosts: their numbers from 0
  std::optional<int> segment;  ///< compact, fragmented: hosts that one NVLink domain holds together
};
template <>
struct Fields<PlacementSpec>;

/// Reads the word or the map. Throws InputError also where a key is missing that the kind needs, or
/// given that it has no use for.
void read_value(const YamlNode& node, const std::string& key, PlacementSpec& spec);

/// What a job asks of the cluster.
struct PlacementRequest {
  int nodes = 0;  ///< of the job: at most the cluster's
  PlacementSpec spec;
  RankOrder order{};
};

/// One kind of placement: the keys that it needs or takes, and the hosts that it picks.
struct PlacementRow {
  PlacementKind kind;
  std::vector<std::string_view> keys;
  std::vector<std::string_view> optional_keys;
  std::vector<int> (*hosts)(const ClusterSpec&, const PlacementRequest&);
  std::string_view help;
};

/// All kinds, for placing and for `simtrain list placements`.
const std::vector<PlacementRow>& placements();

/// The hosts of a job, each once, in the order in which ranks go over them.
/// Throws std::invalid_argument, with one sentence, where the cluster cannot give them: a host that
/// it does not have, one named twice, another count than the job's nodes, too few free, or segments
/// that do not divide the job or find no NVLink domain to hold them.
std::vector<int> placed_hosts(const ClusterSpec& cluster, const PlacementRequest& request);

/// Which GPU each rank runs on.
struct Placement {
  std::vector<int> gpu_of_rank;
  [[nodiscard]] int gpu(int rank) const { return gpu_of_rank[static_cast<std::size_t>(rank)]; }
  /// The GPUs of some ranks, in their order.
  [[nodiscard]] std::vector<int> gpus(const std::vector<int>& ranks) const;
};

/// Gives every rank a GPU: `hosts_of` the request, ranks dealt over them in its order.
Placement place(const ClusterSpec& cluster, const PlacementRequest& request);

/// The whole cluster as one compact job, host after host.
Placement place_compactly(const ClusterSpec& cluster);

}  // namespace simtrain
