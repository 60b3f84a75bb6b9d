#include "sim/output/run/energy_report.h"

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/output/sweep/scale_report.h"
#include "sim/output/text/unit_text.h"
#include "sim/output/text/wrapped_text.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kPrintedParts = 100;

std::string with_prefix(double value, std::string_view unit) {
  constexpr std::array<std::pair<double, std::string_view>, 4> kPrefixes{
      {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}}};
  for (const auto& [factor, prefix] : kPrefixes) {
    if (value >= factor) return fmt::format("{:.2f} {}{}", value / factor, prefix, unit);
  }
  return fmt::format("{:.{}f} {}", value, value >= 100 ? 0 : 2, unit);
}

/// "$ 1.20 k of GPUs, $ 80.50 of electricity, 21 kg of CO2e".
std::string cost_text(const StepEnergy& energy, const EnergyCost& cost) {
  std::vector<std::string> parts;
  if (energy.gpu_price) parts.push_back(usd_text(cost.gpu_usd) + " of GPU hours");
  if (energy.electricity_price) parts.push_back(usd_text(cost.electricity_usd) + " of electricity");
  if (energy.grid) parts.push_back(with_prefix(cost.carbon_kg * 1e3, "g") + " of CO2e");
  return fmt::format("{}", fmt::join(parts, ", "));
}

