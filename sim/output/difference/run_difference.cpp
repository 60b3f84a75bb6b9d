#include "sim/output/difference/run_difference.h"

#include <fmt/format.h>

#include "sim/output/run/page/run_html_memory.h"
#include "sim/output/text/unit_text.h"

namespace simtrain {
namespace {

/// "-1.86 %"; nothing where there is nothing to compare with.
std::string relative_change(double run, double against) {
  return against > 0 ? fmt::format("{:+.2f} %", (run / against - 1) * 100) : "";
}

std::string signed_seconds(double seconds) {
  return (seconds < 0 ? "" : "+") + seconds_text(seconds);
}

std::string signed_gigabytes(double bytes) { return fmt::format("{:+.1f} GB", bytes / 1e9); }

template <class Value>
DifferenceLine number_line(std::string name, const std::string& format, Value against, Value run) {
  return {std::move(name), fmt::format(fmt::runtime(format), against),
          fmt::format(fmt::runtime(format), run),
          relative_change(static_cast<double>(run), static_cast<double>(against))};
}

}  // namespace

RunDifference run_difference(const RunSide& run, const RunSide& against) {
  RunDifference difference{run, against, {}, recipe_difference(against.scenario, run.scenario)};
  for (const auto& row : EnumNames<Share>::rows) {
    const PartDifference one{row.second, part(against.report.breakdown, row.second),
                             part(run.report.breakdown, row.second)};
    if (one.against_s != 0 || one.run_s != 0) difference.parts.push_back(one);
  }
  return difference;
}

std::vector<DifferenceLine> figure_lines(const RunDifference& difference) {
  const Report& run = difference.run.report;
  const Report& against = difference.against.report;
  std::vector<DifferenceLine> lines{
      {"step time", seconds_text(against.step_time_s), seconds_text(run.step_time_s),
       relative_change(run.step_time_s, against.step_time_s)},
      {"MFU", percent_text(against.mfu), percent_text(run.mfu),
       fmt::format("{:+.2f} points", (run.mfu - against.mfu) * 100)},
      number_line("TFLOP/s a GPU", "{:.2f}", against.tflops_per_gpu, run.tflops_per_gpu),
      number_line("tokens/s", "{:.0f}", against.tokens_per_s, run.tokens_per_s),
      number_line("tokens/s a GPU", "{:.1f}", against.tokens_per_s / against.gpus,
                  run.tokens_per_s / run.gpus),
      number_line("GPUs", "{}", against.gpus, run.gpus),
      number_line("tokens a step", "{}", against.tokens_per_step(), run.tokens_per_step())};
  if (against.mfu_convention != run.mfu_convention)
    lines.push_back({"MFU convention", std::string(name_of(against.mfu_convention)),
                     std::string(name_of(run.mfu_convention)), ""});
  return lines;
}

std::vector<DifferenceLine> part_lines(const RunDifference& difference) {
  std::vector<DifferenceLine> lines;
  for (const PartDifference& one : difference.parts)
    lines.push_back({std::string(name_of(one.share)), seconds_text(one.against_s),
                     seconds_text(one.run_s), signed_seconds(one.change_s())});
  lines.push_back({"step", seconds_text(difference.against.report.step_time_s),
                   seconds_text(difference.run.report.step_time_s),
                   signed_seconds(difference.change_s())});
  return lines;
}

std::vector<DifferenceLine> memory_lines(const RunDifference& difference) {
  const Report& run = difference.run.report;
  const Report& against = difference.against.report;
  std::vector<DifferenceLine> lines;
  if (run.memory.empty() || against.memory.empty()) return lines;
  const std::vector<MemoryPart> before = memory_parts(against.fullest_stage());
  const std::vector<MemoryPart> after = memory_parts(run.fullest_stage());
  const auto add = [&](std::string_view name, double one, double other) {
    if (one > 0 || other > 0)
      lines.push_back(
          {std::string(name), gigabytes(one), gigabytes(other), signed_gigabytes(other - one)});
  };
  for (std::size_t i = 0; i < before.size(); ++i)
    add(before[i].name, before[i].bytes, after[i].bytes);
  add("in all", against.fullest_stage().total(), run.fullest_stage().total());
  add("capacity of a GPU", against.memory_capacity, run.memory_capacity);
  return lines;
}

}  // namespace simtrain
