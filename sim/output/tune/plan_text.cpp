#include "sim/output/tune/plan_text.h"

#include <fmt/format.h>

#include "sim/core/printable.h"
#include "sim/output/text/unit_text.h"
#include "sim/output/text/wrapped_text.h"

namespace simtrain {
namespace {

std::string dispatch_text(const PlanChoice& choice) {
  return choice.has(Knob::dispatch) ? value_text(Knob::dispatch, choice[Knob::dispatch]) : "-";
}

std::string skipped_text(const SearchedPlans& result) {
  std::string out;
  for (const auto& [reason, skipped] : result.skipped)
    out += wrapped_line(fmt::format("{} skipped: {}; the first: {} GPUs: {}", skipped.count,
                                    printable(reason), skipped.example.gpus,
                                    text_of(skipped.example)));
  return out;
}

}  // namespace

std::string plan_columns(const PlanChoice& choice, bool dispatch) {
  const std::string experts =
      choice.has(Knob::ep) ? fmt::format("{:>4}{:>4}", choice[Knob::ep], choice[Knob::etp]) : "";
  const std::string schedule =
      choice.has(Knob::schedule)
          ? fmt::format("{:<12}", value_text(Knob::schedule, choice[Knob::schedule]))
          : "";
  return fmt::format("{:>5}{:>3}{:>4}{:>3}{:>3}{:>5}{}{:>4} {:<10}{:<9}{}{}", choice.gpus,
                     choice[Knob::tp], choice[Knob::pp], choice[Knob::vp], choice[Knob::cp],
                     choice[Knob::dp], experts, choice[Knob::mbs],
                     value_text(Knob::recompute, choice[Knob::recompute]),
                     value_text(Knob::account, choice[Knob::account]), schedule,
                     dispatch ? fmt::format("{:<10}", dispatch_text(choice)) : "");
}

std::string head_columns(const PlanChoice& choice, bool dispatch) {
  return fmt::format("{:>5}{:>3}{:>4}{:>3}{:>3}{:>5}{}{:>4} {:<10}{:<9}{}{}", "GPUs", "TP", "PP",
                     "VP", "CP", "DP", choice.has(Knob::ep) ? "  EP ETP" : "", "MBS", "recompute",
                     "account", choice.has(Knob::schedule) ? "schedule    " : "",
                     dispatch ? "dispatch  " : "");
}

std::string counts_text(const SearchedPlans& result) {
  const std::int64_t tight = result.tight();
  return wrapped_line(
             fmt::format("Plans: {} combinations, {} of them legal, {} fit in "
                         "memory{}, {} simulated",
                         result.considered(), result.legal(), result.fitting(),
                         tight > 0 ? fmt::format(" ({} tight)", tight) : "", result.simulated),
             0) +
         skipped_text(result);
}

std::string joules_text(double joules) { return fmt::format("{:#.4g}", joules); }

std::string no_plan_text(const SearchedPlans& result) {
  if (!result.skipped.empty()) {
    return fmt::format("No plan can be simulated: none of the {} that fit\n", result.fitting()) +
           skipped_text(result);
  }
  const LegalPlan* smallest = result.smallest();
  if (smallest != nullptr) {
    const PlanSpace& space = result.spaces.front();
    const std::string margin = result.memory_margin > 0 ? fmt::format(" with a margin of {:g} %",
                                                                      result.memory_margin * 100)
                                                        : std::string();
    return wrapped_line(
               fmt::format("No plan fits: the smallest of {} legal ones needs {} of memory, {} "
                           "are there{}",
                           result.legal(), gigabytes(smallest->memory_bytes),
                           gigabytes(space.capacity_bytes * (1 - result.memory_margin)), margin),
               0) +
           wrapped_line(
               fmt::format("{} GPUs: {}", smallest->choice.gpus, text_of(smallest->choice)));
  }
  if (result.considered() == 0)
    return "No plan is legal: no values that the limits allow multiply to the GPUs, divide\n"
           "  the global batch and split the layers\n";
  std::string out =
      fmt::format("No plan is legal: {} combinations were looked at\n", result.considered());
  for (const PlanSpace& space : result.spaces) {
    for (const auto& [key, refusal] : space.refused)
      out += wrapped_line(fmt::format("{} of them: {}: {}", refusal.count, key, refusal.example));
  }
  return out;
}

}  // namespace simtrain
