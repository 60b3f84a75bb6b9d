#include "sim/study/compare/other_stacks.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "sim/run/uncertainty/uncertainty.h"
#include "sim/study/tune/estimated_step.h"
#include "sim/workload/model/fields/software_fields.h"

namespace simtrain {
namespace {

/// Of ln(measured / predicted).
struct Errors {
  double root_mean_square = 0;
  double largest = 0;
};

Errors errors_of(const std::vector<RunToExplain>& runs, const std::vector<double>& predicted_s) {
  Errors errors;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const double error = std::abs(std::log(runs[i].measured_s / predicted_s[i]));
    errors.root_mean_square += error * error / static_cast<double>(runs.size());
    errors.largest = std::max(errors.largest, error);
  }
  errors.root_mean_square = std::sqrt(errors.root_mean_square);
  return errors;
}

/// Another stack's run, which overlaps tensor parallelism by a table that it knows.
std::vector<Setting> settings_of(const RunToExplain& run, const Recipe& recipe,
                                 const std::string& name, const SoftwareSpec& software) {
  std::vector<Setting> settings = run.settings;
  settings.push_back(parse_setting("software=" + name));
  if (recipe.tp_overlap && !overlaps_by(software, *recipe.tp_overlap))
    settings.push_back(parse_setting(
        fmt::format("overlap.tp_comm_overlap_table={}", usual_overlap_table(software))));
  return settings;
}

/// `recipes`: of the runs.
OtherStack tried(const DataFolder& data, const std::vector<RunToExplain>& runs,
                 const std::vector<Recipe>& recipes, const std::string& name, double noise) {
  OtherStack stack;
  stack.name = name;
  stack.predicted_s.reserve(runs.size());
  try {
    const auto software = data.load<SoftwareSpec>("hardware/software", name, {}, "software");
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const std::vector<Setting> settings = settings_of(runs[i], recipes[i], name, software);
      stack.predicted_s.push_back(step_time(runs[i].source.scenario(data, runs[i].row, settings)));
    }
  } catch (const InputError& error) {
    stack.refusal = error.reason();
    stack.predicted_s.clear();
    return stack;
  }
  stack.errors.reserve(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i)
    stack.errors.push_back(stack.predicted_s[i] / runs[i].measured_s - 1);
  const Errors errors = errors_of(runs, stack.predicted_s);
  stack.left = errors.root_mean_square;
  stack.explains = errors.largest <= noise;
  return stack;
}

std::vector<Recipe> recipes_of(const DataFolder& data, const std::vector<RunToExplain>& runs) {
  std::vector<Recipe> recipes;
  recipes.reserve(runs.size());
  for (const RunToExplain& run : runs)
    recipes.push_back(run.source.scenario(data, run.row, run.settings).recipe);
  return recipes;
}

std::vector<std::string> other_names(const DataFolder& data, const std::vector<Recipe>& recipes) {
  std::vector<std::string> names = data.names("hardware/software");
  std::erase_if(names, [&](const std::string& name) {
    return std::all_of(recipes.begin(), recipes.end(),
                       [&](const Recipe& recipe) { return recipe.software.name == name; });
  });
  return names;
}

}  // namespace

OtherStacks other_stacks(const DataFolder& data, const std::vector<RunToExplain>& runs,
                         const Watch& watch) {
  std::vector<double> predicted;
  predicted.reserve(runs.size());
  for (const RunToExplain& run : runs) predicted.push_back(run.predicted_s);
  const Errors before = errors_of(runs, predicted);
  OtherStacks result;
  result.before = before.root_mean_square;
  result.noise = kNineOfTen * load_uncertainty(data).run_to_run.value;
  result.needed = before.largest > result.noise;
  if (!result.needed) return result;
  const std::vector<Recipe> recipes = recipes_of(data, runs);
  const std::vector<std::string> names = other_names(data, recipes);
  result.stacks.resize(names.size());
  parallel_each(
      names.size(),
      [&](std::size_t i) { result.stacks[i] = tried(data, runs, recipes, names[i], result.noise); },
      watch);
  std::stable_sort(
      result.stacks.begin(), result.stacks.end(), [](const OtherStack& a, const OtherStack& b) {
        return std::pair(!a.refusal.empty(), a.left) < std::pair(!b.refusal.empty(), b.left);
      });
  return result;
}

}  // namespace simtrain
