#pragma once

#include <string>
#include <vector>

#include "sim/run/scenario/scenario.h"

namespace simtrain {

/// A value of a file that a scenario read, and where it comes from.
struct ProvenanceRow {
  std::string key;  ///< dotted; rows of lists by their fields, as `find_number` takes them
  std::string value;
  std::string unit;
  std::string source;  ///< nearest one above, where the value has none of its own
  int line = 0;        ///< 0 where it was not set in a file
  std::string set_by;  ///< "--set KEY=VALUE" or "FILE.yaml:LINE" where that set it
};

struct ProvenanceFile {
  std::string path;  ///< from the data folder
  std::vector<ProvenanceRow> rows;
};

/// Every value of the files that a scenario was made of: its own keys (`ScenarioSource::tree`),
/// model, cluster, nodes, GPU, fabric, software, user-buffer table and uncertainty.
std::vector<ProvenanceFile> provenance_of(const DataFolder& data, const YamlNode& keys);

/// The values of one tree, in its order.
std::vector<ProvenanceRow> provenance_rows(const YamlNode& tree);

}  // namespace simtrain
