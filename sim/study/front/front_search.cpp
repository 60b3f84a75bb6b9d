#include "sim/study/front/front_search.h"

#include <algorithm>
#include <oneapi/tbb/parallel_for.h>
#include <utility>

#include "sim/core/input/input_error.h"
#include "sim/core/invariant.h"
#include "sim/study/tune/tune_search.h"
#include "sim/topology/fault_times.h"

namespace simtrain {
namespace {

/// Plans that are simulated between two looks at what they rule out: fixed, so that the same ones
/// are simulated on any machine.
constexpr std::size_t kFrontWave = 32;

std::vector<PlanSpace> spaces_of(const FrontRequest& request) {
  std::vector<PlanSpace> spaces;
  spaces.reserve(request.sizes.size());
  for (const Scenario& size : request.sizes) {
    refuse_fault_times(size.cluster.faults, "tune");
    spaces.push_back(plan_space(size, request.limits, request.memory_margin));
  }
  return spaces;
}

}  // namespace

FrontSearch::FrontSearch(const FrontRequest& request, Watch watch)
    : request_(request),
      watch_(std::move(watch)),
      bounds_(request.sizes),
      clusters_(std::make_unique<ClusterCache>()) {
  front_.memory_margin = request.memory_margin;
  front_.allow_tight = request.allow_tight;
  front_.objectives = request.objectives;
  front_.usd_per_gpu_hour = request.usd_per_gpu_hour;
  front_.spaces = spaces_of(request);
  for (std::size_t size = 0; size < front_.spaces.size(); ++size) {
    for (const LegalPlan& plan : front_.spaces[size].legal) {
      if (plan.fits) all_.push_back({size, &plan});
    }
  }
  begin(false);
}

TaskList FrontSearch::tasks() const {
  return {all_.size(), [this](std::uint64_t number) { return record_of(simulated(number)); },
          [](std::string_view record) { return row_of(record).index; }};
}

SweepRow FrontSearch::simulated(std::uint64_t number) const {
  const PlanAt& at = all_[number];
  const PlanChoice& choice = at.plan->choice;
  return answered({.index = number, .gpus = choice.gpus, .dp = choice[Knob::dp]}, [&](SweepRow&) {
    return simulate_plan(request_.sizes[at.size], choice, *clusters_);
  });
}

/// Plans that were not considered before: those that are tight, or those that are not.
void FrontSearch::begin(bool tight) {
  std::vector<Open> open;
  for (std::uint64_t number = 0; number < all_.size(); ++number) {
    const bool behind = all_[number].plan->tight && !request_.allow_tight;
    if (behind == tight)
      open.push_back({number, 0, 0, request_.exhaustive ? Known::all : Known::alone});
  }
  tight_begun_ = tight;
  if (!request_.exhaustive) bound(open);
  put_back(std::move(open));
}

/// What plans share is worked out first, each on all cores.
void FrontSearch::bound(std::vector<Open>& plans) {
  std::vector<PlanAt> alone;
  std::vector<PlanAt> passes;
  for (const Open& open : plans)
    (open.known == Known::alone ? alone : passes).push_back(all_[open.number]);
  bounds_.prepare(alone, Known::alone);
  bounds_.prepare(passes, Known::passes);
  const auto& objectives = request_.objectives;
  const bool by_energy =
      std::find(objectives.begin(), objectives.end(), Objective::energy) != objectives.end();
  tbb::parallel_for(std::size_t{0}, plans.size(), [&](std::size_t i) {
    Open& open = plans[i];
    try {
      const PlanAt& at = all_[open.number];
      open.bound_s = std::max(open.bound_s, bounds_.seconds(at, open.known));
      if (by_energy)
        open.bound_j =
            std::max(open.bound_j, bounds_.joules_per_token(at, open.known, open.bound_s));
    } catch (const InputError& refusal) {
      open.refusal = refusal.reason();
    }
  });
}

void FrontSearch::put_back(std::vector<Open>&& plans) {
  for (Open& open : plans) {
    if (!open.refusal.empty()) {
      skip(open.number, open.refusal);
      continue;
    }
    queue_.push_back(std::move(open));
    std::push_heap(queue_.begin(), queue_.end());
  }
}

std::vector<std::uint64_t> FrontSearch::next() {
  enter_wave();
  while (wave_.size() < kFrontWave) {
    if (queue_.empty() && wave_.empty() && front_.plans.empty() && !tight_begun_) begin(true);
    if (queue_.empty()) break;
    std::vector<Open> blurred;
    while (!queue_.empty() && wave_.size() + blurred.size() < kFrontWave) {
      std::pop_heap(queue_.begin(), queue_.end());
      Open open = std::move(queue_.back());
      queue_.pop_back();
      if (dominated(open)) continue;
      if (open.known == Known::all) {
        wave_.push_back(open.number);
        continue;
      }
      open.known = open.known == Known::alone ? Known::passes : Known::all;
      blurred.push_back(std::move(open));
    }
    bound(blurred);
    put_back(std::move(blurred));
  }
  notify();
  return wave_;
}

void FrontSearch::add(std::string_view record) {
  SweepRow row = row_of(record);
  arrived_.insert_or_assign(row.index, std::move(row));
}

void FrontSearch::enter_wave() {
  for (const std::uint64_t number : wave_) {
    const auto row = arrived_.find(number);
    invariant(row != arrived_.end(), "all records of a wave are there");
    enter(row->second);
  }
  front_.simulated += static_cast<std::int64_t>(wave_.size());
  wave_.clear();
  arrived_.clear();
}

void FrontSearch::enter(const SweepRow& row) {
  if (!row.simulated()) return skip(row.index, row.reason);
  const PlanAt& at = all_[row.index];
  FrontPlan plan{*at.plan, row, figures(at, row.step_time_s, row.joules_per_token),
                 usd_per_1t_tokens(at, row.step_time_s)};
  const bool led = std::any_of(leaders_.begin(), leaders_.end(), [&](std::size_t place) {
    const FrontPlan& leader = front_.plans[place];
    return dominates(leader.figures, leader.row.index, plan.figures, row.index);
  });
  if (!led) {
    std::erase_if(leaders_, [&](std::size_t place) {
      const FrontPlan& leader = front_.plans[place];
      return dominates(plan.figures, row.index, leader.figures, leader.row.index);
    });
    leaders_.push_back(front_.plans.size());
  }
  front_.plans.push_back(std::move(plan));
}

void FrontSearch::skip(std::uint64_t number, const std::string& reason) {
  SkippedPlan& skipped = front_.skipped[reason];
  if (skipped.count++ == 0) skipped.example = all_[number].plan->choice;
}

bool FrontSearch::dominated(const Open& open) const {
  const Figures least = figures(all_[open.number], open.bound_s, open.bound_j);
  return !request_.exhaustive &&
         std::any_of(leaders_.begin(), leaders_.end(), [&](std::size_t place) {
           const FrontPlan& leader = front_.plans[place];
           return dominates(leader.figures, leader.row.index, least, open.number);
         });
}

double FrontSearch::usd_per_1t_tokens(const PlanAt& at, double step_s) const {
  const TrainingSpec& training = request_.sizes[at.size].recipe.training;
  const double tokens = static_cast<double>(training.seq_length) * training.global_batch_size;
  return simtrain::usd_per_1t_tokens(request_.usd_per_gpu_hour, at.plan->choice.gpus, step_s,
                                     tokens);
}

Figures FrontSearch::figures(const PlanAt& at, double step_s, double joules_per_token) const {
  Figures figures;
  figures.reserve(request_.objectives.size());
  for (const Objective objective : request_.objectives) {
    switch (objective) {
      case Objective::step_time:
        figures.push_back(step_s);
        break;
      case Objective::price:
        figures.push_back(usd_per_1t_tokens(at, step_s));
        break;
      case Objective::memory:
        figures.push_back(at.plan->memory_bytes);
        break;
      case Objective::energy:
        figures.push_back(joules_per_token);
        break;
    }
  }
  return figures;
}

void FrontSearch::notify() const {
  if (!watch_) return;
  const auto open = std::count_if(queue_.begin(), queue_.end(),
                                  [&](const Open& plan) { return !dominated(plan); });
  watch_(all_.size() - static_cast<std::size_t>(open) - wave_.size(), all_.size());
}

Front FrontSearch::finished() && {
  invariant(queue_.empty() && wave_.empty(), "nothing is left to simulate");
  mark_front(front_.plans);
  return std::move(front_);
}

}  // namespace simtrain
