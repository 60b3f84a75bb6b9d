#pragma once

#include <nlohmann/json.hpp>

namespace simtrain {

/// What the `hardware` map of a scenario may hold: values of the files of a GPU, a node, a fabric
/// and a software stack, without their sources, in maps or by dotted keys, with or without the kind
/// of the file before them. Rows of lists are named by their fields: `rates[data_type=fp8].burst`.
nlohmann::ordered_json hardware_map_schema();

}  // namespace simtrain
