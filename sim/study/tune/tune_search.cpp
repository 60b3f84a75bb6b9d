#include "sim/study/tune/tune_search.h"

#include <algorithm>
#include <oneapi/tbb/parallel_for.h>
#include <tuple>

#include "sim/run/simulate.h"
#include "sim/study/tune/plan_bounds.h"

namespace simtrain {
namespace {

/// How many plans are worked on at once: fixed, so that the same ones are simulated on any machine.
constexpr std::size_t kWave = 8;

/// A plan that is not simulated yet. `order` is its place among all: ties go to the first.
struct Open {
  PlanAt at;
  bool behind = false;  ///< a tight plan that ranks behind all safe ones
  double bound = 0;
  std::size_t order = 0;
  Known known{};
  std::string refusal;  ///< why it cannot be simulated

  /// For a heap whose top is the least.
  friend bool operator<(const Open& a, const Open& b) {
    return std::tie(a.behind, a.bound, a.order) > std::tie(b.behind, b.bound, b.order);
  }
};

struct Finished {
  Open open;
  double score = 0;
  Report report;

  /// Whether it ranks before another.
  friend bool operator<(const Finished& a, const Finished& b) {
    return std::tie(a.open.behind, a.score, a.open.order) <
           std::tie(b.open.behind, b.score, b.open.order);
  }
};

class PlanSearch {
 public:
  PlanSearch(const TuneRequest& request, const std::vector<PlanSpace>& spaces,
             ClusterCache& clusters, const Watch& watch)
      : request_(request),
        spaces_(spaces),
        clusters_(clusters),
        watch_(watch),
        bounds_(request.sizes) {}