template <class Kind, std::size_t N>
std::string shares_text(const std::array<double, N>& joules, double whole) {
  std::vector<std::string> parts;
  for (const auto& [name, kind] : EnumNames<Kind>::rows) {
    const double share = joules[static_cast<std::size_t>(kind)] / whole;
    if (share > 0) parts.push_back(fmt::format("{} {:.1f} %", name, share * 100));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

template <class Kind, std::size_t N>
Json joules_json(const std::array<double, N>& joules) {
  Json json = Json::object();
  for (const auto& [name, kind] : EnumNames<Kind>::rows)
    json[std::string(name)] = joules[static_cast<std::size_t>(kind)];
  return json;
}

template <class Kind, std::size_t N>
Json share_rows(const std::array<double, N>& joules, double whole, double step_s) {
  Json rows = Json::array();
  for (const auto& [name, kind] : EnumNames<Kind>::rows) {
    const double value = joules[static_cast<std::size_t>(kind)];
    if (value > 0)
      rows.push_back({{"name", in_words(name)},
                      {"energy", energy_text(value)},
                      {"power", power_text(value / step_s)},
                      {"share", percent_text(value / whole)}});
  }
  return rows;
}

Json cost_json(const StepEnergy& energy, const EnergyCost& cost) {
  Json json = Json::object();
  if (energy.gpu_price) json["gpu_usd"] = cost.gpu_usd;
  if (energy.electricity_price) json["electricity_usd"] = cost.electricity_usd;
  if (energy.grid) json["carbon_kg"] = cost.carbon_kg;
  return json;
}

bool has_cost(const StepEnergy& energy) { return energy.priced() || energy.grid; }

/// Watts in whole tenths.
Json tenths(const std::vector<double>& watts) {
  Json json = Json::array();
  for (const double each : watts) json.push_back(std::round(each * 10) / 10);
  return json;
}

std::string swing_text(const StepEnergy& energy) {
  const PowerTrace& trace = energy.trace;
  return fmt::format("{} to {} over the step, all GPUs a swing of {}", power_text(trace.least_w()),
                     power_text(trace.most_w()),
                     power_text((trace.most_w() - trace.least_w()) * energy.gpus));
}

}  // namespace

std::string power_text(double watts) { return with_prefix(watts, "W"); }

std::string energy_text(double joules) { return with_prefix(joules, "J"); }

std::string energy_section(const StepEnergy& energy) {
  if (energy.gpus == 0) return "";
  std::string out = "\nPower and energy\n";
  labelled_line(out, "GPU",
                fmt::format("{} of {}, {}", power_text(energy.gpu_w()), power_text(energy.limit_w),
                            swing_text(energy)));
  labelled_line(out, "Node", power_text(energy.node_w()));
  labelled_line(out, "Cluster",
                fmt::format("{}, PUE {:g}", power_text(energy.cluster_w()), energy.pue));
  labelled_line(out, "Step",
                fmt::format("{}, {} per token", energy_text(energy.total_joules()),
                            energy_text(energy.joules_per_token())));
  labelled_line(out, "1T tokens", fmt::format("{:.1f} MWh", energy.mwh_per_1t_tokens()));
  if (has_cost(energy)) {
    labelled_line(out, "Cost of a step", cost_text(energy, energy.cost));
    labelled_line(out, "of 1T tokens", cost_text(energy, energy.cost_per_1t_tokens()));
  }
  labelled_line(out, "by part", shares_text<PowerPart>(energy.joules, energy.total_joules()));
  labelled_line(out, "of the GPUs",
                shares_text<DrawKind>(energy.gpu_joules, energy.part(PowerPart::gpus)));
  if (!energy.by_rule.empty())
    labelled_line(out, "by rule", fmt::format("{}", fmt::join(energy.by_rule, ", ")));
  return out;
}

Json energy_json(const StepEnergy& energy) {
  if (energy.gpus == 0) return nullptr;
  const PowerTrace& trace = energy.trace;
  Json json{{"mean_power_w",
             {{"gpu", energy.gpu_w()},
              {"gpu_limit", energy.limit_w},
              {"node", energy.node_w()},
              {"cluster", energy.cluster_w()}}},
            {"joules_per_step", energy.total_joules()},
            {"joules_per_token", energy.joules_per_token()},
            {"mwh_per_1t_tokens", energy.mwh_per_1t_tokens()},
            {"pue", energy.pue},
            {"by_part_joules", joules_json<PowerPart>(energy.joules)},
            {"gpus_by_kernel_joules", joules_json<DrawKind>(energy.gpu_joules)},
            {"gpu_power_trace",
             {{"interval_s", energy.step_s / kPrintedParts},
              {"least_w", trace.least_w()},
              {"most_w", trace.most_w()},
              {"swing_of_all_gpus_w", (trace.most_w() - trace.least_w()) * energy.gpus},
              {"mean_w", tenths(trace.means(kPrintedParts))}}}};
  if (has_cost(energy))
    json["cost"] = {{"per_step", cost_json(energy, energy.cost)},
                    {"per_1t_tokens", cost_json(energy, energy.cost_per_1t_tokens())}};
  json["by_rule"] = energy.by_rule;
  return json;
}

Json energy_page(const StepEnergy& energy) {
  Json page{{"gpu", power_text(energy.gpu_w())},
            {"limit", power_text(energy.limit_w)},
            {"swing", swing_text(energy)},
            {"node", power_text(energy.node_w())},
            {"cluster", power_text(energy.cluster_w())},
            {"pue", fmt::format("{:g}", energy.pue)},
            {"step", energy_text(energy.total_joules())},
            {"token", energy_text(energy.joules_per_token())},
            {"mwh", fmt::format("{:.1f}", energy.mwh_per_1t_tokens())},
            {"step_cost", cost_text(energy, energy.cost)},
            {"tokens_cost", cost_text(energy, energy.cost_per_1t_tokens())},
            {"parts", share_rows<PowerPart>(energy.joules, energy.total_joules(), energy.step_s)},
            {"kernels",
             share_rows<DrawKind>(energy.gpu_joules, energy.part(PowerPart::gpus), energy.step_s)},
            {"by_rule", fmt::format("{}", fmt::join(energy.by_rule, ", "))}};
  return page;
}

Json energy_page_data(const StepEnergy& energy) {
  Json stages = Json::array();
  for (const std::vector<double>& watts : energy.trace.stage_w) stages.push_back(tenths(watts));
  return {{"interval_s", energy.trace.interval_s},
          {"limit_w", energy.limit_w},
          {"gpus", energy.gpus},
          {"mean_w", tenths(energy.trace.mean_w)},
          {"stage_w", std::move(stages)}};
}

}  // namespace simtrain
