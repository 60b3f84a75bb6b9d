#pragma once

#include "sim/core/watch.h"
#include "sim/study/tune/tune.h"
#include "sim/topology/cluster_cache.h"

namespace simtrain {

/// What `search` hands to `tune`.
struct SearchResult {
  std::vector<TunedPlan> best;  ///< the request's `top` best, best first
  std::int64_t simulated = 0;
  TightAhead tight_ahead;
  SkippedPlans skipped;
};

/// The best of the plans that fit, in `spaces`, one for each of the request's sizes. Safe plans
/// rank before tight ones, unless the request has them alike; within, the least score first.
/// `watch` receives how many of them are settled.
SearchResult search(const TuneRequest& request, const std::vector<PlanSpace>& spaces,
                    ClusterCache& clusters, const Watch& watch = {});

/// One step of a scenario under another plan for its GPUs. Throws InputError where it takes longer
/// than kLongestStep.
Report simulate_plan(const Scenario& scenario, const PlanChoice& choice, ClusterCache& clusters);

}  // namespace simtrain
