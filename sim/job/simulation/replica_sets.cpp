#include "sim/job/simulation/replica_sets.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "sim/job/simulation/job_clock.h"

namespace simtrain {

double ReplicaSets::starts_s(JobClock& clock) const {
  const bool manual = clock.chance() < plan_.manual_share;
  return plan_.scheduler_s + plan_.launch_s + plan_.replicas->groups_s + plan_.replicas->fetch_s +
         plan_.first_step_s + (manual ? clock.delay(plan_.manual_s) : 0);
}

int ReplicaSets::lose(const FailureKind& kind, double notice_s, JobClock& clock) {
  nodes_.lose(kind, clock);
  const int before = out_;
  int working = plan_.replicas->sets - out_;
  int others = out_;  // that it may yet find
  const int found = std::min(kind.sets, plan_.replicas->sets);
  for (int set = 0; set < found; ++set) {
    const double at = clock.chance() * (working + others);
    if (at < working) {
      --working;
      ++out_;
      continue;
    }
    --others;
    const auto begun = static_cast<std::ptrdiff_t>(std::floor(at)) - working;
    if (begun < std::ssize(ready_)) ready_.erase(ready_.begin() + begun);
  }
  deal_nodes(notice_s, clock);
  return out_ - before;
}

/// Sets that have their nodes start, as many as the nodes that are missing leave.
void ReplicaSets::deal_nodes(double notice_s, JobClock& clock) {
  nodes_.take_back(clock.now());
  const auto waiting = std::min(static_cast<int>(nodes_.smaller()), out_);
  const auto starting = static_cast<std::size_t>(out_ - waiting);
  if (ready_.size() > starting) ready_.resize(starting);
  while (ready_.size() < starting) {
    const double ready = clock.now() + notice_s + starts_s(clock);
    ready_.insert(std::upper_bound(ready_.begin(), ready_.end(), ready), ready);
  }
}

double ReplicaSets::next_change() const {
  const double grows = nodes_.next_growth();
  return ready_.empty() ? grows : std::min(ready_.front(), grows);
}

int ReplicaSets::join(JobClock& clock) {
  deal_nodes(0, clock);
  const auto last = std::upper_bound(ready_.begin(), ready_.end(), clock.now());
  const auto joined = static_cast<int>(last - ready_.begin());
  ready_.erase(ready_.begin(), last);
  out_ -= joined;
  return joined;
}

void ReplicaSets::start_all() {
  ready_.clear();
  out_ = static_cast<int>(nodes_.smaller());
}

}  // namespace simtrain