  SearchResult find() {
    std::vector<Open> all = plans();
    plans_ = all.size();
    if (!request_.exhaustive) {
      prepare(all, Known::alone);
      tbb::parallel_for(std::size_t{0}, all.size(), [&](std::size_t i) { bound(all[i]); });
    }
    for (Open& open : all) put_back(std::move(open));
    for (std::vector<Open> wave = next_wave(); !wave.empty(); wave = next_wave()) {
      work(wave);
      notify();
    }
    for (Finished& plan : best_)
      result_.best.push_back({*plan.open.at.plan, std::move(plan.report)});
    if (ahead_) result_.tight_ahead.best = {*ahead_->open.at.plan, std::move(ahead_->report)};
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::vector<Open> plans() const {
    std::vector<Open> all;
    for (std::size_t size = 0; size < spaces_.size(); ++size) {
      for (const LegalPlan& plan : spaces_[size].legal) {
        if (!plan.fits) continue;
        Open& open = all.emplace_back();
        open.at = {size, &plan};
        open.behind = plan.tight && !request_.allow_tight;
        open.order = all.size();
        open.known = request_.exhaustive ? Known::all : Known::alone;
      }
    }
    return all;
  }

  /// The next plans that may still matter. Those behind wait until all others are settled. What
  /// does not matter now never will: what it is measured by only gets better.
  std::vector<Open> next_wave() {
    std::vector<Open> wave;
    while (!queue_.empty() && wave.size() < kWave) {
      if (!wave.empty() && queue_.front().behind != wave.front().behind) break;
      std::pop_heap(queue_.begin(), queue_.end());
      if (matters(queue_.back())) wave.push_back(std::move(queue_.back()));
      queue_.pop_back();
    }
    return wave;
  }

  /// Whether a plan may be among the best, or one behind that is ahead of the best safe one.
  [[nodiscard]] bool matters(const Open& open) const {
    if (best_.size() < request_.top) return true;
    const Finished& worst = best_.back();
    return std::tie(open.behind, open.bound) <= std::tie(worst.open.behind, worst.score) ||
           ahead_of_safe(open, open.bound);
  }
  [[nodiscard]] bool ahead_of_safe(const Open& open, double score) const {
    return open.behind && !best_.empty() && !best_.front().open.behind &&
           score < best_.front().score;
  }

  /// Brings each plan of a wave one step on: a sharper bound, or its simulation.
  void work(std::vector<Open>& wave) {
    const auto first_sharp = std::stable_partition(
        wave.begin(), wave.end(), [](const Open& open) { return open.known != Known::all; });
    const auto blurred = static_cast<std::size_t>(first_sharp - wave.begin());
    prepare({wave.begin(), first_sharp}, Known::passes);
    std::vector<Finished> finished(wave.size() - blurred);
    tbb::parallel_for(std::size_t{0}, wave.size(), [&](std::size_t i) {
      if (i < blurred) {
        sharpen(wave[i]);
      } else {
        finished[i - blurred] = simulated(wave[i]);
      }
    });
    for (std::size_t i = 0; i < blurred; ++i) put_back(std::move(wave[i]));
    for (Finished& plan : finished) enter(std::move(plan));
    result_.simulated += static_cast<std::int64_t>(finished.size());
  }

  void prepare(const std::vector<Open>& plans, Known known) {
    std::vector<PlanAt> at;
    at.reserve(plans.size());
    for (const Open& open : plans) at.push_back(open.at);
    bounds_.prepare(at, known);
  }

  void notify() const {
    if (!watch_) return;
    const auto open = std::count_if(queue_.begin(), queue_.end(),
                                    [&](const Open& plan) { return matters(plan); });
    watch_(plans_ - static_cast<std::size_t>(open), plans_);
  }

  void sharpen(Open& open) const {
    open.known = open.known == Known::alone ? Known::passes : Known::all;
    bound(open);
  }

  void bound(Open& open) const {
    try {
      const double seconds = bounds_.seconds(open.at, open.known);
      open.bound = std::max(open.bound, score(request_.by, seconds, open.at.plan->choice.gpus));
    } catch (const InputError& refusal) {
      open.refusal = refusal.what();
    }
  }

  [[nodiscard]] Finished simulated(const Open& open) const {
    Finished result{open, 0, {}};
    try {
      result.report = simulate_plan(request_.sizes[open.at.size], open.at.plan->choice, clusters_);
      result.score = score(request_.by, result.report.step_time_s, result.report.gpus);
    } catch (const InputError& refusal) {
      result.open.refusal = refusal.what();
    }
    return result;
  }

  void put_back(Open&& open) {
    if (!open.refusal.empty()) return skip(open);
    queue_.push_back(std::move(open));
    std::push_heap(queue_.begin(), queue_.end());
  }

  void skip(const Open& open) {
    SkippedPlan& skipped = result_.skipped[open.refusal];
    if (skipped.count++ == 0) skipped.example = open.at.plan->choice;
  }

  void enter(Finished&& plan) {
    if (!plan.open.refusal.empty()) return skip(plan.open);
    if (ahead_of_safe(plan.open, plan.score)) {
      ++result_.tight_ahead.plans;
      if (!ahead_ || plan < *ahead_) ahead_ = plan;
    }
    const auto place = std::upper_bound(best_.begin(), best_.end(), plan);
    best_.insert(place, std::move(plan));
    if (best_.size() > request_.top) best_.pop_back();
  }

  const TuneRequest& request_;
  const std::vector<PlanSpace>& spaces_;
  ClusterCache& clusters_;
  const Watch& watch_;
  PlanBounds bounds_;
  std::vector<Open> queue_;  ///< a heap
  std::size_t plans_ = 0;    ///< that it began with
  std::vector<Finished> best_;
  std::optional<Finished> ahead_;  ///< the best of those behind that are ahead of the best safe one
  SearchResult result_;
};

}  // namespace

SearchResult search(const TuneRequest& request, const std::vector<PlanSpace>& spaces,
                    ClusterCache& clusters, const Watch& watch) {
  return PlanSearch(request, spaces, clusters, watch).find();
}

Report simulate_plan(const Scenario& scenario, const PlanChoice& choice, ClusterCache& clusters) {
  Scenario changed = scenario;
  apply(choice, changed);
  return simulate(changed, {false, &clusters});
}

}  // namespace simtrain
