#pragma once

#include <string>
#include <vector>

#include "sim/study/what_if/place_next.h"

namespace simtrain {

/// Jobs on one cluster for people: steps alone and together, who slows whom, on which links; with
/// `choices` the ways to place the last one.
std::string fabric_text(const FabricResult& result, const std::vector<PlacementChoice>& choices);

/// The same for programs: schema simtrain.share/1.
std::string fabric_json(const FabricResult& result, const std::vector<PlacementChoice>& choices);

/// The same as one HTML page without other files.
std::string fabric_html(const FabricResult& result, const std::vector<PlacementChoice>& choices);

}  // namespace simtrain
