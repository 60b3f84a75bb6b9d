#include "sim/output/tune/tune_report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "sim/output/run/text_report.h"
#include "sim/output/sweep/scale_report.h"
#include "sim/output/text/unit_text.h"
#include "sim/output/text/wrapped_text.h"
#include "sim/output/tune/plan_text.h"

namespace simtrain {
namespace {

/// Plans in which no token travels have nothing to choose.
bool searches_dispatch(const TuneResult& result) {
  return std::any_of(result.best.begin(), result.best.end(),
                     [](const TunedPlan& tuned) { return tuned.plan.choice.has(Knob::dispatch); });
}

/// The cost, where a price is given, replaces the MFU, by which plans rank alike.
void add_plans(std::string& out, const TuneHead& head, const TuneResult& result) {
  const bool dispatch = searches_dispatch(result);
  out += fmt::format("   {}{:>10}{:>11}{:>9}\n",
                     head_columns(result.best.front().plan.choice, dispatch), "step time",
                     head.usd_per_gpu_hour ? "cost" : "MFU", "to spare");
  bool tight = false;
  for (std::size_t i = 0; i < result.best.size(); ++i) {
    const auto& [plan, report] = result.best[i];
    const TrainingRun run = training_run(report, head.tokens, head.usd_per_gpu_hour);
    out += fmt::format("{:>2}{}{}{:>8.3f} s{:>11}{:>9}\n", i + 1, plan.tight ? '*' : ' ',
                       plan_columns(plan.choice, dispatch), report.step_time_s,
                       run.usd ? usd_text(*run.usd) : percent_text(report.mfu),
                       gigabytes(result.spare_bytes(plan)));
    tight = tight || plan.tight;
  }
  if (!tight) return;
  out += "  *  tight: fits only with less fragmentation of the allocator than usual\n";
  if (result.best.front().plan.tight && result.tight() == result.fitting())
    out += "  No plan is safe: all that fit are tight, and a run may fail\n";
}

/// Which tight plans would come first if they ranked with the safe ones.
void add_tight_ahead(std::string& out, const TuneResult& result) {
  if (!result.tight_ahead.best) return;
  const auto& [plan, report] = *result.tight_ahead.best;
  const Report& first = result.best.front().report;
  const double change = score(result.by, report.step_time_s, report.gpus) /
                            score(result.by, first.step_time_s, first.gpus) -
                        1;
  const std::int64_t plans = result.tight_ahead.plans;
  out += "\n" +
         wrapped_line(fmt::format("{} tight plan{} would be better than the first, {} by {:+.2f} % "
                                  "of {} time; --allow-tight ranks tight plans as others",
                                  plans, plans == 1 ? "" : "s", plans == 1 ? "it" : "the best",
                                  change * 100, result.by == TuneGoal::step_time ? "step" : "GPU"),
                      0) +
         wrapped_line(fmt::format("{} GPUs: {}: {:.3f} s, MFU {}, {} to spare", plan.choice.gpus,
                                  text_of(plan.choice), report.step_time_s,
                                  percent_text(report.mfu), gigabytes(result.spare_bytes(plan))));
}

void add_given(std::string& out, const TuneHead& head, const TuneResult& result) {
  if (!head.given) {
    if (!head.given_refusal.empty())
      out += "\n" + wrapped_line("The file's own plan: " + printable(head.given_refusal), 0);
    return;
  }
  const Report& best = result.best.front().report;
  const Report& given = *head.given;
  out += fmt::format("\nThe file's own plan on {} GPUs: {:.3f} s, MFU {:.2f} %, {}\n", given.gpus,
                     given.step_time_s, given.mfu * 100, room_text(given));
  out += wrapped_line(given.layout);
  if (given.gpus == best.gpus)
    out += fmt::format("  against it the best takes {:+.2f} % of step time\n",
                       (best.step_time_s / given.step_time_s - 1) * 100);
}

/// What plans are ranked by: milliseconds of a step, or GPU seconds of it where sizes are compared.
struct Ranked {
  TuneGoal by;
  [[nodiscard]] double of(double seconds, int gpus) const {
    return by == TuneGoal::step_time ? seconds * 1e3 : score(by, seconds, gpus);
  }
  [[nodiscard]] std::string_view unit() const { return by == TuneGoal::step_time ? "ms" : "GPU s"; }
  [[nodiscard]] std::string row(std::string_view name, double first, double second) const {
    return fmt::format("  {:<22}{:>11.1f} {}{:>11.1f} {}{:>+11.1f} {}\n", name, first, unit(),
                       second, unit(), first - second, unit());
  }
};

/// Shares of the critical path, those with the largest difference first.
void add_runner_up(std::string& out, const TuneResult& result) {
  if (result.best.size() < 2) return;
  const Report& first = result.best[0].report;
  const Report& second = result.best[1].report;
  const Ranked ranked{result.by};
  const auto width = 12 + ranked.unit().size();
  out += "\nWhy the first is ahead of the second: shares of the step\n";
  out += fmt::format("  {:<22}{:>{}}{:>{}}{:>{}}\n", "", "first", width, "second", width,
                     "difference", width);
  auto rows = EnumNames<Share>::rows;
  const auto of = [&](const Report& report, Share share) {
    return ranked.of(part(report.breakdown, share), report.gpus);
  };
  std::stable_sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) {
    return std::abs(of(first, a.second) - of(second, a.second)) >
           std::abs(of(first, b.second) - of(second, b.second));
  });
  for (const auto& [name, share] : rows) {
    const double one = of(first, share);
    const double two = of(second, share);
    if (one > 0 || two > 0) out += ranked.row(name, one, two);
  }
  out += ranked.row("step", ranked.of(first.step_time_s, first.gpus),
                    ranked.of(second.step_time_s, second.gpus));
}

