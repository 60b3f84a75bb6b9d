#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/output/drawing/topology_report.h"

namespace simtrain {

/// A figure of a cluster and what it is called.
using LabelledFigure = std::pair<std::string, std::string>;

/// A table in words: every row has a cell for each column, with its unit.
struct TopologyTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

/// How data go between two ranks, in words.
struct PathWords {
  std::string title;
  TopologyTable steps;  ///< links that differ in nothing but their names are one row
  std::vector<LabelledFigure> figures;
};

/// A report on a cluster as people read it, whatever it is written on.
struct TopologyWords {
  std::vector<LabelledFigure> devices;
  TopologyTable links;   ///< cables of one sort, one direction
  TopologyTable levels;  ///< bandwidths, one direction
  std::vector<LabelledFigure> bisection;
  std::optional<PathWords> path;
};

TopologyWords topology_words(const TopologyReport& report);

}  // namespace simtrain
