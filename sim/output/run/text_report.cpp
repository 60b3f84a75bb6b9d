#include "sim/output/run/text_report.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "sim/measured/run_metrics.h"
#include "sim/output/run/energy_report.h"
#include "sim/output/run/recipe_report.h"
#include "sim/output/sweep/scale_report.h"
#include "sim/output/text/changes.h"
#include "sim/output/text/unit_text.h"
#include "sim/output/text/wrapped_text.h"

namespace simtrain {
namespace {

std::string sample_text(const StepSample& sample) {
  const Statistics steps = statistics(sample.seconds, DeviationKind::sample);
  const std::string deviation = steps.std ? ", standard deviation " + seconds_text(*steps.std) : "";
  return fmt::format("{} (seed {}): mean {:.3f} s, {:.3f} to {:.3f} s{}", sample.seconds.size(),
                     sample.seed, steps.mean, steps.min, steps.max, deviation);
}

std::string interval_text(const Interval& interval) {
  if (interval.low >= 1) return fmt::format("{:.3f} to {:.3f} s", interval.low, interval.high);
  return seconds_text(interval.low) + " to " + seconds_text(interval.high);
}

/// What makes the interval wide, in its own percent: the three largest causes.
std::string causes_text(const StepError& error) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> causes;
  for (const ErrorCause& cause : error.causes) {
    if (causes.size() == kMost) break;
    causes.push_back(fmt::format("{}{} {}{:.1f} %", cause.slower ? "less tuned " : "", cause.cause,
                                 cause.slower ? "+" : "+-",
                                 kNineOfTen * cause.relative_error * 100));
  }
  return fmt::format("{}", fmt::join(causes, ", "));
}

std::string parameter_text(const ParameterCounts& counts) {
  const auto fullest = static_cast<double>(counts.fullest);
  std::string text = token_text(static_cast<double>(counts.model));
  if (counts.trained != counts.model)
    text += fmt::format(" ({} trained)", token_text(static_cast<double>(counts.trained)));
  if (counts.fullest == counts.model) return text;
  if (fullest == counts.mean) return text + fmt::format(", {} a GPU", token_text(fullest));
  return text +
         fmt::format(", up to {} a GPU (mean {})", token_text(fullest), token_text(counts.mean));
}

std::string step_tokens_text(const Report& report) {
  const TrainingSpec& training = report.recipe.keys.training;
  return fmt::format("{}: {} sequences of {}", report.tokens_per_step(), training.global_batch_size,
                     training.seq_length);
}

std::string goal_text(const Report& report, const std::optional<TrainingGoal>& goal) {
  if (!goal) return fmt::format("{:.2f} days", report.days_per_1t_tokens);
  const TrainingRun run = training_run(report, goal->tokens, goal->usd_per_gpu_hour);
  std::string text = fmt::format("{:.2f} days, {:.0f} GPU hours", run.days, run.gpu_hours);
  if (run.usd)
    text += fmt::format(", {} at $ {:g} per GPU hour", usd_text(*run.usd), *goal->usd_per_gpu_hour);
  return text;
}

void add_headline(std::string& out, const Report& report, const std::optional<TrainingGoal>& goal) {
  out += wrapped(printable(report.scenario), 0) + "\n";
  out += changes_text(changes_of(report)) + "\n";
  labelled_line(out, "Cluster", printable(report.cluster));
  labelled_line(out, "Model", printable(report.model));
  labelled_line(out, "Parameters", parameter_text(report.parameters));
  labelled_line(out, "Software", printable(report.software));
  labelled_line(out, "Recipe", report.layout);
  labelled_line(out, "Tokens a step", step_tokens_text(report));
  for (const std::string& fault : report.faults) labelled_line(out, "Fault", fault);
  out += "\n";
  labelled_line(out, "Step time", seconds_text(report.step_time_s));
  labelled_line(out, "90 % interval", interval_text(report.step_time_interval()));
  labelled_line(out, "which follows", causes_text(report.step_time_error));
  if (report.sample) labelled_line(out, "Steps", sample_text(*report.sample));
  for (const std::string& row : in_row_texts(report)) labelled_line(out, "In a row", row);
  labelled_line(out, "Throughput",
                fmt::format("{:.0f} tokens/s, {:.1f} tokens/s per GPU", report.tokens_per_s,
                            report.tokens_per_s / report.gpus));
  labelled_line(out, "Per GPU",
                fmt::format("{:.2f} TFLOP/s of {:.0f} TFLOP/s", report.tflops_per_gpu,
                            report.peak_tflops_per_gpu));
  labelled_line(out, "MFU",
                fmt::format("{:.2f} % ({})", report.mfu * 100, name_of(report.mfu_convention)));
  labelled_line(out, "SM clock",
                fmt::format("{:.1f} % of the full one, at the power limit", report.clock * 100));
  labelled_line(out, token_text(goal ? goal->tokens : 1e12) + " tokens in",
                goal_text(report, goal));
}

void add_breakdown(std::string& out, const Report& report) {
  out += "\nWhere the step goes (critical path)\n";
  for (const auto& [name, share] : EnumNames<Share>::rows) {
    const double value = part(report.breakdown, share);
    if (value <= 0) continue;
    const double percent = value / report.step_time_s * 100;
    const auto bar = static_cast<std::size_t>(std::lround(percent * 30 / 100));
    out += fmt::format("  {:<22}{:>12}{:>8.2f} %{}\n", name, seconds_text(value), percent,
                       bar > 0 ? "  " + std::string(bar, '#') : "");
  }
  const double sum = std::accumulate(report.breakdown.begin(), report.breakdown.end(), 0.0);
  out += fmt::format("  {:<22}{:>12}{:>8.2f} %\n", "sum", seconds_text(sum),
                     sum / report.step_time_s * 100);
}

void add_communication(std::string& out, const Report& report) {
  out += "\nCommunication of the busiest rank in one step\n";
  std::size_t width = 6;
  for (const CommunicationRow& row : report.communication)
    width = std::max(width, row.group.size() + 1);
  out += fmt::format("  {:<{}}{:<15}{:<21}{:>11}{:>7}{:>9}{:>9}\n", "group", width, "collective",
                     "algorithm", "size", "calls", "total", "exposed");
  for (const CommunicationRow& row : report.communication) {
    const std::string how = fmt::format("{} {}", name_of(row.algorithm), name_of(row.protocol));
    out += fmt::format("  {:<{}}{:<15}{:<21}{:>11}{:>7}{:>7.3f} s{:>7.3f} s\n", row.group, width,
                       name_of(row.collective), how.substr(0, 20), call_size(row.bytes), row.count,
                       row.total_s, row.exposed_s);
  }
}

/// Hops within one GPU do not exist, so that their column is left out.
void add_placement(std::string& out, const Report& report) {
  const PlacementFigures& placement = report.placement;
  out += fmt::format("\nPlacement: {}, {} of {} nodes, ranks {}\n", placement.kind, placement.nodes,
                     placement.available_nodes, placement.rank_order);
  out += fmt::format("  {:<6}", "hops");
  for (const auto& [name, distance] : EnumNames<Distance>::rows) {
    if (distance != Distance::same_gpu) out += fmt::format("{:>12}", name);
  }
  out += "\n";
  for (const HopRow& row : placement.hops) {
    out += fmt::format("  {:<6}", row.group);
    for (std::size_t i = 1; i < kDistances; ++i) out += fmt::format("{:>12}", row.hops[i]);
    out += "\n";
  }
  if (placement.busiest_link) {
    labelled_line(out, "Busiest link",
                  fmt::format("{}, {:.1f} % of the step", placement.busiest_link->name,
                              placement.busiest_link->load * 100));
  }
}

void memory_line(std::string& out, std::string_view name, double bytes, double capacity) {
  if (bytes <= 0) return;
  out += fmt::format("  {:<22}{:>12}{:>8.2f} %\n", name, gigabytes(bytes), bytes / capacity * 100);
}

std::string verdict(const Report& report) {
  const StageMemory& fullest = report.fullest_stage();
  const double margin = report.memory_capacity - fullest.total();
  if (margin < 0)
    return fmt::format("does not fit: {} too much for {}", gigabytes(-margin),
                       gigabytes(report.memory_capacity));
  const std::string spare =
      fmt::format("{} to spare of {}", gigabytes(margin), gigabytes(report.memory_capacity));
  if (!report.tight()) return "fits, " + spare;
  return fmt::format(
      "fits, but tight: {}, and fragmentation of the allocator would take {} where there is room",
      spare, gigabytes(fullest.fragmentation));
}

/// What the ranks of the fullest stage have on their hosts, and whether the fullest host takes it.
void add_host_memory(std::string& out, const Report& report) {
  const HostMemory& host = *report.host_memory;
  const StageMemory& most = *std::max_element(
      report.memory.begin(), report.memory.end(),
      [](const StageMemory& a, const StageMemory& b) { return a.host() < b.host(); });
  out += fmt::format("\nMemory of hosts: a rank of stage {} of {}, and all of one host\n",
                     &most - report.memory.data() + 1, report.memory.size());
  memory_line(out, "activations", most.host_activations, host.capacity);
  memory_line(out, "optimizer", most.host_optimizer, host.capacity);
  memory_line(out, "weights", most.host_weights, host.capacity);
  memory_line(out, "sum of the host", host.bytes, host.capacity);
  const double margin = host.capacity - host.bytes;
  out += host.fits() ? fmt::format("  fits, {} to spare of {}\n", gigabytes(margin),
                                   gigabytes(host.capacity))
                     : fmt::format("  does not fit: {} too much for {}\n", gigabytes(-margin),
                                   gigabytes(host.capacity));
}

void add_memory(std::string& out, const Report& report) {
  if (report.memory.empty()) return;
  const StageMemory& fullest = report.fullest_stage();
  out += fmt::format("\nMemory of the fullest stage ({} of {}), at the worst moment\n",
                     &fullest - report.memory.data() + 1, report.memory.size());
  const auto add = [&](std::string_view name, double bytes) {
    memory_line(out, name, bytes, report.memory_capacity);
  };
  add("weights", fullest.weights - fullest.fp8_copies);
  add("fp8_copies", fullest.fp8_copies);
  add("gradients", fullest.gradients);
  add("optimizer", fullest.optimizer);
  add("gemm_workspaces", fullest.workspaces);
  add("activations", fullest.activations);
  add("loss", fullest.loss);
  add("temporary", fullest.temporary);
  add("allocated", fullest.allocated());
  add("cuda_context", fullest.cuda_context);
  add("communicators", fullest.communicators);
  add("user_buffers", fullest.user_buffers);
  add("dispatcher_buffers", fullest.dispatcher_buffers);
  add("sum", fullest.total());
  out += "  " + wrapped(verdict(report), 2) + "\n";
  if (report.host_memory) add_host_memory(out, report);
}

/// What all rows of a table have changed, each change once; what they were may differ by row.
std::string table_changes(const std::vector<Report>& reports) {
  std::vector<std::string> lines;
  const auto add = [&](std::string line) {
    if (std::find(lines.begin(), lines.end(), line) == lines.end())
      lines.push_back(std::move(line));
  };
  for (const Report& report : reports) {
    if (report.changed_from) {
      for (const KeyChange& change : report.changed_from->keys)
        add(fmt::format("changed: {} to {}", change.key, change.to));
    }
    for (const KeyChange& change : report.hardware)
      add(fmt::format("changed: {} {} -> {}", change.key, change.from, change.to));
  }
  std::string out;
  for (const std::string& line : lines) out += wrapped_line(printable(line), 0);
  return lines.empty() ? out : out + "\n";
}

}  // namespace

