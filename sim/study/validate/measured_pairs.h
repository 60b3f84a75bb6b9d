#pragma once

#include <string>
#include <vector>

#include "sim/run/scenario/scenario.h"

namespace simtrain {

/// A training log and the scenario of its run, by their paths.
struct MeasuredPair {
  std::string scenario;
  std::string log;
  std::string rest;  ///< the log's name behind the scenario's, without extensions
};

/// Whether a path ends as scenarios do: .yaml or .yml.
bool is_scenario_path(const std::string& path);

/// The runs of a user's folder, by scenario, then log.
///
/// Each `NAME.yaml` (or .yml) in the folder, or in one below, is a scenario. Every other file is a
/// log, but hidden ones, `*.md` and `*.html`. A log belongs to the scenario beside it whose NAME it
/// starts with (`NAME.log`, `NAME.2.json.gz`), or to the only one that is there. Throws InputError
/// where a file is left without its pair, and where there is none at all.
std::vector<MeasuredPair> measured_pairs(const std::string& folder);

/// The row of a scenario with a table that a log is of, "" without a table. It follows the
/// scenario's name: `NAME.ROW.log`, or `ROW.log` beside the only scenario. Throws InputError where
/// it names none.
std::string row_of(const ScenarioSource& source, const MeasuredPair& pair);

}  // namespace simtrain
