#pragma once

#include <string_view>
#include <vector>

#include "sim/topology/specs/fault_spec.h"

namespace simtrain {

/// Whether some fault has times: it begins behind the start, or ends.
bool come_and_go(const ClusterFaults& faults);

/// The faults that hold at a time, as permanent ones. One that begins then does, one that ends then
/// does not.
ClusterFaults faults_at(const ClusterFaults& faults, Duration time);

/// All of them at their places, those that do not hold at a time as if nothing were broken: for
/// whoever names a fault by its place.
ClusterFaults faults_in_place_at(const ClusterFaults& faults, Duration time);

/// Which of the faults hold at a time, list after list: equal where the cluster is in one state.
std::vector<bool> holding_at(const ClusterFaults& faults, Duration time);

/// Those that hold at all times: without times of their own.
ClusterFaults permanent_faults(const ClusterFaults& faults);

/// Throws InputError, at the first fault that comes and goes, for questions that are of steps which
/// are all alike: `asked` is what asks, "tune".
void refuse_fault_times(const ClusterFaults& faults, std::string_view asked);

/// When faults begin or end after a time: in order, each once. What begins and ends at one time is
/// none.
std::vector<Duration> fault_edges(const ClusterFaults& faults, Duration after);

}  // namespace simtrain
