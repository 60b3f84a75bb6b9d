#pragma once

#include <optional>
#include <string>

#include <fmt/format.h>

#include "sim/app/command.h"
#include "sim/app/options/options.h"
#include "sim/core/suggestion.h"

namespace simtrain {

/// The path of the one scenario file that a command takes as its plain argument (`scenario_file`
/// finds it). Throws InputError, naming the command, where there is none or more.
std::string one_scenario(const CommandCall& call,
                         const boost::program_options::variables_map& values,
                         const std::string& command);

/// Throws InputError where a scenario has a table and no row of it is named.
void require_row(const ScenarioSource& source, const std::string& path, const std::string& row);

/// Says on standard error what became of the number of GPUs; nothing where `note` is empty.
void note_gpus(const Console& console, const std::string& note);
/// The same of a scenario whose cluster was changed.
void note_gpus(const Console& console, const Scenario& scenario);

/// `--tokens`: 15T, 300B, 1.5e12. Throws InputError where it is no number of tokens.
double tokens_option(const boost::program_options::variables_map& values);

/// `--price`: dollars of a GPU hour, more than 0; none where it is not given.
std::optional<double> price_option(const boost::program_options::variables_map& values);

/// `--jobs`: threads, 1 to 4096; 0 where it is not given.
int jobs_option(const boost::program_options::variables_map& values);

/// The value of an enumeration under its name.
template <Named E>
E named_option(const boost::program_options::variables_map& values, const std::string& option) {
  const auto& word = values[option].as<std::string>();
  std::vector<std::string> known;
  for (const auto& [name, value] : EnumNames<E>::rows) {
    if (name == word) return value;
    known.emplace_back(name);
  }
  throw InputError({}, "--" + option,
                   fmt::format("'{}' is not known; {}", word, suggestion(word, known)));
}

}  // namespace simtrain
