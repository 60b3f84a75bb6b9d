#include "sim/study/tune/plan_space.h"

#include <algorithm>
#include <array>
#include <map>
#include <oneapi/tbb/parallel_for.h>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "sim/study/tune/even_layout.h"
#include "sim/workload/plan/memory/plan_memory.h"
#include "sim/workload/schedule/recipe_grid.h"
#include "sim/workload/schedule/stage_layout.h"

namespace simtrain {
namespace {

std::vector<int> divisors(int number) {
  std::vector<int> result;
  for (std::int64_t i = 1; i * i <= number; ++i) {
    if (number % i != 0) continue;
    result.push_back(static_cast<int>(i));
    if (i * i != number) result.push_back(static_cast<int>(number / i));
  }
  std::sort(result.begin(), result.end());
  return result;
}

double capacity(const Scenario& scenario) {
  return static_cast<double>(scenario.cluster.gpu.memory_capacity.value.value());
}

/// The passes of stages, which plans of one split of the layers share.
class StageOrders {
 public:
  void clear() { known_.clear(); }

  /// Memory by stage.
  std::vector<StageMemory> memory(const Scenario& scenario, const ModelTotals& totals) {
    const Recipe& recipe = scenario.recipe;
    const RankGrid grid = rank_grid(recipe, scenario.gpus());
    const PipelineShape shape = memory_shape(recipe, grid.micro_batches());
    const auto memory_of = [&](const StageOrder& order) {
      return memory_of_stage(recipe, totals, scenario.cluster.gpu, grid, order);
    };
    const bool kept = std::int64_t{shape.micro_batches} * shape.parts() <= kMostKept;
    std::vector<StageMemory> stages;
    stages.reserve(static_cast<std::size_t>(recipe.pp()));
    for (int stage = 0; stage < recipe.pp(); ++stage) {
      if (kept)
        stages.push_back(memory_of(known(recipe, shape, stage)));
      else
        stages.push_back(memory_of(stage_order(recipe, shape, stage)));
    }
    return stages;
  }

 private:
  /// Forward passes of all stages of a shape; the orders of one that has more take many MB.
  static constexpr std::int64_t kMostKept = 1 << 17;

  /// Stages are asked for in turn.
  const StageOrder& known(const Recipe& recipe, const PipelineShape& shape, int stage) {
    std::vector<StageOrder>& orders = known_[shape];
    if (orders.size() == static_cast<std::size_t>(stage))
      orders.push_back(stage_order(recipe, shape, stage));
    return orders[static_cast<std::size_t>(stage)];
  }

  std::map<PipelineShape, std::vector<StageOrder>> known_;
};

/// The plan whose stages take so much, of a GPU that has `capacity` and may be filled up to
/// `most_bytes`.
LegalPlan judged(const PlanChoice& choice, const std::vector<StageMemory>& stages, double capacity,
                 double most_bytes) {
  LegalPlan plan{choice};
  for (const StageMemory& stage : stages)
    plan.memory_bytes = std::max(plan.memory_bytes, stage.total());
  plan.fits = plan.memory_bytes <= most_bytes;
  plan.tight = plan.fits && room_of(stages, capacity) == Room::tight;
  return plan;
}

/// The values of a plan are in no file.
const ScenarioTrees kNoTrees;

/// What all plans of a scenario have alike.
struct WholeSpace {
  const Scenario& scenario;
  const PlanLimits& limits;
  double most_bytes = 0;
  double parameters = 0;
};

/// The plans of one TP, PP and CP.
class Corner {
 public:
  Corner(const WholeSpace& whole, PlanChoice choice)
      : whole_(whole),
        base_(whole.scenario.recipe),
        scenario_(whole.scenario),
        limits_(whole.limits),
        choice_(choice) {}

  PlanSpace plans() {
    if (scenario_.recipe.training.global_batch_size % choice_[Knob::dp] != 0)
      return std::move(space_);
    for (const auto& [name, account] : EnumNames<SplitAccount>::rows) {
      if (!considers(account) || !set(Knob::account, static_cast<int>(account))) continue;
      for (const int vp : interleavings()) {
        if (!set(Knob::vp, vp) || !new_split()) continue;
        orders_.clear();
        add_experts();
      }
    }
    return std::move(space_);
  }

 private:
  /// Gives the scenario the plan. A copy of the whole recipe takes as long as all checks of it.
  void lay_out() {
    Recipe& recipe = scenario_.recipe;
    recipe.parallelism = base_.parallelism;
    recipe.overlap = base_.overlap;
    recipe.moe = base_.moe;
    apply(choice_, scenario_.cluster, recipe);
  }

