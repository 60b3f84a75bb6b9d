#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "sim/output/html/html.h"
#include "sim/output/sweep/scale_report.h"
#include "sim/output/text/unit_text.h"
#include "sim/output/tune/front_report.h"
#include "sim/output/tune/plan_page.h"
#include "sim/output/tune/plan_text.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

/// How an objective is called, and its figure on a chart.
struct ShownObjective {
  std::string_view name;
  std::string_view unit;
  double factor = 1;
};

ShownObjective shown(Objective objective) {
  switch (objective) {
    case Objective::step_time:
      return {"step time", "s", 1};
    case Objective::price:
      return {"price of 1T tokens", "USD", 1};
    case Objective::memory:
      return {"memory of the fullest GPU", "GB", 1e-9};
    case Objective::energy:
      return {"energy of a token", "J", 1};
  }
  return {};
}

Json front_row(const Front& front, const FrontPlan& plan, std::size_t number) {
  return {{"number", number},
          {"cells", plan_cells(plan.plan.choice)},
          {"step", fmt::format("{:.3f}", plan.row.step_time_s)},
          {"mfu", percent_text(plan.row.mfu)},
          {"memory", gigabytes(plan.plan.memory_bytes)},
          {"spare", gigabytes(front.spare_bytes(plan.plan))},
          {"bad", plan.plan.tight},
          {"room", plan.plan.tight ? "tight" : "fits"},
          {"joules", joules_text(plan.row.joules_per_token)},
          {"usd", front.usd_per_gpu_hour > 0 ? usd_text(plan.usd_per_1t_tokens) : ""}};
}

Json found_section(const Front& front) {
  Json rows = Json::array();
  for (const FrontPlan& plan : front.plans) {
    if (plan.on_front) rows.push_back(front_row(front, plan, rows.size() + 1));
  }
  Json charts = Json::array();
  const ShownObjective first = shown(front.objectives.front());
  for (std::size_t i = 1; i < front.objectives.size(); ++i) {
    const ShownObjective other = shown(front.objectives[i]);
    charts.push_back({{"id", fmt::format("front-{}", i)},
                      {"about", fmt::format("{} against {}", first.name, other.name)}});
  }
  return {{"plans", std::move(rows)},
          {"knobs", knob_names(front.plans.front().plan.choice)},
          {"charts", std::move(charts)}};
}

Json front_charts(const Front& front) {
  Json objectives = Json::array();
  for (const Objective objective : front.objectives) {
    const ShownObjective one = shown(objective);
    objectives.push_back({{"name", one.name}, {"unit", one.unit}});
  }
  Json plans = Json::array();
  for (const FrontPlan& plan : front.plans) {
    Json figures = Json::array();
    for (std::size_t i = 0; i < plan.figures.size(); ++i)
      figures.push_back(plan.figures[i] * shown(front.objectives[i]).factor);
    plans.push_back(
        {{"name", fmt::format("{} GPUs: {}", plan.plan.choice.gpus, text_of(plan.plan.choice))},
         {"front", plan.on_front},
         {"figures", std::move(figures)}});
  }
  return {{"objectives", std::move(objectives)}, {"plans", std::move(plans)}};
}

}  // namespace

std::string front_html(const FrontHead& head, const Front& front) {
  const bool found = !front.plans.empty();
  std::vector<std::string_view> names;
  for (const Objective objective : front.objectives) names.push_back(shown(objective).name);
  const auto general = [](double value) { return fmt::format("{:g}", value); };
  const Json content{{"title", "Front of plans of " + head.scenario},
                     {"objectives", fmt::format("{}", fmt::join(names, ", "))},
                     {"margin", front.memory_margin > 0 ? general(front.memory_margin * 100) : ""},
                     {"price", front.usd_per_gpu_hour > 0 ? general(front.usd_per_gpu_hour) : ""},
                     {"changes", changes_page(head.changes)},
                     {"on_front", front.on_front()},
                     {"counts", counts_section(front)},
                     {"sought", "the front"},
                     {"none", found ? nullptr : no_plan_section(front)},
                     {"found", found ? found_section(front) : nullptr},
                     {"skipped", skipped_rows(front)}};
  const PageResult carried(front_json(head, front));
  if (!found) return html_page("front", content, carried);
  return html_chart_page("front", content, front_charts(front), carried);
}

}  // namespace simtrain
