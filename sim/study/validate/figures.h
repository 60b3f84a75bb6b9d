#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/run/results/report.h"
#include "sim/study/validate/documented.h"

namespace simtrain {

/// A printed figure of a run against what we make of it, in the figure's unit.
struct FigureResult {
  FigureName figure{};
  FigureKind kind{};
  std::string label;
  std::string printed;
  double measured = 0;
  /// What our own arithmetic makes of the step time printed beside it; tests metrics, not physics.
  std::optional<double> recomputed;
  double tolerance = 0;  ///< by which rounding lets the two differ
  bool disputed = false;
  std::optional<double> predicted;
  std::optional<Percent> within;  ///< bound on the error

  /// Predicted over measured, less one; 0 where nothing is predicted.
  [[nodiscard]] double error() const { return predicted ? *predicted / measured - 1 : 0; }
  /// False where the figure contradicts the step time beside it.
  [[nodiscard]] bool follows() const;
  [[nodiscard]] bool holds() const;
};

/// The unit in which a figure is printed.
std::string_view unit_of(FigureName figure);

/// Whether it is an amount of memory.
bool is_memory(FigureName figure);

/// The figures of a row that are there, in the table's order, against a simulation of the run.
std::vector<FigureResult> compare_figures(const DocumentedTable& table, const DocumentedRow& row,
                                          const Report& report);

}  // namespace simtrain
