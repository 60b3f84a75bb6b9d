#include "sim/output/tune/first_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/core/printable.h"
#include "sim/output/sweep/scale_report.h"
#include "sim/output/text/unit_text.h"
#include "sim/output/text/wrapped_text.h"
#include "sim/study/what_if/scale.h"

namespace simtrain {
namespace {

std::string memory_text(const Report& report) {
  const double needed = report.fullest_stage().total();
  return fmt::format("{} of {}, {} to spare{}", gigabytes(needed),
                     gigabytes(report.memory_capacity), gigabytes(report.memory_capacity - needed),
                     report.tight() ? "; tight: fits only with less fragmentation of the allocator "
                                      "than usual, and no plan leaves more"
                                    : "");
}

}  // namespace

std::string first_text(const FirstScenario& first, double tokens) {
  const Report& report = *first.report;
  const Interval interval = report.step_time_interval();
  const TuneResult& search = first.search;
  std::string out = wrapped_line(printable(report.scenario), 0) + "\n";
  labelled_line(out, "Cluster", report.cluster);
  labelled_line(out, "Software", report.software);
  labelled_line(out, "Plan",
                fmt::format("{}; the best of {} that fit", text_of(search.best.front().plan.choice),
                            search.fitting()));
  labelled_line(out, "Step time",
                fmt::format("{}, 90 % interval {} to {}", seconds_text(report.step_time_s),
                            seconds_text(interval.low), seconds_text(interval.high)));
  labelled_line(out, "Throughput", fmt::format("{:.0f} tokens/s", report.tokens_per_s));
  labelled_line(out, "MFU", percent_text(report.mfu));
  labelled_line(out, "Memory", memory_text(report));
  labelled_line(out, token_text(tokens) + " tokens in",
                fmt::format("{:.2f} days", training_run(report, tokens, {}).days));
  labelled_line(out, "Assumed", fmt::format("{}", fmt::join(first.assumed(), ", ")));
  return out;
}

std::string first_comment(const FirstScenario& first, double tokens) {
  std::string out =
      "# Made by 'simtrain new'. ASSUMED marks values that were not given: check those.\n";
  const std::string text = first_text(first, tokens);
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    out += line.empty() ? "#\n" : fmt::format("# {}\n", plain_text(std::string(line)));
    rest.remove_prefix(line.size() + 1);
  }
  return out;
}

std::string no_plan_reason(const TuneResult& search) {
  if (const LegalPlan* smallest = search.smallest(); smallest != nullptr && !search.fitting())
    return fmt::format(
        "no plan fits: the smallest of {} legal ones needs {} of memory, {} are "
        "there ({}); more GPUs would do",
        search.legal(), gigabytes(smallest->memory_bytes),
        gigabytes(search.spaces.front().capacity_bytes), text_of(smallest->choice));
  if (!search.skipped.empty()) return "no plan can be simulated: " + search.skipped.begin()->first;
  for (const PlanSpace& space : search.spaces) {
    for (const auto& [key, refusal] : space.refused)
      return fmt::format("no plan of {} is legal; {} of them: {}: {}", search.considered(),
                         refusal.count, key, refusal.example);
  }
  return "no plan is legal: no sizes multiply to the GPUs, divide the global batch and split the "
         "layers; another --gbs would do";
}

}  // namespace simtrain
