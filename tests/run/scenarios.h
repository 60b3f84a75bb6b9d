#pragma once

#include <string>
#include <vector>

#include "sim/run/simulate.h"
#include "tests/core/checkout.h"
#include "tests/core/data_folder.h"

namespace simtrain::testing {

inline ScenarioSource scenario_file(const std::string& name) {
  return ScenarioSource::from_file(source_dir() + "/scenarios/" + name + ".yaml");
}

/// A run of scenarios/: file, row of its table, `--set` settings over it.
struct Case {
  std::string file;
  std::string row;
  std::vector<std::string> settings;
};

/// A row of a file in scenarios/, with `--set` settings over it.
inline Scenario scenario(const std::string& file, const std::string& row,
                         const std::vector<std::string>& settings = {}) {
  std::vector<Setting> parsed;
  for (const std::string& text : settings) parsed.push_back(parse_setting(text));
  return scenario_file(file).scenario(data_folder(), row, parsed);
}

}  // namespace simtrain::testing
