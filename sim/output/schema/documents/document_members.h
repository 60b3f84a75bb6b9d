#pragma once

#include <nlohmann/json.hpp>

namespace simtrain {

// The schemas of documents, without their heads: every member with its unit, none but these.

nlohmann::ordered_json result_schema();   ///< of a run (json_report.h)
nlohmann::ordered_json results_schema();  ///< of the runs of a table (json_report.h)
nlohmann::ordered_json difference_schema();
nlohmann::ordered_json sweep_schema();
nlohmann::ordered_json tune_schema();
nlohmann::ordered_json tune_front_schema();
nlohmann::ordered_json scale_schema();
nlohmann::ordered_json goodput_schema();
nlohmann::ordered_json job_schema();  ///< which holds a result and a goodput
nlohmann::ordered_json share_schema();
nlohmann::ordered_json metrics_schema();
nlohmann::ordered_json comparison_schema();
nlohmann::ordered_json comparisons_schema();
nlohmann::ordered_json profile_schema();
nlohmann::ordered_json validation_schema();
nlohmann::ordered_json measured_validation_schema();
nlohmann::ordered_json left_out_schema();
nlohmann::ordered_json kernel_validation_schema();
nlohmann::ordered_json nccl_validation_schema();
nlohmann::ordered_json calibration_schema();
nlohmann::ordered_json kernel_fit_schema();
nlohmann::ordered_json machine_fit_schema();
nlohmann::ordered_json nccl_schema();
nlohmann::ordered_json topology_schema();

}  // namespace simtrain