/// In a cell of a table.
std::string_view short_room(const LegalPlan& plan) {
  if (!plan.fits) return "does not fit";
  return plan.tight ? "tight" : "fits";
}

void add_steps(std::string& out, const TuneResult& result) {
  const TunedPlan& best = result.best.front();
  out += "\nWhat each knob is worth: the first plan with one of them a step down or up\n";
  if (result.steps.empty()) out += "  no legal plan differs in one knob alone\n";
  for (const auto& [knob, changed, refusal] : result.steps) {
    const std::string step =
        fmt::format("{:<10}{:>9} -> {:<9}", name_of(knob), value_text(knob, best.plan.choice[knob]),
                    value_text(knob, changed.plan.choice[knob]));
    if (!refusal.empty()) {
      out += wrapped_line(fmt::format("{}  {}", step, printable(refusal)));
      continue;
    }
    const double change = changed.report.step_time_s / best.report.step_time_s - 1;
    out +=
        fmt::format("  {}{:>9.3f} s{:>+9.2f} %{:>10}  {}\n", step, changed.report.step_time_s,
                    change * 100, gigabytes(changed.plan.memory_bytes), short_room(changed.plan));
  }
}

/// Why the plans that were not simulated need not be.
void add_settled(std::string& out, const TuneResult& result) {
  if (result.simulated >= result.fitting()) return;
  out += wrapped_line(fmt::format(
      "the others cannot be better: their lower bounds are above the worst plan shown{}",
      result.tight() > 0 && !result.allow_tight ? ", those of tight ones above the first" : ""));
}

}  // namespace

std::string tune_text(const TuneHead& head, const TuneResult& result) {
  std::string out = wrapped(printable(head.scenario), 0) + "\n" + changes_text(head.changes);
  if (result.best.empty()) return out + no_plan_text(result);
  out += fmt::format("Best plans by {}", name_of(result.by));
  if (head.usd_per_gpu_hour)
    out += fmt::format("; cost of {} tokens at $ {:g} per GPU hour", token_text(head.tokens),
                       *head.usd_per_gpu_hour);
  out += "\n\n";
  add_plans(out, head, result);
  add_tight_ahead(out, result);
  add_given(out, head, result);
  add_runner_up(out, result);
  add_steps(out, result);
  out += "\n" + counts_text(result);
  add_settled(out, result);
  return out;
}

}  // namespace simtrain
