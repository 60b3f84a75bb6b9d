#pragma once

#include <string>

#include "sim/app/command.h"

namespace simtrain {

/// The file to read for a scenario of the command line: `path`, or where there is no such file and
/// it is `scenarios/NAME`, that file of the data folder, which a note then states.
std::string scenario_file(const CommandCall& call, const std::string& path);

}  // namespace simtrain
