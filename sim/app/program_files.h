#pragma once

#include <string>

#include "sim/app/command.h"

namespace simtrain {

/// The folder with `hardware/`, `scenarios/` and `validation/`: what the environment variable
/// SIMTRAIN_DATA names, else share/simtrain beside the program's bin/ where it is installed, else
/// the repository that the program was built from.
std::string data_root();

/// The file to read for a scenario of the command line: `path`, or where there is no such file and
/// it is `scenarios/NAME`, that file of the data folder, which a note then tells.
std::string scenario_file(const CommandCall& call, const std::string& path);

}  // namespace simtrain
