#include "sim/run/engine/executor.h"

#include <utility>

#include "sim/core/threads/parallel_each.h"
#include "sim/run/engine/loop/event_loop.h"

namespace simtrain {

namespace execution {

void Executor::link_programs() {
  orders_.resize(plan_->programs.size());
  parallel_each(orders_.size(),
                [this](std::size_t i) { orders_[i] = StreamOrder(plan_->programs[i]); });
}

void Executor::begin() {
  const auto ops_of = [this](std::size_t rank) {
    return plan_->programs[plan_->ranks[rank].program].ops.size();
  };
  timeline_.spans.resize(ranks_.size());
  parallel_each(ranks_.size(),
                [&](std::size_t rank) { timeline_.spans[rank].resize(ops_of(rank)); });
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    ops_ += ops_of(rank);
    if (phases_ != nullptr) phases_->count_ops(rank, ops_of(rank));
    ranks_[rank].begin(orders_[plan_->ranks[rank].program], timeline_.spans[rank].data());
    groups_.take_seats(rank);
  }
}

}  // namespace execution

using execution::Executor;

Timeline execute(const Plan& plan, const Watch& watch, const PlanBursts& bursts) {
  return Executor(plan, watch, bursts, nullptr, nullptr, nullptr).run();
}

void execute_steps(const Plan& plan, JobSteps& steps, RateObserver* observer) {
  const Watch nobody;
  const PlanBursts by_sums;
  Executor(plan, nobody, by_sums, &steps, observer, nullptr).run();
}

PhasedTimeline execute_phases(std::vector<PlanPhase> phases, const Watch& watch) {
  const PlanPhase first = phases.front();
  PhaseLog log(std::move(phases), first.plan->ranks.size());
  Executor executor(*first.plan, watch, *first.bursts, nullptr, nullptr, &log);
  Timeline timeline = executor.run();
  return {std::move(timeline), log.take()};
}

}  // namespace simtrain
