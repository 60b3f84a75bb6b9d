#include "sim/output/training/goodput_report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "sim/core/printable.h"
#include "sim/core/quantity.h"
#include "sim/job/plan/data_loading.h"
#include "sim/output/sweep/scale_report.h"
#include "sim/output/text/unit_text.h"
#include "sim/output/text/wrapped_text.h"

namespace simtrain {
namespace {

/// Seconds: less is what rounding leaves.
constexpr double kLeastShown = 1e-6;
constexpr double kJoulesPerMegawattHour = 1e3 * kJoulesPerKilowattHour;

std::string bytes_text(double bytes) {
  return bytes < 1e12 ? fmt::format("{:.1f} GB ({:.1f} GiB)", bytes / 1e9, bytes / 0x1p30)
                      : fmt::format("{:.2f} TB ({:.2f} TiB)", bytes / 1e12, bytes / 0x1p40);
}

std::string count_text(double count) {
  if (count >= 1e12) return fmt::format("{:.4g} T", count / 1e12);
  if (count >= 1e9) return fmt::format("{:.4g} B", count / 1e9);
  return fmt::format("{:.4g} M", count / 1e6);
}

/// How long it takes, by its failures alone and by all that is not known.
void add_length(const Goodput& goodput, std::string& out) {
  const Spread& elapsed = goodput.summary.elapsed_s;
  const bool short_one = elapsed.p95 < kSecondsPerDay;
  const auto time = [&](double seconds) {
    return short_one ? long_time(seconds) : fmt::format("{:.2f}", seconds / kSecondsPerDay);
  };
  const std::string unit = short_one ? "" : " days";
  labelled_line(out, "takes",
                fmt::format("{}{} (9 of 10 runs: {} to {})", time(elapsed.mean), unit,
                            time(elapsed.p5), time(elapsed.p95)));
  if (const auto interval = goodput.elapsed_interval())
    labelled_line(out, "90 % interval",
                  fmt::format("{} to {}{}, with what the step may be off", time(interval->low),
                              time(interval->high), unit));
  labelled_line(out, "percentiles",
                fmt::format("p10 {}, p50 {}, p90 {}{}", time(elapsed.p10), time(elapsed.p50),
                            time(elapsed.p90), unit));
}

std::string share_spread(const Spread& share) {
  return fmt::format("{:.2f} % ({:.2f} to {:.2f})", 100 * share.mean, 100 * share.p5,
                     100 * share.p95);
}

/// States that the memory has no room for.
void add_room(const Goodput& goodput, std::string& out) {
  const auto full = std::count_if(goodput.reports.begin(), goodput.reports.end(),
                                  [](const Report& report) { return !report.fits(); });
  if (full == 0) return;
  labelled_line(
      out, "memory",
      goodput.reports.front().fits()
          ? fmt::format("has no room for {} of {} states below", full, goodput.reports.size())
          : std::string("does not fit ('simtrain run' has what is too much)"));
}

/// Energy, and what the scenario gives prices for.
void add_bill(const Goodput& goodput, std::string& out) {
  const StepEnergy& step = goodput.reports.front().energy;
  const JobBill bill = goodput.bill();
  labelled_line(out, "energy",
                fmt::format("{:.1f} MWh, {:.1f} of it while no step runs",
                            bill.joules() / kJoulesPerMegawattHour,
                            bill.waiting_joules / kJoulesPerMegawattHour));
  if (step.gpu_price) labelled_line(out, "GPU price", usd_text(bill.cost.gpu_usd));
  if (step.electricity_price)
    labelled_line(out, "electricity", usd_text(bill.cost.electricity_usd));
  if (step.grid)
    labelled_line(out, "carbon", fmt::format("{:.4g} t of CO2e", bill.cost.carbon_kg / 1e3));
}

void add_head(const Goodput& goodput, std::string& out) {
  const JobPlan& plan = goodput.plan;
  const JobSummary& summary = goodput.summary;
  labelled_line(
      out, "job",
      fmt::format("{} GPUs on {} nodes{}", plan.gpus, plan.nodes,
                  plan.spares > 0 ? fmt::format(", {} spare nodes", plan.spares) : std::string{}));
  labelled_line(
      out, "step",
      fmt::format("{}, {} tokens", seconds_text(plan.step_s), count_text(plan.tokens_per_step)));
  add_room(goodput, out);
  labelled_line(
      out, "done",
      fmt::format("{} tokens in {:.0f} steps",
                  count_text(summary.steps.mean * plan.tokens_per_step), summary.steps.mean));
  add_length(goodput, out);
  labelled_line(out, "goodput", share_spread(summary.goodput));
  labelled_line(out, "effective",
                share_spread(summary.effective_time) + " of the time without interruption");
  labelled_line(
      out, "GPU hours",
      fmt::format("{:.0f}{}", summary.gpu_hours,
                  plan.spares > 0 ? fmt::format(" and {:.0f} of spares", summary.spare_gpu_hours)
                                  : std::string{}));
  add_bill(goodput, out);
  labelled_line(out, "runs", fmt::format("{}, seed {}", summary.runs, plan.seed));
  if (summary.finished < summary.runs)
    labelled_line(out, "given up",
                  fmt::format("{} runs, which took more than {:g} times as long as their steps or "
                              "met {} million failures",
                              summary.runs - summary.finished, kGivesUp, kMostFailures / 1000000));
}

/// Where the save before is still written when formulas ask for the next.
std::string until_written(const Goodput& goodput) {
  const JobPlan& plan = goodput.plan;
  const double best = suited_interval(plan);
  if (best <= possible_interval(plan, goodput.daly_steps)) return "";
  return fmt::format("; the save before is written after {:.0f}", best);
}

/// With what takes its place where a loss takes the storage's copy along.
std::string load_text(const Goodput& goodput) {
  std::string load = long_time(goodput.checkpoints.persistent.load_s);
  const StorageSpec& storage = goodput.inputs.storage;
  if (!storage.drains_to) return load;
  return fmt::format("{}; {} from {}, where that copy is lost", load,
                     long_time(goodput.checkpoints.drained_load_s), *storage.drains_to);
}

void add_checkpoints(const Goodput& goodput, std::string& out) {
  const CheckpointCost& cost = goodput.checkpoints.persistent;
  const SavePlan& save = goodput.plan.persistent;
  out += fmt::format("\ncheckpoints of {} on {}\n", bytes_text(goodput.checkpoints.shape.bytes),
                     goodput.inputs.storage.name);
  labelled_line(out, "save",
                fmt::format("{} ({} of copying); training waits for {}",
                            long_time(save.copy_s + save.write_s), long_time(save.copy_s),
                            long_time(goodput.plan.waits_s(save))));
  labelled_line(out, "load", load_text(goodput));
  labelled_line(out, "memory",
                fmt::format("{} a node while saving, {} a GPU beside the state while loading",
                            gigabytes(goodput.checkpoints.host_bytes_per_node()),
                            gigabytes(cost.load_bytes_per_gpu)));
  if (save.interval > 0)
    labelled_line(out, "interval",
                  fmt::format("{:.0f} steps, {}", save.interval,
                              long_time(save.interval * goodput.plan.fed_step_s())));
  if (goodput.plan.local.interval > 0)
    labelled_line(out, "between",
                  fmt::format("on {} every {:.0f} steps; training waits for {}",
                              goodput.inputs.local->name, goodput.plan.local.interval,
                              long_time(goodput.plan.waits_s(goodput.plan.local))));
}

void add_data(const Goodput& goodput, std::string& out) {
  if (!goodput.inputs.data) return;
  const JobPlan& plan = goodput.plan;
  const DataShape shape = data_shape(goodput.inputs.scenario, *goodput.inputs.spec.data);
  const double waits = plan.data.wait_s(plan.step_s, 1);
  out += fmt::format("\ndata from {}\n", printable(goodput.inputs.data->name));
  labelled_line(out, "a step",
                fmt::format("{} by {:.0f} ranks in {}; {}", gigabytes(shape.bytes), shape.loaders,
                            long_time(plan.data.wait_s(0, 1)),
                            waits > 0 ? "steps wait " + long_time(waits) : "no step waits"));
}

void add_used(const Goodput& goodput, std::string& out) {
  const JobSummary& summary = goodput.summary;
  out += "\nwhere the time goes           share       mean of a run\n";
  for (const auto& [name, use] : EnumNames<TimeUse>::rows) {
    const double seconds = summary.used[use];
    if (seconds < kLeastShown) continue;
    out += fmt::format("  {:<22}{:>10.3f} %    {:>14}\n", name,
                       100 * seconds / summary.elapsed_s.mean, long_time(seconds));
  }
  out += fmt::format("  {:<22}{:>10.3f} %    {:>14}\n", "all",
                     100 * summary.used.total() / summary.elapsed_s.mean,
                     long_time(summary.used.total()));
}

void add_tolerance(const Goodput& goodput, std::string& out) {
  const JobPlan& plan = goodput.plan;
  labelled_line(
      out, "replicas",
      fmt::format("{} of {} nodes leave and come back by {}, {:.1f} times in a run; up "
                  "to {} may be out",
                  plan.replicas->sets, plan.nodes_apart, printable(goodput.inputs.tolerance->name),
                  goodput.summary.departures, plan.smaller.size() - 1));
  labelled_line(out, "the others",
                fmt::format("stand for {} when one fails, for {} when it joins",
                            long_time(plan.replicas->notice_s + plan.replicas->leave_s),
                            long_time(plan.replicas->join_s)));
}

void add_failures(const Goodput& goodput, std::string& out) {
  const JobPlan& plan = goodput.plan;
  if (plan.failures.empty()) return;
  const double rate = plan.interruptions_per_s();
  out += fmt::format("\nfailures by {}\n", goodput.inputs.failures->name);
  labelled_line(out, "between",
                fmt::format("{} from one unannounced interruption to the next; {:.1f} in a run",
                            long_time(1 / rate), goodput.summary.interruptions.mean));
  if (plan.replicas) add_tolerance(goodput, out);
  for (std::size_t kind = 0; kind < plan.failures.size(); ++kind) {
    const FailureKind& failure = plan.failures[kind];
    out += fmt::format("  {:<22}{:>10.1f} a run   {}", printable(failure.component),
                       goodput.summary.failures[kind], name_of(failure.effect));
    if (failure.effect == FailureEffect::slows)
      out += fmt::format(", steps take {:.3f} times as long", failure.slowdowns.front());
    out += "\n";
  }
}

void add_states(const Goodput& goodput, std::string& out) {
  if (goodput.states.states.size() < 2 && goodput.reports.front().fits()) return;
  out += "\nsteps, each state simulated\n";
  std::size_t width = 38;
  for (const StepState& state : goodput.states.states)
    width = std::max(width, state.name.size() + 1);
  for (std::size_t i = 0; i < goodput.reports.size(); ++i)
    out += fmt::format("  {:<{}}{:>14}{}\n", goodput.states.states[i].name, width,
                       seconds_text(goodput.reports[i].step_time_s),
                       goodput.reports[i].fits() ? "" : "   does not fit");
}

void add_tried(const std::string& title, const std::vector<ChangedJob>& jobs,
               const ChangedJob* best, std::string& out) {
  if (jobs.empty()) return;
  out += fmt::format("\n{:<42}goodput        days   GPU hours\n", title);
  for (const ChangedJob& job : jobs) {
    const JobSummary& summary = job.summary;
    out +=
        fmt::format("{} {:<39}{:>8.3f} %{:>12.2f}{:>12.0f}\n", &job == best ? '*' : ' ', job.change,
                    100 * summary.goodput.mean, summary.elapsed_s.mean / kSecondsPerDay,
                    summary.gpu_hours + summary.spare_gpu_hours);
  }
}

void add_advice(const Goodput& goodput, std::string& out) {
  if (goodput.tried_runs == 0) return;
  add_tried(fmt::format("interval ({} runs each)", goodput.tried_runs), goodput.intervals,
            goodput.best_interval(), out);
  if (goodput.young_steps < kNever)
    out += fmt::format("  Young: {:.0f} steps, Daly: {:.0f} steps{}\n", goodput.young_steps,
                       goodput.daly_steps, until_written(goodput));
  add_tried("spares (*: least GPU hours for the work)", goodput.spares, goodput.best_spares(), out);
  add_tried("what else would help", goodput.changes, nullptr, out);
}

}  // namespace

std::string goodput_sections(const Goodput& goodput) {
  std::string out;
  add_head(goodput, out);
  add_checkpoints(goodput, out);
  add_data(goodput, out);
  add_used(goodput, out);
  add_failures(goodput, out);
  add_states(goodput, out);
  return out;
}

std::string goodput_text(const Goodput& goodput) {
  std::string out = printable(goodput.reports.front().scenario) + "\n" + goodput_sections(goodput);
  add_advice(goodput, out);
  return out;
}

}  // namespace simtrain
