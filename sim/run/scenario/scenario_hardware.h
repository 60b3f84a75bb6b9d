#pragma once

#include <string>
#include <vector>

#include "sim/core/files/data_folder.h"
#include "sim/run/figures/key_change.h"

namespace simtrain {

/// A file of hardware that a scenario reads.
struct HardwareFile {
  std::string family;  ///< folder of hardware/: "gpus", "nodes", "fabrics", "software", "clusters"
  std::string name;
  YamlNode tree;
};

/// Cluster, nodes with their GPUs, fabric and software of a scenario's keys, each once; what the
/// keys do not name is left out. Throws InputError where a file is missing.
std::vector<HardwareFile> hardware_files(const DataFolder& data, const YamlNode& scenario);

/// A value of a hardware file that a scenario changes.
struct HardwareChange {
  KeyChange value;    ///< its key in full: "hardware.node.nic_bandwidth"
  std::string file;   ///< that holds the value which is changed
  SourcePlace where;  ///< of the key in the scenario
};

/// The hardware as a scenario wants it.
struct ScenarioHardware {
  DataFolder data;  ///< with the scenario's values
  std::vector<HardwareChange> changes;

  /// Throws `error` again: at the scenario's key where it is about a file that the scenario
  /// changes. To be called while it is handled.
  [[noreturn]] void rethrow(const InputError& error) const;
};

/// Applies the values of a scenario's machine, then its `hardware` map (`wanted`; neither changes
/// nothing), whose dotted keys are those of its GPU, node, fabric and software files, behind
/// `gpu.`, `node.`, `fabric.` or `software.` where more than one of them has such a key; rows of
/// lists are named by their fields
/// (`find_number`). What `data` changes of the same values itself stays. Throws InputError where a
/// key is unknown or in more than one file.
ScenarioHardware scenario_hardware(const DataFolder& data, const YamlNode& scenario,
                                   const YamlNode* wanted);

}  // namespace simtrain
