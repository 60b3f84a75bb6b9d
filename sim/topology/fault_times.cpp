#include "sim/topology/fault_times.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/core/input/input_error.h"

namespace simtrain {
namespace {

bool has_times(const FaultTimes& times) { return times.start || times.length; }

Duration start_of(const FaultTimes& times) { return times.start.value_or(Duration(0)); }

/// Lengths without an end in sight are no end.
Duration end_of(const FaultTimes& times) {
  const Duration start = start_of(times);
  if (!times.length || *times.length > Duration::max() - start) return Duration::max();
  return start + *times.length;
}

bool holds_at(const FaultTimes& times, Duration time) {
  return start_of(times) <= time && time < end_of(times);
}

/// Each list of faults.
template <class Faults, class Visit>
void for_each_list(Faults& faults, const Visit& visit) {
  visit(faults.gpus);
  visit(faults.nics);
  visit(faults.links);
}

template <class Keep>
ClusterFaults those(ClusterFaults faults, const Keep& keep) {
  for_each_list(faults, [&](auto& list) {
    std::erase_if(list, [&](const auto& fault) { return !keep(fault.times); });
    for (auto& fault : list) fault.times = {};
  });
  return faults;
}

}  // namespace

bool come_and_go(const ClusterFaults& faults) {
  bool any = false;
  for_each_list(faults, [&](const auto& list) {
    any = any || std::any_of(list.begin(), list.end(),
                             [](const auto& fault) { return has_times(fault.times); });
  });
  return any;
}

ClusterFaults faults_at(const ClusterFaults& faults, Duration time) {
  return those(faults, [&](const FaultTimes& times) { return holds_at(times, time); });
}

ClusterFaults faults_in_place_at(const ClusterFaults& faults, Duration time) {
  ClusterFaults all = faults;
  for (SlowGpu& gpu : all.gpus) gpu.slowdown = holds_at(gpu.times, time) ? gpu.slowdown : 1;
  for (NicFault& nic : all.nics)
    nic.bandwidth_share = holds_at(nic.times, time) ? nic.bandwidth_share : 1;
  for (LinkFault& link : all.links)
    link.bandwidth_share = holds_at(link.times, time) ? link.bandwidth_share : 1;
  for_each_list(all, [](auto& list) {
    for (auto& fault : list) fault.times = {};
  });
  return all;
}

std::vector<bool> holding_at(const ClusterFaults& faults, Duration time) {
  std::vector<bool> holding;
  for_each_list(faults, [&](const auto& list) {
    for (const auto& fault : list) holding.push_back(holds_at(fault.times, time));
  });
  return holding;
}

ClusterFaults permanent_faults(const ClusterFaults& faults) {
  return those(faults, [](const FaultTimes& times) { return !has_times(times); });
}

void refuse_fault_times(const ClusterFaults& faults, std::string_view asked) {
  for_each_list(faults, [&](const auto& list) {
    for (const auto& fault : list) {
      if (has_times(fault.times))
        throw InputError(fault.where, "cluster.faults",
                         fmt::format("{} asks about steps that are all alike; a fault without "
                                     "start and for would do",
                                     asked));
    }
  });
}

std::vector<Duration> fault_edges(const ClusterFaults& faults, Duration after) {
  std::vector<Duration> edges;
  for_each_list(faults, [&](const auto& list) {
    for (const auto& fault : list) {
      if (start_of(fault.times) == end_of(fault.times)) continue;
      for (const Duration edge : {start_of(fault.times), end_of(fault.times)}) {
        if (edge > after && edge < Duration::max()) edges.push_back(edge);
      }
    }
  });
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

}  // namespace simtrain
