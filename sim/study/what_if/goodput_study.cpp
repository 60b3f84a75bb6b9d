#include "sim/study/what_if/goodput_study.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "sim/core/fingerprint.h"
#include "sim/core/input/input_error.h"
#include "sim/core/input/number_text.h"
#include "sim/core/input/text_parts.h"
#include "sim/core/invariant.h"
#include "sim/core/threads/parallel_each.h"
#include "sim/run/simulate.h"
#include "sim/study/tasks/question_files.h"

namespace simtrain {
namespace {

/// Counts up when records of the same question come to mean something else.
constexpr std::string_view kRunFormat = "simtrain.job-run/3";

std::vector<Report> reports_of(const JobStates& states, const Watch& watch) {
  std::vector<Report> reports(states.states.size());
  ClusterCache clusters;
  parallel_each(
      reports.size(),
      [&](std::size_t i) {
        const StepState& state = states.states[i];
        try {
          reports[i] = simulate(state.scenario, {.clusters = &clusters});
        } catch (const std::invalid_argument& error) {
          throw InputError({}, "job", fmt::format("{}: {}", state.name, error.what()));
        }
      },
      watch);
  return reports;
}

/// The numbers of a record, one after the other.
class RecordWords {
 public:
  explicit RecordWords(std::string_view record) : words_(split(record, ' ')) {}

  template <class Number>
  Number next() {
    const auto number = at_ < words_.size() ? number_as<Number>(words_[at_++]) : std::nullopt;
    if (!number) throw std::invalid_argument("no record of a run");
    return *number;
  }
  [[nodiscard]] std::size_t left() const { return words_.size() - at_; }

 private:
  std::vector<std::string_view> words_;
  std::size_t at_ = 0;
};

}  // namespace

GoodputStudy::GoodputStudy(const JobInputs& inputs, const GoodputOptions& options) {
  goodput_.inputs = inputs;
  goodput_.checkpoints = job_checkpoints(inputs);
  goodput_.states = job_states(inputs, goodput_.checkpoints);
  goodput_.reports = reports_of(goodput_.states, options.states);
  goodput_.plan = job_plan(inputs, goodput_.checkpoints, goodput_.states, goodput_.reports);
  goodput_.young_steps = young_interval_steps(goodput_.plan);
  goodput_.daly_steps = daly_interval_steps(goodput_.plan);
  if (!options.changes || goodput_.plan.failures.empty()) return;
  goodput_.tried_runs = std::min(inputs.spec.runs, kTriedRuns);
  const auto try_all = [&](std::vector<ChangedPlan> plans) {
    std::move(plans.begin(), plans.end(), std::back_inserter(tried_));
    return plans.size();
  };
  intervals_ = try_all(plans_by_interval(goodput_.plan));
  spares_ = try_all(plans_by_spares(goodput_.plan));
  try_all(other_plans(goodput_.plan));
}

std::uint64_t GoodputStudy::size() const {
  return own_runs() + tried_.size() * static_cast<std::uint64_t>(goodput_.tried_runs);
}

JobRun GoodputStudy::run(std::uint64_t number) const {
  if (number < own_runs()) return simulate_job(goodput_.plan, static_cast<std::uint32_t>(number));
  const auto of_each = static_cast<std::uint64_t>(goodput_.tried_runs);
  const std::uint64_t behind = number - own_runs();
  return simulate_job(tried_.at(behind / of_each).plan,
                      static_cast<std::uint32_t>(behind % of_each));
}

TaskList GoodputStudy::tasks() const {
  return {size(), [this](std::uint64_t number) { return record_of(number, run(number)); },
          [](std::string_view record) { return numbered_run(record).number; }};
}

Goodput GoodputStudy::finished(std::vector<JobRun> runs) && {
  invariant(runs.size() == size(), "a study is finished with all of its runs");
  std::vector<ChangedJob> jobs;
  jobs.reserve(tried_.size());
  auto first = runs.begin() + static_cast<std::ptrdiff_t>(own_runs());
  for (const ChangedPlan& changed : tried_) {
    const auto end = first + goodput_.tried_runs;
    jobs.push_back(
        {changed.change, changed.value,
         summary_of(changed.plan, {std::make_move_iterator(first), std::make_move_iterator(end)}),
         changed.settings});
    first = end;
  }
  runs.resize(own_runs());
  goodput_.runs = std::move(runs);
  goodput_.summary = summary_of(goodput_.plan, goodput_.runs);
  const auto spares = jobs.begin() + static_cast<std::ptrdiff_t>(intervals_);
  const auto others = spares + static_cast<std::ptrdiff_t>(spares_);
  goodput_.intervals.assign(jobs.begin(), spares);
  goodput_.spares.assign(spares, others);
  goodput_.changes.assign(others, jobs.end());
  std::stable_sort(goodput_.changes.begin(), goodput_.changes.end(), has_more_goodput);
  return std::move(goodput_);
}

std::string record_of(std::uint64_t number, const JobRun& run) {
  std::string record = fmt::format("{} {} {} {} {} {} {}", number, run.elapsed_s, run.steps,
                                   run.finished ? 1 : 0, run.restarts, run.saves, run.departures);
  for (const auto& [name, use] : EnumNames<TimeUse>::rows)
    record += fmt::format(" {}", run.used[use]);
  for (const std::int64_t count : run.failures) record += fmt::format(" {}", count);
  return record;
}

NumberedRun numbered_run(std::string_view record) {
  RecordWords words(record);
  NumberedRun result;
  result.number = words.next<std::uint64_t>();
  JobRun& run = result.run;
  run.elapsed_s = words.next<double>();
  run.steps = words.next<double>();
  run.finished = words.next<int>() != 0;
  run.restarts = words.next<std::int64_t>();
  run.saves = words.next<std::int64_t>();
  run.departures = words.next<std::int64_t>();
  for (const auto& [name, use] : EnumNames<TimeUse>::rows) run.used[use] = words.next<double>();
  while (words.left() > 0) run.failures.push_back(words.next<std::int64_t>());
  return result;
}

std::string goodput_fingerprint(const DataFolder& data, const ScenarioSource& source,
                                const std::string& row, const std::vector<Setting>& settings,
                                bool changes) {
  Fingerprint fingerprint;
  fingerprint.add(kRunFormat);
  fingerprint.add(source.text(row, settings));
  fingerprint.add(std::uint64_t{changes ? 1U : 0U});
  fingerprint.add(data.fingerprint());
  add_own_files(fingerprint, data, source, row, settings);
  return fingerprint.text();
}

}  // namespace simtrain
