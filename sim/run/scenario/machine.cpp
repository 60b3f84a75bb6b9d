#include "sim/run/scenario/machine.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/core/input/yaml_text.h"
#include "sim/run/scenario/machine_fields.h"
#include "sim/run/scenario/scenario_hardware.h"

namespace simtrain {

namespace {

constexpr std::string_view kMachineKey = "cluster.machine";

/// The nodes of a scenario's cluster.
std::vector<std::string> nodes_of(const DataFolder& data, const YamlNode& scenario) {
  std::vector<std::string> nodes;
  for (const HardwareFile& file : hardware_files(data, scenario)) {
    if (file.family == "nodes") nodes.push_back(file.name);
  }
  return nodes;
}

}  // namespace

std::optional<Machine> machine_of(const DataFolder& data, const YamlNode& scenario) {
  const YamlNode* name = find_yaml_value(scenario, kMachineKey);
  if (name == nullptr) return std::nullopt;
  auto machine =
      data.load<Machine>("hardware/machines", name->text, name->place, std::string(kMachineKey));
  const std::vector<std::string> nodes = nodes_of(data, scenario);
  if (std::find(nodes.begin(), nodes.end(), machine.node) == nodes.end())
    throw InputError(
        name->place, std::string(kMachineKey),
        fmt::format("'{}' is a machine of {}; the nodes of {} are {}", machine.name, machine.node,
                    text_at(scenario, "cluster.name"), fmt::join(nodes, ", ")));
  return machine;
}

}  // namespace simtrain
