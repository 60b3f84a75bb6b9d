#include "sim/app/commands/tuning/asked_plans.h"

#include <fmt/format.h>

#include "sim/core/suggestion.h"
#include "sim/study/what_if/scale.h"

namespace simtrain {

namespace po = boost::program_options;

Asked asked(const DataFolder& data, const std::string& path, const po::variables_map& values) {
  Asked asked{data, ScenarioSource::from_file(path), option_value(values, "row").value_or(""),
              parsed_settings(values)};
  if (asked.row.empty() && asked.source.has_table())
    throw InputError({}, "--row",
                     fmt::format("is missing; {}", suggestion("", asked.source.row_names())));
  return asked;
}

std::vector<Scenario> sizes_of(const Asked& asked, const po::variables_map& values) {
  const int per_node = asked.scenario().cluster.node.gpus;
  if (values.count("gpus") > 0 && values.count("nodes") > 0)
    throw InputError({}, "--nodes", "goes without --gpus");
  std::vector<std::vector<Setting>> sizes;
  for (const char* name : {"gpus", "nodes"}) {
    const auto numbers = option_value(values, name);
    if (!numbers) continue;
    const std::string option = std::string("--") + name;
    const int each = option == "--gpus" ? per_node : 1;
    for (const int number : numbers_of(parse_ranges(*numbers, option), option))
      sizes.push_back(on_gpus(asked.settings, number, each, option));
  }
  if (sizes.empty()) sizes.push_back(asked.settings);
  std::vector<Scenario> result;
  result.reserve(sizes.size());
  for (const std::vector<Setting>& settings : sizes) {
    const DraftScenario draft = asked.source.draft(asked.data, asked.row, settings);
    check_cluster(draft.scenario, draft.trees);
    result.push_back(draft.scenario);
  }
  return result;
}

PlanLimits limits_of(const po::variables_map& values) {
  PlanLimits limits;
  for (const std::string& text : option_values(values, "limit")) limits.add(text);
  return limits;
}

double memory_margin_of(const po::variables_map& values) {
  const double margin = *percent_option(values, "memory-margin");
  if (margin >= 1) throw InputError({}, "--memory-margin", "must be below 100");
  return margin;
}

}  // namespace simtrain
