#include "sim/topology/placement/segments.h"

#include <stdexcept>

#include <fmt/format.h>

#include "sim/topology/placement/hosts.h"

namespace simtrain {
namespace {

void check_segment(const ClusterSpec& cluster, int nodes, int segment) {
  const int domain = cluster.node.nvlink_domain_nodes.value;
  if (segment > domain)
    throw std::invalid_argument(fmt::format(
        "has segments of {} nodes, more than the {} of an NVLink domain", segment, domain));
  if (nodes % segment != 0)
    throw std::invalid_argument(
        fmt::format("has segments of {} nodes, which do not divide the job's {}; {} nodes would do",
                    segment, nodes, (nodes / segment + 1) * segment));
}

}  // namespace

std::vector<int> in_segments(const ClusterSpec& cluster, const std::vector<int>& free, int nodes,
                             int segment) {
  check_segment(cluster, nodes, segment);
  const std::vector<Host> hosts = hosts_of(cluster);
  const auto domain = [&](int host) { return hosts[static_cast<std::size_t>(host)].domain; };
  std::vector<int> taken;
  for (std::size_t first = 0; first < free.size();) {
    std::size_t last = first;
    while (last < free.size() && domain(free[last]) == domain(free[first])) ++last;
    const std::size_t whole = (last - first) / static_cast<std::size_t>(segment);
    for (std::size_t i = first; i < first + whole * static_cast<std::size_t>(segment); ++i)
      taken.push_back(free[i]);
    first = last;
  }
  if (taken.size() < static_cast<std::size_t>(nodes))
    throw std::invalid_argument(
        fmt::format("finds {} hosts in whole segments of {} nodes, too few for {} nodes",
                    taken.size(), segment, nodes));
  taken.resize(static_cast<std::size_t>(nodes));
  return taken;
}

std::optional<int> usual_segment(const NodeSpec& node, int nodes) {
  constexpr int kTogether = 8;
  const int domain = node.nvlink_domain_nodes.value;
  if (nodes <= domain) return std::nullopt;
  for (int segment = domain; segment > 1; --segment) {
    if (nodes % segment == 0 && segment * node.gpus % kTogether == 0) return segment;
  }
  return std::nullopt;
}

int hosts_for_segments(const NodeSpec& node, int nodes, int segment) {
  const int domain = node.nvlink_domain_nodes.value;
  const int used = domain / segment * segment;  // of each domain
  if (used < 1 || nodes < 1) return nodes;
  const int before = (nodes - 1) / used;  // whole domains
  return before * domain + nodes - before * used;
}

}  // namespace simtrain
