#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/core/files/data_folder.h"
#include "sim/core/watch.h"
#include "sim/study/validate/figures.h"

namespace simtrain {

/// One documented step time.
struct MeasuredStepTime {
  std::string document;
  std::string table;
  std::string group;  ///< model and document that a fit may leave out together
  Precision precision{};
  std::string scenario;
  std::string row;
  std::string printed;  ///< digits as the document prints them
  double measured_s = 0;

  [[nodiscard]] std::string series() const { return series_name(group, precision); }
};

/// The same against the prediction.
struct ValidationRow : MeasuredStepTime {
  double predicted_s = 0;

  /// Predicted over measured, less one.
  [[nodiscard]] double error() const { return predicted_s / measured_s - 1; }
};

/// Mean and largest absolute error and the signed mean of some rows, as fractions.
struct ValidationSummary {
  std::size_t rows = 0;
  double mean_absolute = 0;
  double largest_absolute = 0;
  double bias = 0;
};

ValidationSummary summarize(const std::vector<ValidationRow>& rows);
ValidationSummary summary_of(const std::vector<double>& errors);

/// A documented run, simulated.
struct RunResult {
  std::string row;
  std::string column;
  std::vector<FigureResult> figures;
  Report report;
  std::string caveat{};  ///< what speaks against the figures of a log; empty where nothing does

  /// Nothing where the document does not print the figure.
  [[nodiscard]] const FigureResult* find(FigureName figure) const;
};

/// Growth of the step time between two rows of a table, as fractions.
struct TrendResult {
  std::string from;
  std::string to;
  double measured = 0;
  double predicted = 0;
  double within = 0;  ///< the largest difference that counts as predicted

  [[nodiscard]] double difference() const { return predicted - measured; }
  [[nodiscard]] bool holds() const;
};

/// A table of a document with its runs.
struct TableResult {
  std::string document;
  DocumentedTable spec;
  std::vector<RunResult> runs;
  std::optional<TrendResult> trend;

  /// The step times of the table, none where it prints none.
  [[nodiscard]] std::vector<ValidationRow> rows() const;
  /// Errors of its figures of memory.
  [[nodiscard]] std::vector<double> memory_errors() const;
  [[nodiscard]] bool headline() const { return spec.use == TableUse::headline; }
};

/// A validation file with all its runs simulated.
struct ValidationResult {
  std::string name;
  std::optional<ErrorBounds> bounds;
  std::vector<TableResult> tables;
  std::optional<ErrorBounds> memory_bounds{};

  /// The step times of the headline tables.
  [[nodiscard]] std::vector<ValidationRow> rows() const;
  /// Errors of every figure of measured memory.
  [[nodiscard]] std::vector<double> memory_errors() const;
};

/// Simulates every row of a validation file (`validation/*.yaml`). Throws InputError where the file
/// or a scenario that it names is wrong.
ValidationResult validate_documents(const DataFolder& data, const std::string& path,
                                    const Watch& watch = {});

/// Whether a file states any bound of an error.
bool states_bounds(const ValidationResult& result);

/// A sentence for each bound of a file that its predictions break: mean and largest error of a
/// table and of all headline rows, trends, figures with a bound of their own, and printed figures
/// that contradict the step time beside them without being marked as disputed.
std::vector<std::string> broken_bounds(const ValidationResult& result);

}  // namespace simtrain
