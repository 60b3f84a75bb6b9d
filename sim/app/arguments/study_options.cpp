#include "sim/app/arguments/study_options.h"

#include <cmath>

#include "sim/app/program_files.h"
#include "sim/core/input/number_text.h"

namespace simtrain {

std::string one_scenario(const CommandCall& call,
                         const boost::program_options::variables_map& values,
                         const std::string& command) {
  const std::vector<std::string> files = plain_arguments(values);
  if (files.size() != 1 || files.front().empty())
    throw InputError(
        {}, "", fmt::format("{0} takes one scenario file; 'simtrain help {0}' shows how", command));
  return scenario_file(call, files.front());
}

void require_row(const ScenarioSource& source, const std::string& path, const std::string& row) {
  if (!source.has_table() || !row.empty()) return;
  throw InputError({path}, "--row",
                   fmt::format("the scenario has a table; {}", suggestion("", source.row_names())));
}

void note_gpus(const Console& console, const std::string& note) {
  if (!note.empty()) console.note(fmt::format("simtrain: note: {}\n", note));
}

void note_gpus(const Console& console, const Scenario& scenario) {
  if (scenario.changed_from) note_gpus(console, scenario.changed_from->gpus);
}

double tokens_option(const boost::program_options::variables_map& values) {
  const auto& text = values["tokens"].as<std::string>();
  std::string_view suffix = text;
  const double number = take_number<double>(suffix).value_or(0);
  const double unit = suffix.empty() ? 1 : suffix == "B" ? 1e9 : suffix == "T" ? 1e12 : 0;
  const double tokens = number * unit;
  if (!(tokens >= 1) || tokens > 1e18)
    throw InputError({}, "--tokens",
                     fmt::format("'{}' is no number of tokens; 15T, 300B or 1e12 would do", text));
  return tokens;
}

std::optional<double> price_option(const boost::program_options::variables_map& values) {
  if (values.count("price") == 0) return std::nullopt;
  const double price = values["price"].as<double>();
  if (!(price > 0) || price > 1e6)
    throw InputError({}, "--price", "must be the dollars of a GPU hour, more than 0 and up to 1e6");
  return price;
}

int jobs_option(const boost::program_options::variables_map& values) {
  constexpr int kMostJobs = 4096;
  const std::optional<int> jobs = int_option(values, "jobs");
  if (jobs && (*jobs < 1 || *jobs > kMostJobs))
    throw InputError({}, "--jobs",
                     fmt::format("'{}' is out of range; 1 to {} would do", *jobs, kMostJobs));
  return jobs.value_or(0);
}

}  // namespace simtrain
