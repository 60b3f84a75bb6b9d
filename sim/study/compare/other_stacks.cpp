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
std::vector<Setting> settings_of(const DataFolder& data, const RunToExplain& run,
                                 const std::string& name) {
  std::vector<Setting> settings = run.settings;
  settings.push_back(parse_setting("software=" + name));
  const std::optional<TpOverlapTable> table =
      run.source.scenario(data, run.row, run.settings).recipe.tp_overlap;
  const auto software = data.load<SoftwareSpec>("hardware/software", name, {}, "software");
  if (table && !overlaps_by(software, *table))
    settings.push_back(parse_setting(
        fmt::format("overlap.tp_comm_overlap_table={}", usual_overlap_table(software))));
  return settings;
}

OtherStack tried(const DataFolder& data, const std::vector<RunToExplain>& runs,
                 const std::string& name, double noise) {
  OtherStack stack;
  stack.name = name;
  stack.predicted_s.reserve(runs.size());
  try {
    for (const RunToExplain& run : runs) {
      const std::vector<Setting> settings = settings_of(data, run, name);
      stack.predicted_s.push_back(step_time(run.source.scenario(data, run.row, settings)));
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

std::vector<std::string> other_names(const DataFolder& data,
                                     const std::vector<RunToExplain>& runs) {
  std::vector<std::string> names = data.names("hardware/software");
  std::vector<std::string> own;
  own.reserve(runs.size());
  for (const RunToExplain& run : runs)
    own.push_back(run.source.scenario(data, run.row, run.settings).recipe.software.name);
  std::erase_if(names, [&](const std::string& name) {
    return std::all_of(own.begin(), own.end(), [&](const std::string& one) { return one == name; });
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
  const std::vector<std::string> names = other_names(data, runs);
  result.stacks.resize(names.size());
  parallel_each(
      names.size(),
      [&](std::size_t i) { result.stacks[i] = tried(data, runs, names[i], result.noise); }, watch);
  std::stable_sort(
      result.stacks.begin(), result.stacks.end(), [](const OtherStack& a, const OtherStack& b) {
        return std::pair(!a.refusal.empty(), a.left) < std::pair(!b.refusal.empty(), b.left);
      });
  return result;
}

}  // namespace simtrain
