#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "sim/core/watch.h"
#include "sim/run/engine/bursts.h"
#include "sim/run/engine/job_steps.h"
#include "sim/run/engine/phases.h"
#include "sim/run/engine/rate_observer.h"
#include "sim/run/engine/timeline.h"

namespace simtrain {

/// The program can never finish: `what()` names the first blocked ops and what each waits for.
class StuckProgram : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Steps beyond it are refused: far below what a Duration holds, so that what is added to it still
/// fits.
inline constexpr Duration kLongestStep = std::chrono::seconds(1'000'000);

/// The message for such a step.
inline constexpr std::string_view kTooLongStep =
    "the step takes more than 11 days; a rate, a latency or a size is out of any measure";

/// Simulates a plan: the only event loop.
///
/// Each stream runs its ops in order. An op joins its group as soon as what it comes after has
/// ended; when all members have joined, it starts. A transfer waits its latency, then moves its
/// wire bytes at its max-min fair share of the links of its group, at most its limit; it holds that
/// share from its start on. A compute op runs at the speed that its rank's transfers leave it:
///
///     1 / speed = sm_bound * (1 + o) * S / (S - s) + memory_bound * B / (B - b) + rest + l
///
/// with s the SMs and b the memory traffic of the transfers that have joined on that rank (a NCCL
/// kernel holds its SMs while it waits for its peers), of S and B in all; a transfer may take at
/// most half of either. o is the GPU's overlap slowdown (L2, memory and power shared) while data
/// moves; l is what transfers inside a pass lose on their links (PassFlows; of a pass with `bursts`
/// 0: it stalls where it needs one that has not ended). In a group the slowest sets the pace.
///
/// Events are ordered by time, then by number; rates change only between points in time, after all
/// that happens at one point has happened, so that nothing depends on the order within it.
/// Where a period of the plan's programs ends in the state in which it began, those that follow are
/// written as it was, later, without being simulated (ADR 56).
/// Throws StuckProgram where ops are left that nothing will ever release, and InputError where
/// the step takes longer than kLongestStep.
/// `watch` receives the number of ended ops now and then.
Timeline execute(const Plan& plan, const Watch& watch = {}, const PlanBursts& bursts = {});

/// Simulates a plan of several jobs, by the same rules: each begins its step anew when all of its
/// ranks have ended the last, until `steps` is complete. `observer`, where there is one, is
/// notified of the flows. Throws as execute() does.
void execute_steps(const Plan& plan, JobSteps& steps, RateObserver* observer = nullptr);

/// A step in phases, and in which states of the cluster its ops ran.
struct PhasedTimeline {
  Timeline timeline;
  OpStates states;
};

/// Simulates a step whose cluster changes on the way, by the same rules: where a phase begins, what
/// runs goes on at its costs and on its links (sim/run/engine/loop/phase_change.cpp). The first is
/// from the start on, with one it is execute(). Throws as execute() does.
PhasedTimeline execute_phases(std::vector<PlanPhase> phases, const Watch& watch = {});

}  // namespace simtrain