  bool set(Knob knob, int value) {
    choice_[knob] = value;
    return limits_.allows(knob, value);
  }

  /// ETP 1, or as TP; EP over the experts and the ranks of a stage.
  void add_experts() {
    if (!base_.model.has_experts()) return add_batches();
    const int stage = choice_[Knob::tp] * choice_[Knob::cp] * choice_[Knob::dp];
    for (const int etp : std::set<int>{1, choice_[Knob::tp]}) {
      if (!set(Knob::etp, etp)) continue;
      for (const int ep : divisors(base_.model.experts->num_moe_experts)) {
        if (stage % (std::int64_t{ep} * etp) == 0 && set(Knob::ep, ep)) add_dispatch();
      }
    }
  }

  /// The scenario's own, or those that a limit names; nothing travels within one rank.
  void add_dispatch() {
    if (!limits_.limits(Knob::dispatch) || choice_[Knob::ep] * choice_[Knob::etp] == 1)
      return add_batches();
    for (const auto& [name, dispatch] : EnumNames<Dispatch>::rows) {
      if (!limits_.allows(Knob::dispatch, static_cast<int>(dispatch))) continue;
      choice_.set(dispatch);
      add_batches();
    }
    choice_[Knob::dispatch] = 0;
  }

  void add_batches() {
    for (const int mbs : divisors(base_.training.global_batch_size / choice_[Knob::dp])) {
      if (set(Knob::mbs, mbs)) add_schedules();
    }
  }

  /// The scenario's own, or those that a limit names.
  void add_schedules() {
    if (!limits_.limits(Knob::schedule)) return judge();
    for (const auto& [name, schedule] : EnumNames<PipelineSchedule>::rows) {
      if (!limits_.allows(Knob::schedule, static_cast<int>(schedule))) continue;
      choice_.set(schedule);
      judge();
    }
    choice_[Knob::schedule] = 0;
  }

  [[nodiscard]] std::vector<int> interleavings() const {
    const auto account = static_cast<SplitAccount>(choice_[Knob::account]);
    if (account == SplitAccount::layout) return layout_interleavings();
    Recipe accounted = base_;
    apply(choice_, scenario_.cluster, accounted);
    const int dealt = accounted.dealt_layers();
    if (dealt % choice_[Knob::pp] != 0) return {};
    return divisors(dealt / choice_[Knob::pp]);
  }

  /// The scenario's own number of chunks a stage and, of even layouts, the powers of two.
  [[nodiscard]] std::vector<int> layout_interleavings() const {
    const int stages = choice_[Knob::pp];
    std::set<int> chunks;
    for (int vp = 1; !even_layout(base_.model, stages * vp).empty(); vp *= 2) {
      chunks.insert(vp);
      if (stages == 1) break;
    }
    if (base_.parallelism.pipeline_model_parallel_layout && base_.pp() == stages)
      chunks.insert(base_.vp());
    return {chunks.begin(), chunks.end()};
  }

  /// Layouts are searched where a limit names them or the scenario has one.
  [[nodiscard]] bool considers(SplitAccount account) const {
    return account != SplitAccount::layout || limits_.limits(Knob::account) ||
           base_.parallelism.pipeline_model_parallel_layout;
  }

  /// Whether no account before deals the layers in the same way.
  bool new_split() {
    lay_out();
    std::vector<int> layers;
    for (int stage = 0; stage < choice_[Knob::pp]; ++stage) {
      for (const ChunkLayout& chunk : stage_chunks(scenario_.recipe, stage))
        layers.push_back(chunk.layers);
    }
    return splits_.insert(std::move(layers)).second;
  }

  /// Policies of other frameworks are tried where they are named, or are the scenario's own.
  [[nodiscard]] bool considers(Recompute way) const {
    return limits_.allows(Knob::recompute, static_cast<int>(way)) &&
           (is_of_megatron(way) || limits_.limits(Knob::recompute) || way == base_.recompute);
  }

  /// Recompute changes memory, never whether a plan is legal.
  void judge() {
    constexpr auto kWays = EnumNames<Recompute>::rows;
    const std::int64_t ways = std::count_if(kWays.begin(), kWays.end(),
                                            [&](const auto& row) { return considers(row.second); });
    space_.considered += ways;
    try {
      lay_out();
      check_plan(scenario_, whole_.parameters, kNoTrees);
    } catch (const InputError& refusal) {
      refuse(refusal.what(), ways);
      return;
    }
    for (const auto& [name, way] : kWays) {
      if (!considers(way) || !set(Knob::recompute, static_cast<int>(way))) continue;
      scenario_.recipe.recompute = way;
      space_.legal.push_back(judged(choice_, orders_.memory(scenario_, totals()),
                                    capacity(scenario_), whole_.most_bytes));
    }
  }

