#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "sim/study/what_if/job_advice.h"

namespace simtrain {

/// The content of web/templates/job.html: a job's days, where its time goes, what to change,
/// intervals, spares, checkpoints, failures. All that web/job_charts.js draws is in tables as well.
nlohmann::ordered_json job_section(const Goodput& goodput, const std::vector<JobAdvice>& advice);

/// What web/job_charts.js draws of it.
nlohmann::ordered_json job_page_data(const Goodput& goodput, const std::vector<JobAdvice>& advice);

/// A job as one HTML page without other files.
std::string goodput_html(const Goodput& goodput);

}  // namespace simtrain
