#include "sim/topology/placement/placement.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "sim/core/input/number_text.h"
#include "sim/topology/placement/placement_fields.h"
#include "sim/topology/placement/segments.h"

namespace simtrain {
namespace {

std::vector<int> all_hosts(const ClusterSpec& cluster) {
  std::vector<int> hosts(static_cast<std::size_t>(cluster.nodes));
  std::iota(hosts.begin(), hosts.end(), 0);
  return hosts;
}

std::vector<int> first(std::vector<int> hosts, int count) {
  hosts.resize(static_cast<std::size_t>(count));
  return hosts;
}

/// The first of these hosts, which are in host order, in segments where the request has them.
std::vector<int> first_free(const ClusterSpec& cluster, std::vector<int> free,
                            const PlacementRequest& request) {
  if (request.spec.segment) return in_segments(cluster, free, request.nodes, *request.spec.segment);
  return first(std::move(free), request.nodes);
}

/// A number below `end`, all equally likely. The standard's distributions differ from library to
/// library, its generators do not.
std::size_t draw(std::mt19937_64& random, std::size_t end) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t bound = kMost - kMost % end;
  std::uint64_t number = random();
  while (number >= bound) number = random();
  return static_cast<std::size_t>(number % end);
}

/// Fisher-Yates: `count` of the hosts without repetition, in the order of the draw.
std::vector<int> drawn(std::vector<int> hosts, std::size_t count, int seed) {
  std::mt19937_64 random(static_cast<std::uint64_t>(seed));
  for (std::size_t i = 0; i < count; ++i)
    std::swap(hosts[i], hosts[i + draw(random, hosts.size() - i)]);
  hosts.resize(count);
  return hosts;
}

std::vector<int> compact(const ClusterSpec& cluster, const PlacementRequest& request) {
  return first_free(cluster, all_hosts(cluster), request);
}

std::vector<int> spread(const ClusterSpec& cluster, const PlacementRequest& request) {
  // The i-th host of each unit comes before the (i+1)-th of any.
  const int per_unit = cluster.fabric.nodes_per_unit.value;
  std::vector<int> hosts = all_hosts(cluster);
  std::stable_sort(hosts.begin(), hosts.end(),
                   [&](int a, int b) { return a % per_unit < b % per_unit; });
  return first(hosts, request.nodes);
}

std::vector<int> random_hosts(const ClusterSpec& cluster, const PlacementRequest& request) {
  return drawn(all_hosts(cluster), static_cast<std::size_t>(request.nodes), *request.spec.seed);
}

int host_number(const ClusterSpec& cluster, const std::string& text) {
  const int number = number_as<int>(text).value_or(-1);
  if (number < 0 || number >= cluster.nodes) {
    throw std::invalid_argument(
        fmt::format("'{}' is no host; there are 0 to {}", text, cluster.nodes - 1));
  }
  return number;
}

std::vector<int> listed_hosts(const ClusterSpec& cluster, const PlacementRequest& request) {
  const std::vector<std::string>& names = *request.spec.hosts;
  std::vector<int> hosts;
  hosts.reserve(names.size());
  for (const std::string& name : names) {
    const int host = host_number(cluster, name);
    if (std::find(hosts.begin(), hosts.end(), host) != hosts.end())
      throw std::invalid_argument(fmt::format("'{}' is given twice", name));
    hosts.push_back(host);
  }
  if (static_cast<int>(hosts.size()) != request.nodes) {
    throw std::invalid_argument(
        fmt::format("lists {} hosts for a job of {} nodes", hosts.size(), request.nodes));
  }
  return hosts;
}

std::vector<int> fragmented(const ClusterSpec& cluster, const PlacementRequest& request) {
  const auto free = static_cast<std::size_t>(
      std::llround(*request.spec.free * static_cast<double>(cluster.nodes)));
  if (free < static_cast<std::size_t>(request.nodes)) {
    throw std::invalid_argument(fmt::format("leaves {} of {} hosts free, too few for {} nodes",
                                            free, cluster.nodes, request.nodes));
  }
  std::vector<int> hosts = drawn(all_hosts(cluster), free, *request.spec.seed);
  std::sort(hosts.begin(), hosts.end());
  return first_free(cluster, std::move(hosts), request);
}

bool lists(const std::vector<std::string_view>& keys, std::string_view name) {
  return std::find(keys.begin(), keys.end(), name) != keys.end();
}

const PlacementRow& row_of(PlacementKind kind) {
  return *std::find_if(placements().begin(), placements().end(),
                       [&](const PlacementRow& row) { return row.kind == kind; });
}

}  // namespace

