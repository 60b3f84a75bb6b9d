#pragma once

#include <string>

#include "sim/study/machine/machine_fit.h"

namespace simtrain {

/// The values of a machine beside those of its hardware files, and what its runs say.
std::string machine_text(const std::string& name, const MachineFit& fit);

/// The same, schema `simtrain.machine/1`.
std::string machine_json(const std::string& name, const MachineFit& fit);

/// The file of the machine, for hardware/machines/NAME.yaml.
std::string machine_yaml(const std::string& name, const MachineFit& fit);

}  // namespace simtrain
