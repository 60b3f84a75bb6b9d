#pragma once

#include <string>
#include <vector>

#include "sim/measured/logs/log_format.h"
#include "sim/measured/run/measured_run.h"
#include "sim/measured/run_facts.h"
#include "sim/measured/run_metrics.h"

namespace simtrain {

/// A log with what was made of it.
struct MeasuredReport {
  std::string name;  ///< of the run, from its path
  MeasuredRun run;
  MergedFacts facts;
  RunMetrics metrics;
};

/// What is known of a run beside its log.
struct KnownFacts {
  RunFacts surer;  ///< they count more than what the log says
  RunFacts rest;   ///< for what the log does not say
};

/// Reads a log (read_log_file) and what its run achieved.
MeasuredReport measured_report(const std::string& path, const LogRequest& request,
                               const KnownFacts& known, const Watch& watch = {});

/// The same of all logs of some paths (log_files). Runs of one name are called by their paths.
std::vector<MeasuredReport> measured_reports(const std::vector<std::string>& paths,
                                             const LogRequest& request, const KnownFacts& known,
                                             const Watch& logs = {}, const Watch& bytes = {});

/// What the run is called: the name of its file without `log-`, folders and endings.
std::string run_name(const std::string& path);

}  // namespace simtrain
