#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "sim/study/nccl/nccl_validation.h"

namespace simtrain {

/// By machine and collective: median, 90th percentile and bias of the error for messages of 1 MiB
/// and more, and the median below; points that parameters were fitted to and others apart.
std::string nccl_validation_text(const std::vector<CurvePoint>& points);

/// One point as both validations of NCCL write it.
nlohmann::ordered_json point_json(const CurvePoint& point);

/// The table with every point, schema `simtrain.nccl-validation/1`.
std::string nccl_validation_json(const std::vector<CurvePoint>& points);

}  // namespace simtrain
