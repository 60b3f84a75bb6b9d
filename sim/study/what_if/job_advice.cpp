#include "sim/study/what_if/job_advice.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "sim/core/input/input_error.h"

namespace simtrain {
namespace {

/// What a job takes.
struct JobPrice {
  double elapsed_s = 0;
  double gpu_hours = 0;
  double usd = 0;
};

JobPrice price_of(const JobSummary& summary, const JobBill& bill) {
  return {summary.elapsed_s.mean, summary.gpu_hours + summary.spare_gpu_hours,
          bill.cost.gpu_usd + bill.cost.electricity_usd};
}

/// Changed jobs beside the first runs of the job as it is, which meet the same failures.
class Savings {
 public:
  Savings(const Goodput& goodput, int runs)
      : base_(summary_of(goodput.plan, {goodput.runs.begin(), goodput.runs.begin() + runs})),
        price_(price_of(base_, goodput.bill(base_))) {}

  /// Adds a change unless what it saves may be chance.
  void add(JobAdvice advice, const JobSummary& summary, const JobBill& bill) {
    const JobPrice price = price_of(summary, bill);
    const double same_work = base_.steps.mean / summary.steps.mean;
    advice.goodput = summary.goodput.mean;
    advice.elapsed_s = price.elapsed_s * same_work;
    advice.saved_s = price_.elapsed_s - advice.elapsed_s;
    advice.saved_gpu_hours = price_.gpu_hours - price.gpu_hours * same_work;
    advice.saved_usd = price_.usd - price.usd * same_work;
    const bool helps = advice.saved_s > kRealGain * price_.elapsed_s ||
                       advice.saved_gpu_hours > kRealGain * price_.gpu_hours ||
                       advice.saved_usd > kRealGain * price_.usd;
    if (helps) advice_.push_back(std::move(advice));
  }

  std::vector<JobAdvice> sorted() && {
    const auto gains = [](const JobAdvice& advice) {
      return std::tuple{advice.saved_s, advice.saved_usd, advice.saved_gpu_hours};
    };
    std::stable_sort(advice_.begin(), advice_.end(),
                     [&](const JobAdvice& a, const JobAdvice& b) { return gains(a) > gains(b); });
    return std::move(advice_);
  }

 private:
  JobSummary base_;
  JobPrice price_;
  std::vector<JobAdvice> advice_;
};

void add_changed(Savings& savings, const Goodput& goodput, const ChangedJob* changed) {
  if (changed == nullptr) return;
  const AdviceKind kind = changed->settings.empty() ? AdviceKind::condition : AdviceKind::setting;
  savings.add({.kind = kind,
               .change = changed->change,
               .settings = changed->settings,
               .step_time_s = goodput.plan.step_s},
              changed->summary, goodput.bill(changed->summary));
}

/// What the job's own changes come to.
void add_job_changes(Savings& savings, const Goodput& goodput) {
  add_changed(savings, goodput, goodput.best_interval());
  const ChangedJob* cheapest = goodput.best_spares();
  const auto quickest = std::min_element(goodput.spares.begin(), goodput.spares.end(),
                                         [](const ChangedJob& a, const ChangedJob& b) {
                                           return a.summary.goodput.mean > b.summary.goodput.mean;
                                         });
  add_changed(savings, goodput, cheapest);
  if (quickest != goodput.spares.end() && &*quickest != cheapest)
    add_changed(savings, goodput, &*quickest);
  for (const ChangedJob& changed : goodput.changes) add_changed(savings, goodput, &changed);
}

std::string sentence(const ChangeResult& change) {
  if (change.kind == ChangeKind::cost_removed) return change.name;
  return fmt::format("{}: {} -> {}", change.name, change.from, change.to);
}

/// The job of a scenario with its step changed. Throws InputError where that is none.
Goodput changed_job(const ExplainRequest& request, const ChangeResult& change, int runs) {
  std::vector<Setting> settings = request.settings;
  for (const std::string& text : change.settings) settings.push_back(parse_setting(text));
  const DataFolder data = request.data.with(change.numbers);
  const Scenario scenario = request.source.scenario(data, request.row, settings);
  JobInputs inputs = load_job(data, scenario, request.source.tree(request.row, settings));
  inputs.spec.runs = runs;
  return goodput(inputs, {.changes = false});
}

/// Adds the job with one change of its step; false where that makes no legal job.
bool add_step_change(Savings& savings, const ExplainRequest& request, const AdvisedJob& job,
                     const ChangeResult& change) {
  try {
    const Goodput changed = changed_job(request, change, job.runs);
    const bool knob = change.kind == ChangeKind::knob;
    // A cost is removed by numbers that are no machine's: its power stays what it is.
    savings.add({.kind = knob ? AdviceKind::setting : AdviceKind::condition,
                 .change = sentence(change),
                 .settings = change.settings,
                 .step_time_s = changed.plan.step_s},
                changed.summary, knob ? changed.bill() : job.goodput.bill(changed.summary));
    return true;
  } catch (const InputError&) {
    return false;
  }
}

/// Changes by which a step gets faster: knobs that do not run out of memory, and costs, whose
/// memory is that of the scenario.
std::vector<const ChangeResult*> helpful(const Explanation& why) {
  std::vector<const ChangeResult*> changes;
  for (const ChangeResult& change : why.changes) {
    const bool possible = change.fits || change.kind == ChangeKind::cost_removed;
    if (possible && change.relative < -kRealGain) changes.push_back(&change);
  }
  return changes;
}

}  // namespace

std::vector<JobAdvice> job_advice(const Goodput& goodput) {
  if (goodput.tried_runs == 0) return {};
  Savings savings(goodput, goodput.tried_runs);
  add_job_changes(savings, goodput);
  return std::move(savings).sorted();
}

AdvisedJob advised_job(const ExplainRequest& request, const SimulatedStep& simulated,
                       const JobInputs& inputs, const AdviceWatches& watches) {
  AdvisedJob job;
  job.goodput = goodput(inputs, {.states = watches.states, .runs = watches.runs});
  job.runs = std::min(inputs.spec.runs, kTriedRuns);
  job.why = explain(request, simulated, watches.steps);
  Savings savings(job.goodput, job.runs);
  add_job_changes(savings, job.goodput);
  const std::vector<const ChangeResult*> changes = helpful(job.why);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (!add_step_change(savings, request, job, *changes[i])) ++job.refused;
    if (watches.jobs) watches.jobs(i + 1, changes.size());
  }
  job.advice = std::move(savings).sorted();
  return job;
}

}  // namespace simtrain
