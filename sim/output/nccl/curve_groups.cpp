#include "sim/output/nccl/curve_groups.h"

#include <map>
#include <string_view>
#include <tuple>

namespace simtrain {
namespace {

using Points = std::vector<const CurvePoint*>;

CurveGroup group_of(const std::string& machine, const std::string& collective, std::string_view use,
                    const Points& points) {
  return {machine, collective, std::string(use), summarize_sizes(points, true),
          summarize_sizes(points, false)};
}

std::string nodes_class(int nodes) {
  return nodes == 1   ? "1 node"
         : nodes == 2 ? "2 nodes"
         : nodes <= 8 ? "3 to 8 nodes"
                      : "more nodes";
}

}  // namespace

std::vector<CurveGroup> groups_by_curve(const std::vector<CurvePoint>& points) {
  std::map<std::tuple<std::string, std::string, CurveUse>, Points> curves;
  std::map<CurveUse, Points> uses;
  for (const CurvePoint& point : points) {
    curves[{point.machine, point.collective, point.use}].push_back(&point);
    uses[point.use].push_back(&point);
  }
  std::vector<CurveGroup> groups;
  groups.reserve(curves.size() + uses.size());
  for (const auto& [key, members] : curves) {
    const auto& [machine, collective, use] = key;
    groups.push_back(group_of(machine, collective, name_of(use), members));
  }
  for (const auto& [use, members] : uses)
    groups.push_back(group_of("all", "", name_of(use), members));
  return groups;
}

CurveGroup group_of_all(const std::vector<CurvePoint>& points) {
  Points all;
  all.reserve(points.size());
  for (const CurvePoint& point : points) all.push_back(&point);
  return group_of("all", "", "all", all);
}

std::vector<CurveGroup> groups_over_all(const std::vector<CurvePoint>& points) {
  using Named = std::map<std::string, Points>;
  Named collectives;
  Named machines;
  Named nodes;
  for (const CurvePoint& point : points) {
    collectives[point.collective].push_back(&point);
    machines[point.machine].push_back(&point);
    nodes[nodes_class(point.nodes)].push_back(&point);
  }
  std::vector<CurveGroup> groups;
  for (const Named& kind : {collectives, machines, nodes}) {
    for (const auto& [name, members] : kind)
      groups.push_back(group_of("all", name, "all", members));
  }
  groups.push_back(group_of_all(points));
  return groups;
}

}  // namespace simtrain
