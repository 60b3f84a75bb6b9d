#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/output/drawing/topology_report.h"

namespace simtrain {

/// A figure of a cluster and what it is called.
using LabelledFigure = std::pair<std::string, std::string>;

/// Some figures under a title.
struct FigureList {
  std::string title;
  std::vector<LabelledFigure> figures;
};

/// A table in words: every row has a cell for each column, with its unit.
struct TopologyTable {
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

/// How data go between two ranks, in words.
struct PathWords {
  TopologyTable steps;  ///< links that differ in nothing but their names are one row
  std::vector<LabelledFigure> figures;
};

/// A report on a cluster as people read it, whatever it is written on.
struct TopologyWords {
  FigureList devices;
  TopologyTable links;   ///< cables of one sort, one direction
  TopologyTable levels;  ///< bandwidths, one direction
  FigureList bisection;
  std::optional<PathWords> path;
};

TopologyWords topology_words(const TopologyReport& report);

}  // namespace simtrain