const std::vector<PlacementRow>& placements() {
  static const std::vector<PlacementRow> rows{
      {PlacementKind::compact,
       {},
       {"segment"},
       compact,
       "host after host: fills units, then blocks; beyond an NVLink domain in segments"},
      {PlacementKind::spread,
       {},
       {},
       spread,
       "host k on unit k modulo units, as evenly as the units allow"},
      {PlacementKind::random,
       {"seed"},
       {},
       random_hosts,
       "hosts drawn by seed, ranks in the order of the draw"},
      {PlacementKind::hosts, {"hosts"}, {}, listed_hosts, "the hosts of a list, in its order"},
      {PlacementKind::fragmented,
       {"seed", "free"},
       {"segment"},
       fragmented,
       "a share of the hosts, drawn by seed, is free; the first of them are taken"}};
  return rows;
}

void read_value(const YamlNode& node, const std::string& key, PlacementSpec& spec) {
  if (node.kind == YamlNode::Kind::map) {
    spec = read_yaml<PlacementSpec>(node, key);
  } else {
    spec = {};
    yaml_detail::read_value(node, key, spec.kind);
  }
  const PlacementRow& row = row_of(spec.kind);
  for (const auto& [name, given] :
       {std::pair<std::string_view, bool>{"seed", spec.seed.has_value()},
        {"free", spec.free.has_value()},
        {"hosts", spec.hosts.has_value()},
        {"segment", spec.segment.has_value()}}) {
    const bool needed = lists(row.keys, name);
    const std::string dotted = yaml_detail::dotted(key, name);
    if (needed && !given) {
      throw InputError(node.place, dotted,
                       fmt::format("is missing; placement {} needs it", name_of(spec.kind)));
    }
    if (given && !needed && !lists(row.optional_keys, name)) {
      throw InputError(node.find(name)->place, dotted,
                       fmt::format("does not apply to placement {}", name_of(spec.kind)));
    }
  }
}

std::vector<int> placed_hosts(const ClusterSpec& cluster, const PlacementRequest& request) {
  std::vector<int> hosts = row_of(request.spec.kind).hosts(cluster, request);
  if (request.order == RankOrder::sorted_hosts) std::sort(hosts.begin(), hosts.end());
  return hosts;
}

std::vector<int> Placement::gpus(const std::vector<int>& ranks) const {
  std::vector<int> result;
  result.reserve(ranks.size());
  for (const int rank : ranks) result.push_back(gpu(rank));
  return result;
}

Placement place(const ClusterSpec& cluster, const PlacementRequest& request) {
  const std::vector<int> hosts = placed_hosts(cluster, request);
  const auto per_host = static_cast<std::size_t>(cluster.node.gpus);
  const bool dealt = request.order == RankOrder::round_robin;
  Placement placement;
  placement.gpu_of_rank.resize(hosts.size() * per_host);
  for (std::size_t rank = 0; rank < placement.gpu_of_rank.size(); ++rank) {
    const std::size_t host = dealt ? rank % hosts.size() : rank / per_host;
    const std::size_t local = dealt ? rank / hosts.size() : rank % per_host;
    placement.gpu_of_rank[rank] = hosts[host] * cluster.node.gpus + static_cast<int>(local);
  }
  return placement;
}

Placement place_compactly(const ClusterSpec& cluster) {
  return place(cluster, {cluster.nodes, {}, {}});
}

}  // namespace simtrain
