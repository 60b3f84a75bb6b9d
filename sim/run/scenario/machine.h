#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/core/fields.h"
#include "sim/core/files/data_folder.h"
#include "sim/core/source_place.h"
#include "sim/core/sourced.h"

namespace simtrain {

/// A value that a machine has in place of the one in its GPU, node or fabric file.
struct MachineValue {
  std::string key;    ///< as behind `hardware.` in a scenario: "gpu.power.available"
  std::string value;  ///< with its unit
  std::string source;
  SourcePlace where;
};
template <>
struct Fields<MachineValue>;

/// One machine among those that go by the name of its node, as measured on it:
/// `hardware/machines/NAME.yaml`, named by `cluster.machine`. `simtrain calibrate --machine` makes
/// one.
struct Machine {
  std::string name;
  std::string description;
  std::string node;  ///< a name of hardware/nodes
  std::vector<MachineValue> values;
  /// Of step times on it, in place of the row of `machines` in hardware/uncertainty.yaml.
  Sourced<double> relative_error;
  SourcePlace where;
};
template <>
struct Fields<Machine>;

/// The machine that a scenario names; nothing where it names none. Throws InputError where there is
/// none of that name, or its node is not one of the cluster.
std::optional<Machine> machine_of(const DataFolder& data, const YamlNode& scenario);

}  // namespace simtrain
