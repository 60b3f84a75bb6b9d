#include "sim/app/options/study_options.h"

#include <charconv>
#include <cmath>

#include "sim/app/program_files.h"

namespace simtrain {

std::string one_scenario(const CommandCall& call,
                         const boost::program_options::variables_map& values,
                         const std::string& command) {
  const auto files = values["scenario"].as<std::vector<std::string>>();
  if (files.size() != 1 || files.front().empty())
    throw InputError(
        {}, "", fmt::format("{0} takes one scenario file; 'simtrain help {0}' shows how", command));
  return scenario_file(call, files.front());
}

void note_gpus(const Console& console, const std::string& note) {
  if (!note.empty()) console.note(fmt::format("simtrain: note: {}\n", note));
}

void note_gpus(const Console& console, const Scenario& scenario) {
  if (scenario.changed_from) note_gpus(console, scenario.changed_from->gpus);
}

double tokens_option(const boost::program_options::variables_map& values) {
  const auto& text = values["tokens"].as<std::string>();
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view suffix(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const double unit = suffix.empty() ? 1 : suffix == "B" ? 1e9 : suffix == "T" ? 1e12 : 0;
  const double tokens = number * unit;
  if (error != std::errc() || !(tokens >= 1) || tokens > 1e18)
    throw InputError({}, "--tokens",
                     fmt::format("'{}' is no number of tokens; 15T, 300B or 1e12 would do", text));
  return tokens;
}

std::optional<double> price_option(const boost::program_options::variables_map& values) {
  if (values.count("price") == 0) return std::nullopt;
  const double price = values["price"].as<double>();
  if (!(price > 0) || price > 1e6)
    throw InputError({}, "--price", "must be the dollars of a GPU hour, more than 0");
  return price;
}

}  // namespace simtrain
