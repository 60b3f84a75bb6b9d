#include "sim/output/training/job_report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "sim/core/quantity.h"
#include "sim/output/run/json_report.h"
#include "sim/output/sweep/scale_report.h"
#include "sim/output/text/json_parts.h"
#include "sim/output/text/wrapped_text.h"
#include "sim/output/training/goodput_report.h"

namespace simtrain {
namespace {

using JobJson = nlohmann::ordered_json;

constexpr std::size_t kChangeColumns = 42;

bool is_priced(const AdvisedJob& job) { return job.goodput.reports.front().energy.priced(); }

std::string saved_text(const JobAdvice& advice, bool priced) {
  if (!priced) return fmt::format("{:.0f}", advice.saved_gpu_hours);
  return saved_usd_text(advice);
}

void add_advice_of(const AdvisedJob& job, AdviceKind kind, const std::string& title,
                   std::string& out) {
  const bool priced = is_priced(job);
  const auto is_of = [&](const JobAdvice& advice) { return advice.kind == kind; };
  if (std::none_of(job.advice.begin(), job.advice.end(), is_of)) return;
  out += fmt::format("\n{:<{}}{:>9}{:>12}{:>15}\n", title, kChangeColumns + 2, "days", "days saved",
                     priced ? "price saved" : "GPU h saved");
  for (const JobAdvice& advice : job.advice) {
    if (!is_of(advice)) continue;
    out +=
        fmt::format("  {:<{}}{:>9.2f}{:>12.2f}{:>15}\n", shortened(advice.change, kChangeColumns),
                    kChangeColumns, advice.elapsed_s / kSecondsPerDay,
                    advice.saved_s / kSecondsPerDay, saved_text(advice, priced));
    for (const std::string& setting : advice.settings)
      out += fmt::format("      --set {}\n", setting);
  }
}

JobJson advice_rows(const AdvisedJob& job) {
  const bool priced = is_priced(job);
  JobJson rows = JobJson::array();
  for (const JobAdvice& advice : job.advice) {
    JobJson row{{"kind", name_of(advice.kind)}, {"change", advice.change},
                {"settings", advice.settings},  {"step_time_s", advice.step_time_s},
                {"goodput", advice.goodput},    {"elapsed_s", advice.elapsed_s},
                {"saved_s", advice.saved_s},    {"saved_gpu_hours", advice.saved_gpu_hours}};
    if (priced) row["saved_usd"] = advice.saved_usd;
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

std::string saved_usd_text(const JobAdvice& advice) {
  return (advice.saved_usd < 0 ? "-" : "") + usd_text(std::abs(advice.saved_usd));
}

TrainingGoal steady_goal(const Goodput& goodput) {
  TrainingGoal goal;
  goal.tokens = goodput.inputs.spec.tokens.value_or(goodput.summary.steps.mean *
                                                    goodput.plan.tokens_per_step);
  const CostSpec& cost = goodput.inputs.scenario.cost;
  if (cost.gpu_hour) goal.usd_per_gpu_hour = cost.gpu_hour->value();
  return goal;
}

std::string job_text(const AdvisedJob& job) {
  std::string out = "\nThe job\n" + goodput_sections(job.goodput);
  add_advice_of(job, AdviceKind::setting, fmt::format("What to set ({} runs each)", job.runs), out);
  add_advice_of(job, AdviceKind::condition, "What else would help", out);
  if (job.advice.empty())
    out += "\nWhat to change: nothing that was tried saves a thousandth of the days or the price\n";
  return out;
}

std::string job_json(const Report& step, const AdvisedJob& job, const AskedParts& asked) {
  return json_text(
      {{"schema", "simtrain.job/1"},
       {"step", result_json(step, steady_goal(job.goodput), asked)},
       {"job", goodput_members(job.goodput)},
       {"advice", {{"runs", job.runs}, {"refused", job.refused}, {"changes", advice_rows(job)}}}});
}

}  // namespace simtrain
