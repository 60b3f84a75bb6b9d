#include <algorithm>
#include <cmath>
#include <vector>

#include "sim/core/quantity.h"
#include "sim/output/text/unit_text.h"
#include "sim/output/training/goodput_report.h"
#include "sim/output/training/job_html.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

std::string_view use_meaning(TimeUse use) {
  switch (use) {
    case TimeUse::training:
      return "steps that stay, at full speed";
    case TimeUse::evaluation:
      return "passes over validation data";
    case TimeUse::slowed:
      return "what steps take longer: slow devices, fewer replicas, saves beside";
    case TimeUse::data:
      return "steps wait for their data";
    case TimeUse::saving:
      return "training waits for a checkpoint";
    case TimeUse::lost_work:
      return "steps since the checkpoint that the job went back to";
    case TimeUse::detection:
      return "it has failed and nobody knows";
    case TimeUse::manual:
      return "a person is waited for";
    case TimeUse::waiting:
      return "nodes are waited for";
    case TimeUse::scheduling:
      return "the scheduler";
    case TimeUse::launch:
      return "containers, imports, data loaders";
    case TimeUse::groups:
      return "communicators are made";
    case TimeUse::loading:
      return "of a checkpoint";
    case TimeUse::first_steps:
      return "what the first step takes longer";
  }
  return "";
}

/// Runs by the days that they take, in as many bars as the root of their number; none where all
/// take equally long.
Json days_data(const Goodput& goodput) {
  constexpr double kLeastBars = 5;
  constexpr double kMostBars = 40;
  const auto [least, most] = std::minmax_element(
      goodput.runs.begin(), goodput.runs.end(),
      [](const JobRun& a, const JobRun& b) { return a.elapsed_s < b.elapsed_s; });
  if (least->elapsed_s == most->elapsed_s) return nullptr;
  const auto runs = static_cast<double>(goodput.runs.size());
  const double bars = std::clamp(std::round(std::sqrt(runs)), kLeastBars, kMostBars);
  const double width = (most->elapsed_s - least->elapsed_s) / bars;
  std::vector<int> counts(static_cast<std::size_t>(bars));
  for (const JobRun& run : goodput.runs) {
    const double bar = std::floor((run.elapsed_s - least->elapsed_s) / width);
    ++counts[static_cast<std::size_t>(std::min(bar, bars - 1))];
  }
  const Spread& elapsed = goodput.summary.elapsed_s;
  return {{"from", least->elapsed_s / kSecondsPerDay},
          {"width", width / kSecondsPerDay},
          {"counts", counts},
          {"marks",
           {{{"name", "p10"}, {"days", elapsed.p10 / kSecondsPerDay}},
            {{"name", "p50"}, {"days", elapsed.p50 / kSecondsPerDay}},
            {{"name", "p90"}, {"days", elapsed.p90 / kSecondsPerDay}}}}};
}

/// All uses but training and validation.
Json uses_data(const JobSummary& summary) {
  Json rows = Json::array();
  for (const auto& [name, use] : EnumNames<TimeUse>::rows) {
    const double seconds = summary.used[use];
    if (use == TimeUse::training || use == TimeUse::evaluation || seconds <= 0) continue;
    rows.push_back({{"name", in_words(name)},
                    {"percent", 100 * seconds / summary.elapsed_s.mean},
                    {"time", long_time(seconds)},
                    {"meaning", use_meaning(use)}});
  }
  return rows;
}

Json advice_data(const std::vector<JobAdvice>& advice) {
  Json rows = Json::array();
  for (const JobAdvice& one : advice)
    rows.push_back({{"name", one.change},
                    {"saved", one.saved_s / kSecondsPerDay},
                    {"days", one.elapsed_s / kSecondsPerDay},
                    {"setting", one.kind == AdviceKind::setting}});
  return rows;
}

Json tried_data(const std::vector<ChangedJob>& jobs, const ChangedJob* best) {
  if (best == nullptr) return nullptr;
  Json rows = Json::array();
  for (const ChangedJob& job : jobs)
    rows.push_back({{"value", job.value},
                    {"goodput", 100 * job.summary.goodput.mean},
                    {"days", job.summary.elapsed_s.mean / kSecondsPerDay},
                    {"gpu_hours", job.summary.gpu_hours + job.summary.spare_gpu_hours}});
  return {{"rows", std::move(rows)}, {"best", best->value}};
}

/// With Daly's interval and the one of the job, as far as the curve goes.
Json intervals_data(const Goodput& goodput) {
  Json json = tried_data(goodput.intervals, goodput.best_interval());
  if (json.is_null()) return json;
  Json marks = Json::array();
  const auto mark = [&](const char* name, double steps) {
    if (steps >= goodput.intervals.front().value && steps <= goodput.intervals.back().value)
      marks.push_back({{"name", name}, {"steps", steps}});
  };
  const double now = goodput.plan.persistent.interval;
  const bool by_daly = !goodput.inputs.spec.checkpoint.save_interval;
  mark(by_daly ? "the job, by Daly" : "the job", now);
  if (!by_daly) mark("Daly", goodput.daly_steps);
  json["marks"] = std::move(marks);
  return json;
}

/// In megawatts.
Json power_data(const Goodput& goodput) {
  constexpr std::size_t kParts = 500;
  constexpr double kWattsOfMegawatt = 1e6;
  const PowerOfRun power = goodput.power().in(kParts);
  const auto megawatts = [](std::vector<double> watts) {
    for (double& each : watts) each /= kWattsOfMegawatt;
    return watts;
  };
  return {{"part_days", power.part_s / kSecondsPerDay},
          {"mean", megawatts(power.mean_w)},
          {"least", megawatts(power.least_w)},
          {"most", megawatts(power.most_w)}};
}

}  // namespace

Json job_page_data(const Goodput& goodput, const std::vector<JobAdvice>& advice) {
  return {{"days", days_data(goodput)},
          {"uses", uses_data(goodput.summary)},
          {"power", power_data(goodput)},
          {"advice", advice_data(advice)},
          {"intervals", intervals_data(goodput)},
          {"spares", tried_data(goodput.spares, goodput.best_spares())}};
}

}  // namespace simtrain
