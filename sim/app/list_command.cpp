#include <filesystem>

#include <fmt/format.h>

#include "sim/app/command.h"
#include "sim/app/options.h"
#include "sim/collectives/collective.h"
#include "sim/run/scenario.h"
#include "sim/topology/cluster.h"
#include "sim/topology/import/import_format.h"

namespace simtrain {
namespace {

namespace po = boost::program_options;

std::string lines(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += name + "\n";
  return out;
}

/// A family without any file means a wrong data folder, not an empty answer.
std::vector<std::string> files_of(const DataFolder& data, const std::string& family) {
  std::vector<std::string> found = data.names(family);
  if (found.empty()) throw InputError({data.root() + "/" + family}, "", "holds no .yaml files");
  return found;
}

template <class E>
std::vector<std::string> names_of() {
  std::vector<std::string> names;
  names.reserve(EnumNames<E>::rows.size());
  for (const auto& [name, value] : EnumNames<E>::rows) names.emplace_back(name);
  return names;
}

std::string collectives() {
  std::string out;
  for (const AlgorithmRow& row : algorithm_rows())
    out += fmt::format("{:<6}{}\n", name_of(row.algorithm), row.help);
  return out;
}

std::string wiring_list() {
  std::string out;
  for (const WiringRow& row : wirings()) out += fmt::format("{:<16}{}\n", row.name, row.help);
  return out;
}

std::string import_formats() {
  std::string out;
  for (const ImportFormat& row : node_formats())
    out += fmt::format("{:<17}{}\n", row.name, row.help);
  return out;
}

std::string placement_list() {
  std::string out;
  for (const PlacementRow& row : placements())
    out += fmt::format("{:<12}{}\n", name_of(row.kind), row.help);
  return out;
}

/// Scenario files with the rows of their tables.
std::string scenarios(const DataFolder& data) {
  std::string out;
  for (const std::string& name : files_of(data, "scenarios")) {
    out += fmt::format("scenarios/{}.yaml\n", name);
    for (const std::string& row :
         ScenarioSource::from_file(data.root() + "/scenarios/" + name + ".yaml").row_names()) {
      out += fmt::format("  --row {}\n", row);
    }
  }
  return out;
}

struct Family {
  std::string_view name;
  std::string (*print)(const DataFolder&);
};

const std::vector<Family>& families() {
  static const std::vector<Family> rows{
      {"gpus", [](const DataFolder& data) { return lines(files_of(data, "hardware/gpus")); }},
      {"nodes", [](const DataFolder& data) { return lines(files_of(data, "hardware/nodes")); }},
      {"fabrics", [](const DataFolder& data) { return lines(files_of(data, "hardware/fabrics")); }},
      {"clusters",
       [](const DataFolder& data) { return lines(files_of(data, "hardware/clusters")); }},
      {"software",
       [](const DataFolder& data) { return lines(files_of(data, "hardware/software")); }},
      {"tp-overlap",
       [](const DataFolder& data) { return lines(files_of(data, "hardware/tp_overlap")); }},
      {"models", [](const DataFolder& data) { return lines(files_of(data, "scenarios/models")); }},
      {"scenarios", scenarios},
      {"collectives", [](const DataFolder&) { return collectives(); }},
      {"wirings", [](const DataFolder&) { return wiring_list(); }},
      {"import-formats", [](const DataFolder&) { return import_formats(); }},
      {"placements", [](const DataFolder&) { return placement_list(); }},
      {"mfu-conventions", [](const DataFolder&) { return lines(names_of<MfuConvention>()); }},
  };
  return rows;
}

}  // namespace

CommandResult list_command(const CommandCall& call) {
  po::options_description options;
  options.add_options()("family", po::value<std::vector<std::string>>());
  const po::variables_map values = parse_options(call.arguments, options, "family");
  std::vector<std::string> known;
  for (const Family& family : families()) known.emplace_back(family.name);
  if (values.count("family") == 0) return {lines(known)};
  const auto& asked = values["family"].as<std::vector<std::string>>();
  if (asked.size() != 1) throw InputError({}, "", "list takes one family");
  for (const Family& family : families()) {
    if (family.name == asked.front()) return {family.print(call.data)};
  }
  throw InputError(
      {}, "list",
      fmt::format("'{}' is no family; {}", asked.front(), suggestion(asked.front(), known)));
}

}  // namespace simtrain
