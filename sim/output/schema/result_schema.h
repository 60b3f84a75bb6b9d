#pragma once

#include <nlohmann/json.hpp>

namespace simtrain {

/// The schema of a document of `simtrain.result/1` (json_report.h): every member with its unit,
/// none but these.
nlohmann::ordered_json result_schema();

/// The same of `simtrain.nccl/1` (nccl_table.h).
nlohmann::ordered_json nccl_schema();

/// The same of `simtrain.goodput/1` (goodput_report.h).
nlohmann::ordered_json goodput_schema();

/// The same of `simtrain.job/1` (job_report.h), which holds a result and a goodput.
nlohmann::ordered_json job_schema();

/// The same of `simtrain.share/1` (share_report.h).
nlohmann::ordered_json share_schema();

}  // namespace simtrain
