#include "sim/study/tune_search.h"

#include <algorithm>
#include <oneapi/tbb/parallel_for.h>
#include <set>
#include <tuple>

#include "sim/run/simulate.h"
#include "sim/study/lower_bound.h"

namespace simtrain {
namespace {

/// How many plans are worked on at once: fixed, so that the same ones are simulated on any machine.
constexpr std::size_t kWave = 8;

/// What is known of a plan so far; each comes after more work than the one before.
enum class Known { kernels, passes, all };

/// A plan that is not simulated yet. `order` is its place among all: ties go to the first.
struct Open {
  double bound = 0;
  std::size_t order = 0;
  std::size_t size = 0;
  const LegalPlan* plan = nullptr;
  Known known{};

  /// For a heap whose top is the least.
  friend bool operator<(const Open& a, const Open& b) {
    return std::tie(a.bound, a.order) > std::tie(b.bound, b.order);
  }
};

/// What bounds on one number of GPUs need, worked out once for each key.
struct Site {
  explicit Site(const Scenario& on) : scenario(on), bound(on) {}
  const Scenario& scenario;
  StepTimeBound bound;
  std::map<PassKey, PassCosts> kernels;
  std::map<PassKey, PassCosts> passes;

  [[nodiscard]] Recipe recipe(const PlanChoice& choice) const {
    Scenario changed = scenario;
    apply(choice, changed);
    return changed.recipe;
  }
};

struct Finished {
  double score = 0;
  std::size_t order = 0;
  TunedPlan tuned;
};

class PlanSearch {
 public:
  PlanSearch(const TuneRequest& request, const std::vector<PlanSpace>& spaces,
             ClusterCache& clusters, const Watch& watch)
      : request_(request), spaces_(spaces), clusters_(clusters), watch_(watch) {
    sites_.reserve(request.sizes.size());
    for (const Scenario& scenario : request.sizes) sites_.emplace_back(scenario);
  }

  SearchResult find() {
    std::vector<Open> all = plans();
    if (!request_.exhaustive) {
      prepare(all, &Site::kernels, &StepTimeBound::kernel_costs);
      tbb::parallel_for(std::size_t{0}, all.size(), [&](std::size_t i) { bound(all[i]); });
    }
    plans_ = all.size();
    queue_ = std::move(all);
    std::make_heap(queue_.begin(), queue_.end());
    for (std::vector<Open> wave = next_wave(); !wave.empty(); wave = next_wave()) {
      work(wave);
      tell();
    }
    for (Finished& finished : best_) result_.best.push_back(std::move(finished.tuned));
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::vector<Open> plans() const {
    std::vector<Open> all;
    std::size_t order = 0;
    for (std::size_t size = 0; size < spaces_.size(); ++size) {
      for (const LegalPlan& plan : spaces_[size].legal) {
        if (!plan.fits) continue;
        all.push_back({0, order++, size, &plan, request_.exhaustive ? Known::all : Known::kernels});
      }
    }
    return all;
  }

  /// The next plans that may still be among the best.
  std::vector<Open> next_wave() {
    std::vector<Open> wave;
    while (!queue_.empty() && wave.size() < kWave && may_enter(queue_.front().bound)) {
      std::pop_heap(queue_.begin(), queue_.end());
      wave.push_back(queue_.back());
      queue_.pop_back();
    }
    return wave;
  }
  [[nodiscard]] bool may_enter(double bound) const {
    return best_.size() < request_.top || bound <= best_.back().score;
  }

  /// Brings each plan of a wave one step on: a sharper bound, or its simulation.
  void work(std::vector<Open>& wave) {
    std::vector<Open> blurred;
    std::vector<Open> sharp;
    for (const Open& open : wave) (open.known == Known::all ? sharp : blurred).push_back(open);
    prepare(blurred, &Site::passes, &StepTimeBound::pass_costs);
    std::vector<Finished> finished(sharp.size());
    tbb::parallel_for(std::size_t{0}, wave.size(), [&](std::size_t i) {
      if (i < sharp.size()) {
        finished[i] = simulated(sharp[i]);
      } else {
        sharpen(blurred[i - sharp.size()]);
      }
    });
    for (const Open& open : blurred) {
      queue_.push_back(open);
      std::push_heap(queue_.begin(), queue_.end());
    }
    for (Finished& plan : finished) enter(std::move(plan));
    result_.simulated += static_cast<std::int64_t>(sharp.size());
  }

  /// Works out the costs of those keys that are not known yet.
  void prepare(const std::vector<Open>& plans, std::map<PassKey, PassCosts> Site::*known,
               PassCosts (StepTimeBound::*work_out)(const Recipe&) const) {
    std::vector<std::tuple<std::size_t, Recipe, PassCosts*>> missing;
    for (const Open& open : plans) {
      Site& site = sites_[open.size];
      Recipe recipe = site.recipe(open.plan->choice);
      const auto [entry, fresh] = (site.*known).try_emplace(site.bound.key(recipe));
      if (fresh) missing.emplace_back(open.size, std::move(recipe), &entry->second);
    }
    tbb::parallel_for(std::size_t{0}, missing.size(), [&](std::size_t i) {
      const auto& [size, recipe, costs] = missing[i];
      *costs = (sites_[size].bound.*work_out)(recipe);
    });
  }

  void tell() const {
    if (!watch_) return;
    const auto open = std::count_if(queue_.begin(), queue_.end(),
                                    [&](const Open& plan) { return may_enter(plan.bound); });
    watch_(plans_ - static_cast<std::size_t>(open), plans_);
  }

  void sharpen(Open& open) const {
    open.known = open.known == Known::kernels ? Known::passes : Known::all;
    bound(open);
  }

  void bound(Open& open) const {
    const Site& site = sites_[open.size];
    const Recipe recipe = site.recipe(open.plan->choice);
    const auto& costs = open.known == Known::kernels ? site.kernels : site.passes;
    const double seconds =
        site.bound.seconds(recipe, costs.at(site.bound.key(recipe)), open.known == Known::all);
    open.bound = std::max(open.bound, score(request_.by, seconds, open.plan->choice.gpus));
  }

  [[nodiscard]] Finished simulated(const Open& open) const {
    Report report = simulate_plan(sites_[open.size].scenario, open.plan->choice, clusters_);
    const double value = score(request_.by, report.step_time_s, report.gpus);
    return {value, open.order, {*open.plan, std::move(report)}};
  }

  void enter(Finished&& plan) {
    const auto place = std::find_if(best_.begin(), best_.end(), [&](const Finished& other) {
      return std::tie(plan.score, plan.order) < std::tie(other.score, other.order);
    });
    best_.insert(place, std::move(plan));
    if (best_.size() > request_.top) best_.pop_back();
  }

  const TuneRequest& request_;
  const std::vector<PlanSpace>& spaces_;
  ClusterCache& clusters_;
  const Watch& watch_;
  std::vector<Site> sites_;
  std::vector<Open> queue_;  ///< a heap
  std::size_t plans_ = 0;    ///< that it began with
  std::vector<Finished> best_;
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