std::vector<std::string> in_row_texts(const Report& report) {
  std::vector<std::string> texts;
  for (const StepsInRow& row : report.steps_in_row) {
    std::string which = fmt::format("step {}", row.first);
    if (row.count == 0) which += " and all after it";
    if (row.count > 1) which = fmt::format("steps {} to {}", row.first, row.first + row.count - 1);
    const double usual = row.step_time_s - row.slower_s;
    const std::string start = row.start_s > 0 ? seconds_text(row.start_s) : "0 s";
    texts.push_back(fmt::format("{}, from {} on: {}, {:+.2f} %", which, start,
                                seconds_text(row.step_time_s), row.slower_s / usual * 100));
  }
  return texts;
}

std::string text_report(const Report& report, const std::optional<TrainingGoal>& goal) {
  std::string out;
  add_headline(out, report, goal);
  add_breakdown(out, report);
  add_communication(out, report);
  add_placement(out, report);
  add_memory(out, report);
  out += energy_section(report.energy);
  const EngineFigures& engine = report.engine;
  return out + "\n" +
         wrapped_line(
             fmt::format("Engine: {} events, {} of {} ranks simulated, fingerprint {}",
                         engine.events, engine.ranks_simulated, engine.ranks, engine.fingerprint),
             0);
}

std::string_view room_text(const Report& report) {
  if (!report.fits()) return "does not fit";
  return report.tight() ? "fits, but tight" : "fits";
}

