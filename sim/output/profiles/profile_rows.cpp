#include "sim/output/profiles/profile_rows.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "sim/output/text/unit_text.h"

namespace simtrain {
namespace {

/// Kinds that a table sums up.
struct KindGroup {
  std::string_view name;
  KernelKind first{};
  KernelKind last{};

  [[nodiscard]] bool holds(KernelKind kind) const { return kind >= first && kind <= last; }
};

constexpr std::array kGroups{
    KindGroup{"gemm", KernelKind::gemm, KernelKind::gemm},
    KindGroup{"attention", KernelKind::attention, KernelKind::attention},
    KindGroup{"memory_bound", KernelKind::norm, KernelKind::optimizer},
    KindGroup{"user_buffers", KernelKind::user_buffers, KernelKind::user_buffers},
    KindGroup{"expert_exchange", KernelKind::expert_exchange, KernelKind::expert_exchange},
    KindGroup{"nccl", KernelKind::nccl_all_reduce, KernelKind::nccl_other},
    KindGroup{"copy", KernelKind::copy, KernelKind::copy},
    KindGroup{"unclassified", KernelKind::unclassified, KernelKind::unclassified}};

void add_kernel_row(KernelRow& sum, const KernelRow& row) {
  sum.predicted.calls += row.predicted.calls;
  sum.predicted.seconds += row.predicted.seconds;
  sum.predicted.waiting_s += row.predicted.waiting_s;
  sum.measured_calls += row.measured_calls;
  sum.measured_s += row.measured_s;
}

/// "11.9 s of 12.7 s (93.70 %)".
std::string busy_part(double busy_s, double whole_s) {
  return fmt::format("{} of {} ({})", seconds_text(busy_s), seconds_text(whole_s),
                     percent_text(whole_s > 0 ? busy_s / whole_s : 0));
}

}  // namespace

std::vector<NamedRow> named_kernel_rows(const ProfileComparison& comparison) {
  std::vector<NamedRow> result;
  KernelRow all;
  for (const KindGroup& group : kGroups) {
    std::vector<NamedRow> kinds;
    KernelRow sum;
    for (const KernelRow& row : comparison.kernels) {
      if (!group.holds(row.kind)) continue;
      kinds.push_back({fmt::format("  {}", name_of(row.kind)), row, false});
      add_kernel_row(sum, row);
    }
    if (kinds.empty()) continue;
    add_kernel_row(all, sum);
    result.push_back({std::string(group.name), sum, true});
    if (group.first != group.last) result.insert(result.end(), kinds.begin(), kinds.end());
  }
  result.push_back({"sum", all, true});
  return result;
}

std::string difference_text(double predicted, double measured) {
  if (!(predicted > 0) || !(measured > 0)) return "-";
  return (predicted < measured ? "" : "+") + seconds_text(predicted - measured);
}

std::string error_text(double predicted, double measured) {
  constexpr double kMostShown = 100;
  if (!(predicted > 0) || !(measured > 0) || predicted > kMostShown * measured) return "-";
  return fmt::format("{:+.1f} %", (predicted / measured - 1) * 100);
}

std::string step_calls_text(double count) {
  if (!(count > 0)) return "-";
  return count == std::floor(count) ? fmt::format("{:.0f}", count) : fmt::format("{:.1f}", count);
}

std::string_view call_verdict(const CallRow& row) {
  if (row.predicted == row.logged) return "";
  if (row.logged == 0) return "missing";
  if (row.predicted == 0) return "extra";
  return row.logged < row.predicted ? "fewer" : "more";
}

nlohmann::ordered_json call_shape_json(const CallShape& shape) {
  using nlohmann::ordered_json;
  return {{"function", name_of(shape.function)},
          {"ranks", shape.ranks > 0 ? ordered_json(shape.ranks) : ordered_json(nullptr)},
          {"type", shape.element().name},
          {"count", shape.count},
          {"bytes", shape.bytes()}};
}

CallSums call_sums(const std::vector<CallRow>& rows) {
  CallSums sums;
  for (const CallRow& row : rows) {
    sums.predicted += row.predicted;
    sums.logged += row.logged;
    sums.predicted_bytes += row.bytes(row.predicted);
    sums.logged_bytes += row.bytes(row.logged);
    if (row.predicted == row.logged) ++sums.alike;
  }
  return sums;
}

bool same_calls(const ProfileComparison& one, const ProfileComparison& other) {
  const auto same = [](const CallRow& a, const CallRow& b) {
    return a.shape == b.shape && a.predicted == b.predicted && a.logged == b.logged;
  };
  return !one.process.empty() && !other.process.empty() && one.steps == other.steps &&
         std::equal(one.calls.begin(), one.calls.end(), other.calls.begin(), other.calls.end(),
                    same);
}

std::string busy_text(const ProfileComparison& comparison) {
  std::string text =
      busy_part(comparison.predicted_busy_s, comparison.predicted_whole_s) + " predicted";
  if (comparison.measured_busy_s && comparison.measured_whole_s)
    text += fmt::format(", {} measured",
                        busy_part(*comparison.measured_busy_s, *comparison.measured_whole_s));
  return text;
}

}  // namespace simtrain
