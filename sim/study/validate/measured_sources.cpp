#include "sim/study/validate/measured_sources.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "sim/core/threads/parallel_each.h"
#include "sim/run/simulate.h"

namespace simtrain {
namespace {

/// A row still to simulate.
struct Planned {
  MeasuredSourceRow row;
  ScenarioSource scenario;
};

void plan_table(const Document& document, const DocumentedTable& table,
                const ScenarioSource& scenario, std::vector<Planned>& planned) {
  for (const DocumentedRow& row : table.rows) {
    const std::optional<double> measured = table.value(row, FigureName::step_time);
    if (!measured) continue;
    MeasuredSourceRow plan;
    plan.source = document.source.empty() ? document.document : document.source;
    plan.framework = document.framework;
    plan.year = document.year;
    plan.precision = table.precision;
    plan.grade = table.grade;
    plan.scenario = table.scenario;
    plan.row = row.row;
    plan.measured_s = *measured;
    planned.push_back({std::move(plan), scenario});
  }
}

void plan_file(const DataFolder& data, const std::string& path, std::vector<Planned>& planned) {
  const DocumentedFile file = read_documented(path);
  for (const Document& document : file.documents) {
    for (const DocumentedTable& table : document.tables) {
      if (table.use != TableUse::headline) continue;
      plan_table(document, table, ScenarioSource::from_file(file.scenario_path(data.root(), table)),
                 planned);
    }
  }
}

void simulate_row(const DataFolder& data, Planned& plan) {
  const Scenario scenario = plan.scenario.scenario(data, plan.row.row, {});
  const Report report = simulate(scenario);
  plan.row.gpu = scenario.cluster.gpu.name;
  plan.row.stack = scenario.recipe.knowledge();
  plan.row.predicted_s = report.step_time_s;
  plan.row.error = report.step_time_error;
}

/// A source's scenario.
using SourceRecipe = std::pair<std::string, std::string>;

double logarithm(const MeasuredSourceRow& row) {
  return std::log(row.measured_s / row.predicted_s);
}

/// Mean logarithm of measured over predicted by recipe, of stacks known so well.
std::map<SourceRecipe, double> mean_logarithms(const std::vector<MeasuredSourceRow>& rows,
                                               StackKnowledge known) {
  std::map<SourceRecipe, std::pair<double, double>> sums;
  for (const MeasuredSourceRow& row : rows) {
    if (row.stack != known) continue;
    auto& [sum, count] = sums[{row.source, row.scenario}];
    sum += logarithm(row);
    count += 1;
  }
  std::map<SourceRecipe, double> means;
  for (const auto& [recipe, sum] : sums) means[recipe] = sum.first / sum.second;
  return means;
}

double quadratic_mean(const std::vector<double>& values) {
  double squares = 0;
  for (const double value : values) squares += value * value;
  return std::sqrt(squares / static_cast<double>(values.size()));
}

/// What the runs of each source are slower, the root of their mean square.
std::vector<double> slowness_by_source(const std::vector<MeasuredSourceRow>& rows,
                                       StackKnowledge known) {
  std::map<std::string, std::vector<double>> sources;
  for (const MeasuredSourceRow& row : rows) {
    if (row.stack == known) sources[row.source].push_back(std::max(0.0, logarithm(row)));
  }
  std::vector<double> means;
  means.reserve(sources.size());
  for (const auto& [source, slower] : sources) means.push_back(quadratic_mean(slower));
  return means;
}

using Members = std::vector<std::size_t>;  ///< places of rows

MeasuredGroup group_of(std::string name, const std::vector<MeasuredSourceRow>& rows,
                       const std::vector<MeasuredSourceRow>& others, const Members& members) {
  MeasuredGroup group;
  group.name = std::move(name);
  std::vector<double> errors;
  errors.reserve(members.size());
  for (const std::size_t i : members) {
    errors.push_back(rows[i].relative());
    const double share = 1.0 / static_cast<double>(members.size());
    if (rows[i].covered()) group.covered += share;
    if (others[i].covered()) group.covered_others += share;
  }
  group.errors = error_summary(errors);
  return group;
}

}  // namespace

std::vector<MeasuredSourceRow> measured_sources(const DataFolder& data, const Watch& watch) {
  const std::string folder = "validation/measured";
  std::vector<Planned> planned;
  for (const std::string& name : data.names(folder))
    plan_file(data, fmt::format("{}/{}/{}.yaml", data.root(), folder, name), planned);
  if (planned.empty())
    throw InputError({data.root() + "/" + folder}, "", "holds no file of measured runs");
  parallel_each(
      planned.size(), [&](std::size_t i) { simulate_row(data, planned[i]); }, watch);
  std::vector<MeasuredSourceRow> rows;
  rows.reserve(planned.size());
  for (Planned& plan : planned) rows.push_back(std::move(plan.row));
  return rows;
}

double slowness(const std::vector<MeasuredSourceRow>& rows, StackKnowledge known) {
  const std::map<SourceRecipe, double> means = mean_logarithms(rows, known);
  if (means.empty()) return 0;
  std::vector<double> slower;
  slower.reserve(means.size());
  for (const auto& [recipe, mean] : means) slower.push_back(std::max(0.0, mean));
  const auto tenth = slower.begin() + static_cast<std::ptrdiff_t>(slower.size() / 10);
  std::nth_element(slower.begin(), tenth, slower.end(), std::greater<>());
  return std::max({quadratic_mean(slower), *tenth / kNineOfTen,
                   quadratic_mean(slowness_by_source(rows, known))});
}

std::vector<MeasuredSourceRow> with_errors_of_others(const std::vector<MeasuredSourceRow>& rows) {
  std::vector<MeasuredSourceRow> result = rows;
  std::map<std::pair<std::string, StackKnowledge>, double> known;
  for (MeasuredSourceRow& row : result) {
    if (row.stack == StackKnowledge::fitted) continue;
    const auto [place, fresh] = known.try_emplace({row.source, row.stack});
    if (fresh) {
      std::vector<MeasuredSourceRow> others;
      std::copy_if(rows.begin(), rows.end(), std::back_inserter(others),
                   [&](const MeasuredSourceRow& other) { return other.source != row.source; });
      place->second = slowness(others, row.stack);
    }
    row.error.slower = place->second;
  }
  return result;
}

std::vector<MeasuredGrouping> measured_groupings(const std::vector<MeasuredSourceRow>& rows) {
  const std::vector<MeasuredSourceRow> others = with_errors_of_others(rows);
  using Name = std::function<std::string(const MeasuredSourceRow&)>;
  const std::vector<std::pair<std::string, Name>> properties{
      {"source", [](const MeasuredSourceRow& row) { return row.source; }},
      {"GPU", [](const MeasuredSourceRow& row) { return row.gpu; }},
      {"precision",
       [](const MeasuredSourceRow& row) { return std::string(name_of(row.precision)); }},
      {"framework", [](const MeasuredSourceRow& row) { return row.framework; }},
      {"year", [](const MeasuredSourceRow& row) { return fmt::format("{}", row.year); }},
      {"grade", [](const MeasuredSourceRow& row) { return std::string(name_of(row.grade)); }},
      {"stack", [](const MeasuredSourceRow& row) { return std::string(name_of(row.stack)); }}};
  Members all;
  Members stated;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    all.push_back(i);
    if (rows[i].grade != Grade::searched) stated.push_back(i);
  }
  std::vector<MeasuredGrouping> groupings{{"all", {group_of("all", rows, others, all)}}};
  groupings.front().groups.push_back(group_of("grades A and B", rows, others, stated));
  for (const auto& [by, name] : properties) {
    std::map<std::string, Members> members;
    for (const std::size_t i : all) members[name(rows[i])].push_back(i);
    MeasuredGrouping& grouping = groupings.emplace_back();
    grouping.by = by;
    for (const auto& [group, places] : members)
      grouping.groups.push_back(group_of(group, rows, others, places));
  }
  return groupings;
}

}  // namespace simtrain
