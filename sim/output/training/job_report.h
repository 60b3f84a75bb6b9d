#pragma once

#include <string>

#include "sim/output/run/json_report.h"
#include "sim/run/results/report.h"
#include "sim/study/what_if/job_advice.h"
#include "sim/study/what_if/scale.h"

namespace simtrain {

/// What a job gets done and what its GPU hours cost, for the summary of its step: the same training
/// run if nothing ever failed.
TrainingGoal steady_goal(const Goodput& goodput);

/// Text of a job behind that of its step: the sections of `simtrain goodput`, then what to set and
/// what else would help, by the days that it saves.
std::string job_text(const AdvisedJob& job);

/// Step, with what is asked of it, job and advice as one document, schema `simtrain.job/1`.
std::string job_json(const Report& step, const AdvisedJob& job, const AskedParts& asked);

/// "$ 1.25 M", "-$ 3.10 k".
std::string saved_usd_text(const JobAdvice& advice);

}  // namespace simtrain