std::string recipe_text(const Report& report) {
  return "\nRecipe as simulated, every key, as a scenario file\n" + recipe_yaml(report.recipe, 2);
}

namespace {

std::string_view memory_word(const Report& report) {
  if (!report.fits()) return "no fit";
  return report.tight() ? "tight" : "fits";
}

std::string goal_table(const std::vector<std::string>& row_names,
                       const std::vector<Report>& reports, const TrainingGoal& goal) {
  std::string out = fmt::format("\n{} tokens", token_text(goal.tokens));
  if (goal.usd_per_gpu_hour) out += fmt::format(" at $ {:g} per GPU hour", *goal.usd_per_gpu_hour);
  out += fmt::format("\n{:<14}{:>6}{:>12}{:>14}{}\n", "row", "GPUs", "days", "GPU hours",
                     goal.usd_per_gpu_hour ? fmt::format("{:>12}", "cost") : "");
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const TrainingRun run = training_run(reports[i], goal.tokens, goal.usd_per_gpu_hour);
    out += fmt::format("{:<14}{:>6}{:>12.2f}{:>14.0f}{}\n", printable(row_names[i]),
                       reports[i].gpus, run.days, run.gpu_hours,
                       run.usd ? fmt::format("{:>12}", usd_text(*run.usd)) : "");
  }
  return out;
}

}  // namespace

std::string text_table(const std::vector<std::string>& row_names,
                       const std::vector<Report>& reports,
                       const std::optional<TrainingGoal>& goal) {
  std::string out = table_changes(reports);
  out += fmt::format("{:<14}{:>6}{:>12}{:>14}{:>12}{:>9}{:>9}\n", "row", "GPUs", "step time",
                     "tokens/s", "TFLOP/s/GPU", "MFU", "memory");
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const Report& report = reports[i];
    out +=
        fmt::format("{:<14}{:>6}{:>10.3f} s{:>14.0f}{:>12.2f}{:>7.2f} %{:>9}\n",
                    printable(row_names[i]), report.gpus, report.step_time_s, report.tokens_per_s,
                    report.tflops_per_gpu, report.mfu * 100, memory_word(report));
  }
  return goal ? out + goal_table(row_names, reports, *goal) : out;
}

}  // namespace simtrain
