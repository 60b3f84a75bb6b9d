#include "sim/study/front/front.h"

#include <algorithm>
#include <tuple>

#include "sim/core/quantity.h"

namespace simtrain {

std::int64_t Front::on_front() const {
  return std::count_if(plans.begin(), plans.end(),
                       [](const FrontPlan& plan) { return plan.on_front; });
}

double usd_per_1t_tokens(double usd_per_gpu_hour, int gpus, double step_s, double tokens) {
  return usd_per_gpu_hour * gpus / kSecondsPerHour * 1e12 / tokens * step_s;
}

bool dominates(const Figures& one, std::uint64_t number, const Figures& other,
               std::uint64_t other_number) {
  bool less = false;
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (one[i] > other[i]) return false;
    less = less || one[i] < other[i];
  }
  return less || number < other_number;
}

/// Whatever dominates a plan stands before it, once they are sorted.
void mark_front(std::vector<FrontPlan>& plans) {
  std::sort(plans.begin(), plans.end(), [](const FrontPlan& a, const FrontPlan& b) {
    return std::tie(a.figures, a.row.index) < std::tie(b.figures, b.row.index);
  });
  std::vector<const FrontPlan*> front;
  for (FrontPlan& plan : plans) {
    plan.on_front = std::none_of(front.begin(), front.end(), [&](const FrontPlan* other) {
      return dominates(other->figures, other->row.index, plan.figures, plan.row.index);
    });
    if (plan.on_front) front.push_back(&plan);
  }
}

}  // namespace simtrain
