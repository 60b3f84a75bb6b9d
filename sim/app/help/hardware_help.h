#pragma once

#include <string>

namespace simtrain {

/// The values of hardware that a scenario may change, by the shortest key that names each.
std::string hardware_help();

}  // namespace simtrain
