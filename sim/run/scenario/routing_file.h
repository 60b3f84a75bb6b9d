#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/core/input/yaml_tree.h"

namespace simtrain {

/// The file of loads that a scenario names (moe.routing.histogram_file), as it is found from the
/// current folder: a path starts from the folder of the scenario where the scenario's file says it,
/// from the current one where the command line does. Nothing where it names none.
std::optional<std::string> routing_path(const YamlNode& scenario);

/// The loads of experts of each layer: a line of as many comma-separated numbers for each, as a log
/// of counts has them. Blank lines and those that start with # are left out. Throws InputError with
/// file and line where it is something else.
std::vector<std::vector<double>> load_routing_file(const YamlNode& scenario);

/// Rewrites that path, if the scenario has one, so that it leads to the same file from a scenario
/// written to `file`.
void keep_routing_path(YamlNode& scenario, const std::string& file);

}  // namespace simtrain