  /// How the layers are dealt does not change what they hold, but for a table that both ends share.
  const ModelTotals& totals() {
    PlanChoice key = choice_;
    for (const Knob dealt : {Knob::vp, Knob::account}) key[dealt] = 0;
    key[Knob::schedule] = scenario_.recipe.ends_apart() ? 1 : 0;
    const auto known = totals_.find(key.values);
    if (known != totals_.end()) return known->second;
    return totals_.emplace(key.values, ModelTotals(scenario_.recipe)).first->second;
  }

  /// "key: sentence", as nothing has a place.
  void refuse(const std::string& message, std::int64_t ways) {
    const std::size_t colon = message.find(": ");
    PlanSpace::Refusal& known = space_.refused[message.substr(0, colon)];
    known.count += ways;
    if (known.example.empty()) known.example = message.substr(colon + 2);
  }

  const WholeSpace& whole_;
  const Recipe& base_;
  Scenario scenario_;
  const PlanLimits& limits_;
  PlanChoice choice_;
  std::map<std::array<int, kKnobs>, ModelTotals> totals_;
  StageOrders orders_;                 ///< of one split of the layers
  std::set<std::vector<int>> splits_;  ///< layers by chunk
  PlanSpace space_;
};

/// All TP, PP and CP that multiply to a divisor of the GPUs.
std::vector<PlanChoice> corners(int gpus, const PlanLimits& limits) {
  std::vector<PlanChoice> result;
  for (const int tp : divisors(gpus)) {
    if (!limits.allows(Knob::tp, tp)) continue;
    for (const int pp : divisors(gpus / tp)) {
      if (!limits.allows(Knob::pp, pp)) continue;
      for (const int cp : divisors(gpus / tp / pp)) {
        PlanChoice& choice = result.emplace_back();
        choice.gpus = gpus;
        choice[Knob::tp] = tp;
        choice[Knob::pp] = pp;
        choice[Knob::cp] = cp;
        choice[Knob::dp] = gpus / tp / pp / cp;
        if (!limits.allows(Knob::cp, cp) || !limits.allows(Knob::dp, choice[Knob::dp]))
          result.pop_back();
      }
    }
  }
  return result;
}

void append(PlanSpace& space, PlanSpace&& part) {
  space.considered += part.considered;
  space.legal.insert(space.legal.end(), part.legal.begin(), part.legal.end());
  for (auto& [key, refusal] : part.refused) {
    PlanSpace::Refusal& known = space.refused[key];
    known.count += refusal.count;
    if (known.example.empty()) known.example = std::move(refusal.example);
  }
}

/// Knobs of experts have no part in a model without.
void check_limits(const ModelSpec& model, const PlanLimits& limits) {
  if (model.has_experts()) return;
  for (const Knob knob : {Knob::ep, Knob::etp, Knob::dispatch}) {
    const bool one = knob != Knob::dispatch && limits.allows(knob, 1);
    if (limits.limits(knob) && !one)
      throw InputError({}, fmt::format("--limit {}", name_of(knob)),
                       fmt::format("is of experts, which {} does not have", model.name));
  }
}

}  // namespace

std::int64_t PlanSpace::fitting() const {
  return std::count_if(legal.begin(), legal.end(), [](const LegalPlan& plan) { return plan.fits; });
}

std::int64_t PlanSpace::tight() const {
  return std::count_if(legal.begin(), legal.end(),
                       [](const LegalPlan& plan) { return plan.tight; });
}

const LegalPlan* PlanSpace::smallest() const {
  const auto found = std::min_element(
      legal.begin(), legal.end(),
      [](const LegalPlan& a, const LegalPlan& b) { return a.memory_bytes < b.memory_bytes; });
  return found == legal.end() ? nullptr : &*found;
}

PlanSpace plan_space(const Scenario& scenario, const PlanLimits& limits, double margin) {
  check_limits(scenario.recipe.model, limits);
  PlanSpace space;
  space.capacity_bytes = capacity(scenario);
  const WholeSpace whole{scenario, limits, space.capacity_bytes * (1 - margin),
                         whole_parameters(scenario.recipe.model)};
  const std::vector<PlanChoice> starts = corners(scenario.gpus(), limits);
  std::vector<PlanSpace> parts(starts.size());
  tbb::parallel_for(std::size_t{0}, starts.size(),
                    [&](std::size_t i) { parts[i] = Corner(whole, starts[i]).plans(); });
  for (PlanSpace& part : parts) append(space, std::move(part));
  return space;
}

}  // namespace simtrain
