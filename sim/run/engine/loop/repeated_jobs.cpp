// What the event loop does for jobs that begin their steps again and again.
#include "sim/run/engine/loop/event_loop.h"

namespace simtrain::execution {

/// The start of a job is an activity of nobody, of the job's number.
void Executor::schedule_starts() {
  for (std::uint32_t job = 0; job < steps_->jobs().size(); ++job) {
    const std::uint32_t id = activities_.fresh(kNone);
    activities_[id].compute = true;
    queue_.schedule(id, steps_->jobs()[job].start);
  }
}

void Executor::begin_step(std::uint32_t job) {
  const RepeatedJob& ranks = steps_->jobs()[job];
  std::size_t ops = 0;
  for (std::uint32_t rank = ranks.first; rank < ranks.end; ++rank) {
    const StreamOrder& order = orders_[plan_->ranks[rank].program];
    ranks_[rank].begin(order, timeline_.spans[rank].data());
    ops += order.links.size();
  }
  steps_->begin(job, now_, ops);
  for (std::uint32_t rank = ranks.first; rank < ranks.end; ++rank) advance(rank);
}

void Executor::count_ended(std::uint32_t id) {
  const auto& members = activities_[id].members;
  if (members.empty()) return begin_step(id);
  const std::uint32_t job = steps_->job_of(members.front().rank);
  if (steps_->ended(job, members.size(), now_)) begin_step(job);
}

}  // namespace simtrain::execution
