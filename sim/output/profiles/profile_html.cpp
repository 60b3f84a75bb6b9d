#include "sim/output/profiles/profile_html.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/core/printable.h"
#include "sim/output/html/coloured_groups.h"
#include "sim/output/html/html.h"
#include "sim/output/profiles/profile_report.h"
#include "sim/output/profiles/profile_rows.h"
#include "sim/output/text/unit_text.h"

namespace simtrain {
namespace {

using PageData = nlohmann::ordered_json;

constexpr std::size_t kShownCalls = 400;
constexpr std::size_t kShownKernels = 100;

std::string seconds_or_none(double seconds, bool there) {
  return there ? seconds_text(seconds) : "-";
}

PageData profile_cells(const NamedRow& named) {
  const KernelRow& row = named.row;
  const PredictedKernels& predicted = row.predicted;
  return {{"name", in_words(named.name)},
          {"summed", named.summed},
          {"predicted", seconds_or_none(predicted.seconds, predicted.calls > 0)},
          {"waiting", seconds_or_none(predicted.waiting_s, predicted.waiting_s > 0)},
          {"measured", seconds_or_none(row.measured_s, row.measured_calls > 0)},
          {"difference", difference_text(predicted.seconds, row.measured_s)},
          {"error", error_text(predicted.seconds, row.measured_s)},
          {"predicted_calls", step_calls_text(static_cast<double>(predicted.calls))},
          {"measured_calls", step_calls_text(row.measured_calls)}};
}

PageData kernels_content(const ProfileComparison& comparison) {
  PageData rows = PageData::array();
  for (const NamedRow& row : named_kernel_rows(comparison)) rows.push_back(profile_cells(row));
  return rows;
}

PageData idle_row(std::string_view what, double busy_s, double whole_s) {
  const double idle_s = std::max(0.0, whole_s - busy_s);
  return {{"what", what},
          {"whole", seconds_text(whole_s)},
          {"busy", seconds_text(busy_s)},
          {"idle", seconds_text(idle_s)},
          {"share", percent_text(whole_s > 0 ? idle_s / whole_s : 0)}};
}

PageData idle_content(const ProfileComparison& comparison) {
  PageData rows = PageData::array();
  rows.push_back(idle_row("predicted", comparison.predicted_busy_s, comparison.predicted_whole_s));
  if (comparison.measured_busy_s && comparison.measured_whole_s)
    rows.push_back(idle_row("measured", *comparison.measured_busy_s, *comparison.measured_whole_s));
  return rows;
}

PageData calls_content(const ProfileComparison& comparison) {
  PageData rows = PageData::array();
  for (const CallRow& row : comparison.calls) {
    if (rows.size() == kShownCalls) break;
    rows.push_back({{"function", name_of(row.shape.function)},
                    {"ranks", row.shape.ranks > 0 ? fmt::format("{}", row.shape.ranks) : "-"},
                    {"type", row.shape.element().name},
                    {"count", grouped(static_cast<double>(row.shape.count))},
                    {"size", call_size(Bytes(std::llround(row.bytes(1))))},
                    {"predicted", row.predicted},
                    {"logged", row.logged},
                    {"verdict", call_verdict(row)}});
  }
  return rows;
}

PageData unclassified_content(const ProfileComparison& comparison) {
  PageData rows = PageData::array();
  for (const ProfiledKernel& kernel : comparison.unclassified) {
    if (rows.size() == kShownKernels) break;
    rows.push_back({{"name", printable(kernel.name)},
                    {"calls", grouped(static_cast<double>(kernel.calls))},
                    {"time", seconds_text(kernel.seconds)}});
  }
  return rows;
}

std::string calls_sentence(const ProfileComparison& comparison) {
  const CallSums sums = call_sums(comparison.calls);
  std::string text = fmt::format(
      "In all steps, by kind and size: {} predicted, {} logged; {} of {} kinds as predicted. {} "
      "predicted, {} logged, by count and type.",
      sums.predicted, sums.logged, sums.alike, comparison.calls.size(),
      gigabytes(sums.predicted_bytes), gigabytes(sums.logged_bytes));
  if (comparison.calls.size() > kShownCalls)
    text += fmt::format(" Shown: the {} of most bytes.", kShownCalls);
  return text;
}

/// What is left out of a profile, and why.
PageData notes_content(const Profile& profile) {
  PageData notes = PageData::array();
  if (profile.gpus > 1)
    notes.push_back(
        {{"note", fmt::format("{} GPUs in one profile; a step counts once a GPU.", profile.gpus)}});
  if (profile.unknown_calls > 0)
    notes.push_back({{"note", fmt::format("The trace does not give the calls of {} kernels of "
                                          "NCCL, in all steps.",
                                          profile.unknown_calls)}});
  if (profile.incomplete)
    notes.push_back({{"note", "Calls were left out, for want of place: this is not all of it."}});
  for (const auto& [reason, count] : profile.skipped.reasons)
    notes.push_back({{"note", fmt::format("Skipped {}: {}.", count, printable(reason))}});
  return notes;
}

PageData comparison_content(const Profile& profile, const ProfileComparison& comparison,
                            std::size_t number, const std::string& as_of) {
  return {{"id", fmt::format("kernels-{}", number)},
          {"path", printable(profile.path)},
          {"format", profile.format},
          {"process", printable(comparison.process)},
          {"rank", comparison.rank},
          {"stage", comparison.stage},
          {"rank_from", comparison.rank_from},
          {"steps", comparison.steps},
          {"steps_from", comparison.steps_from},
          {"as_of", printable(as_of)},
          {"notes", notes_content(profile)},
          {"any_kernels", !comparison.kernels.empty()},
          {"kernels", kernels_content(comparison)},
          {"straggler",
           comparison.straggler_wait_s > 0 ? seconds_text(comparison.straggler_wait_s) : ""},
          {"idle", idle_content(comparison)},
          {"measured_idle", comparison.measured_busy_s.has_value()},
          {"any_calls", as_of.empty() && !comparison.calls.empty()},
          {"calls_sentence", calls_sentence(comparison)},
          {"calls", calls_content(comparison)},
          {"any_unclassified", !comparison.unclassified.empty()},
          {"unclassified", unclassified_content(comparison)}};
}

/// Times by kind, in the order of the table; sums are left out.
PageData kernels_chart(const ProfileComparison& comparison, std::size_t number) {
  PageData rows = PageData::array();
  for (const KernelRow& row : comparison.kernels)
    rows.push_back({{"name", in_words(name_of(row.kind))},
                    {"predicted", row.predicted.seconds},
                    {"waiting", row.predicted.waiting_s},
                    {"measured", row.measured_s}});
  return {{"id", fmt::format("kernels-{}", number)}, {"rows", std::move(rows)}};
}

PageData chart_colours() {
  return {
      {"predicted", group_colour(0)}, {"waiting", group_colour(7)}, {"measured", group_colour(6)}};
}

}  // namespace

std::string profile_html(const std::string& scenario, const std::vector<ProfileReport>& reports) {
  PageData sections = PageData::array();
  PageData charts = PageData::array();
  for (const ProfileReport& report : reports) {
    std::vector<const ProfileComparison*> shown;
    for (const ProfileComparison& comparison : report.comparisons) {
      const auto same = std::find_if(shown.begin(), shown.end(),
                                     [&](const auto* one) { return same_calls(*one, comparison); });
      const std::string as_of = same == shown.end() ? "" : (*same)->process;
      if (as_of.empty()) shown.push_back(&comparison);
      if (!comparison.kernels.empty()) charts.push_back(kernels_chart(comparison, sections.size()));
      sections.push_back(comparison_content(report.profile, comparison, sections.size(), as_of));
    }
  }
  const PageData content{{"title", printable(scenario)}, {"profiles", std::move(sections)}};
  const PageResult carried(profile_json(scenario, reports));
  if (charts.empty()) return html_page("profile", content, carried);
  return html_chart_page("profile", content,
                         {{"colours", chart_colours()}, {"kernels", std::move(charts)}}, carried);
}

}  // namespace simtrain
