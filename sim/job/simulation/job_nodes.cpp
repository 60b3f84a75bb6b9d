#include "sim/job/simulation/job_nodes.h"

#include <algorithm>
#include <cmath>

#include "sim/job/simulation/job_clock.h"

namespace simtrain {

void JobNodes::lose(const FailureKind& kind, JobClock& clock) {
  const double lost = std::min(kind.nodes, static_cast<double>(plan_.nodes) - missing_);
  if (lost <= 0) return;
  missing_ += lost;
  const Repair repair{clock.now() + clock.delay(kind, kind.repair_s), lost};
  const auto later = [](const Repair& a, const Repair& b) { return a.done_s < b.done_s; };
  repairs_.insert(std::upper_bound(repairs_.begin(), repairs_.end(), repair, later), repair);
}

void JobNodes::take_back(double now) {
  auto first = repairs_.begin();
  for (; first != repairs_.end() && first->done_s <= now; ++first) spares_ += first->nodes;
  repairs_.erase(repairs_.begin(), first);
  const double taken = std::min(spares_, missing_);
  missing_ -= taken;
  spares_ -= taken;
}

bool JobNodes::fill(JobClock& clock) {
  take_back(clock.now());
  while (smaller() >= plan_.smaller.size()) {
    if (!clock.pass(repairs_.front().done_s - clock.now(), TimeUse::waiting)) return false;
    take_back(clock.now());
  }
  return true;
}

std::size_t JobNodes::smaller() const {
  return static_cast<std::size_t>(std::ceil(missing_ / plan_.nodes_apart));
}

double JobNodes::next_growth() const {
  if (missing_ <= 0) return kNever;
  const double enough = static_cast<double>(smaller() - 1) * plan_.nodes_apart;
  double needed = missing_ - enough - spares_;
  for (const Repair& repair : repairs_) {
    needed -= repair.nodes;
    if (needed <= 0) return repair.done_s;
  }
  return kNever;
}

}  // namespace simtrain
