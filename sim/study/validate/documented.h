#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/core/enum_names.h"
#include "sim/core/fields.h"
#include "sim/core/source_place.h"
#include "sim/workload/kernels/precision.h"

namespace simtrain {

struct YamlNode;

/// A share that a file writes in percent, `3 %`; `fraction` is 0.03.
struct Percent {
  double fraction = 0;
};
void scalar_quantity(const YamlNode& node, const std::string& key, Percent& value);

/// What a document prints about a run: seconds, tokens/s, TFLOP/s of one GPU, percent, days, bytes
/// or GiB of one GPU.
enum class FigureName {
  step_time,
  step_time_deviation,
  tokens_per_second,
  tflops_per_gpu,
  tflops_deviation,
  mfu,
  days_per_1t_tokens,
  peak_memory,
  allocated_memory,
  peak_memory_gib,
  allocated_memory_gib,
  reserved_memory_gib
};

template <>
struct EnumNames<FigureName> {
  static constexpr std::array rows{
      std::pair{std::string_view("step-time"), FigureName::step_time},
      std::pair{std::string_view("step-time-deviation"), FigureName::step_time_deviation},
      std::pair{std::string_view("tokens-per-second"), FigureName::tokens_per_second},
      std::pair{std::string_view("tflops-per-gpu"), FigureName::tflops_per_gpu},
      std::pair{std::string_view("tflops-deviation"), FigureName::tflops_deviation},
      std::pair{std::string_view("mfu"), FigureName::mfu},
      std::pair{std::string_view("days-per-1t-tokens"), FigureName::days_per_1t_tokens},
      std::pair{std::string_view("peak-memory"), FigureName::peak_memory},
      std::pair{std::string_view("allocated-memory"), FigureName::allocated_memory},
      std::pair{std::string_view("peak-memory-gib"), FigureName::peak_memory_gib},
      std::pair{std::string_view("allocated-memory-gib"), FigureName::allocated_memory_gib},
      std::pair{std::string_view("reserved-memory-gib"), FigureName::reserved_memory_gib}};
};

/// How a figure came about: from the last step of a run, as mean or standard deviation of a window
/// of steps, as NeMo 1's running mean, as the highest value so far, or by arithmetic from others.
enum class FigureKind {
  last_step,
  window_mean,
  window_deviation,
  running_mean_of_5,
  peak,
  derived
};

template <>
struct EnumNames<FigureKind> {
  static constexpr std::array rows{
      std::pair{std::string_view("last-step"), FigureKind::last_step},
      std::pair{std::string_view("window-mean"), FigureKind::window_mean},
      std::pair{std::string_view("window-deviation"), FigureKind::window_deviation},
      std::pair{std::string_view("running-mean-of-5"), FigureKind::running_mean_of_5},
      std::pair{std::string_view("peak"), FigureKind::peak},
      std::pair{std::string_view("derived"), FigureKind::derived}};
};

/// The pipeline stage whose memory a figure gives.
enum class MemoryStage { fullest, last };

template <>
struct EnumNames<MemoryStage> {
  static constexpr std::array rows{std::pair{std::string_view("fullest"), MemoryStage::fullest},
                                   std::pair{std::string_view("last"), MemoryStage::last}};
};

/// What one precision of a group is called: "llama-70b:fp8".
std::string series_name(const std::string& group, Precision precision);

/// Whether the step times of a table make the headline accuracy or are only reported.
enum class TableUse { headline, reported };

template <>
struct EnumNames<TableUse> {
  static constexpr std::array rows{std::pair{std::string_view("headline"), TableUse::headline},
                                   std::pair{std::string_view("reported"), TableUse::reported}};
};

/// How much of a measured run is stated: all that matters; something small is assumed; a part of
/// the plan or its kernels had to be searched.
enum class Grade { stated, assumed, searched };

template <>
struct EnumNames<Grade> {
  static constexpr std::array rows{std::pair{std::string_view("A"), Grade::stated},
                                   std::pair{std::string_view("B"), Grade::assumed},
                                   std::pair{std::string_view("C"), Grade::searched}};
};

/// The largest errors with which a table or a file still counts as predicted.
struct ErrorBounds {
  Percent mean;  ///< mean absolute error
  Percent max;   ///< largest absolute error
};
template <>
struct Fields<ErrorBounds>;

/// A weak-scaling table: growth of the step time from one row to another, and by how many
/// percentage points a prediction may miss it.
struct TrendSpec {
  std::string from;
  std::string to;
  Percent within;
  SourcePlace where;
};
template <>
struct Fields<TrendSpec>;

/// One printed row of figures.
struct FigureSpec {
  FigureName figure{};
  std::string label;  ///< as printed
  FigureKind kind{};
  double rounding = 0;            ///< what the last printed digit counts, in the figure's unit
  std::optional<Percent> within;  ///< the largest error a prediction of it may have
  MemoryStage stage{};            ///< of memory: Megatron logs that of its last rank
};
template <>
struct Fields<FigureSpec>;

/// A figure that does not follow from the step time printed beside it.
struct DisputedFigure {
  FigureName figure{};
  std::string reason;
  SourcePlace where;
};
template <>
struct Fields<DisputedFigure>;

/// One run: the row of the scenario's table, its heading, and a cell for each
/// figure, digits as printed ("n/a" where the document has none).
struct DocumentedRow {
  std::string row;     ///< empty for a scenario without a table
  std::string column;  ///< empty for prose and log lines
  std::vector<std::string> printed;
  SourcePlace where;
  std::vector<std::optional<double>> values;  ///< of `printed`
};
template <>
struct Fields<DocumentedRow>;

/// One table, log line or passage of a document.
struct DocumentedTable {
  std::string table;
  TableUse use{};
  std::string group;  ///< model and document that a fit may leave out together
  Precision precision{};
  std::string scenario;  ///< file in the file's folder of scenarios
  std::string note;
  Grade grade{};        ///< how much of the runs is stated
  std::string assumed;  ///< what is not
  std::optional<ErrorBounds> bounds;
  std::optional<TrendSpec> trend;
  std::vector<FigureSpec> figures;
  std::vector<DocumentedRow> rows;
  std::vector<DisputedFigure> disputed;
  SourcePlace where;
  /// What the document gives for a figure of a row; nothing where it gives none.
  [[nodiscard]] std::optional<double> value(const DocumentedRow& row, FigureName figure) const;
  /// Its digits as printed; empty where there is none.
  [[nodiscard]] std::string printed(const DocumentedRow& row, FigureName figure) const;
};
template <>
struct Fields<DocumentedTable>;

struct Document {
  std::string document;
  std::string title;
  std::string source;     ///< who published it, as one of several; empty: the document
  std::string framework;  ///< what ran
  int year = 0;           ///< of the runs; 0 where it is not said
  std::vector<DocumentedTable> tables;
};
template <>
struct Fields<Document>;

/// A file of `validation/`: what documents print about runs, and how far a prediction may be off.
struct DocumentedFile {
  std::string name;
  std::string scenarios = "scenarios";       ///< folder of the scenarios, below the data folder
  std::optional<ErrorBounds> bounds;         ///< over the rows of all headline tables
  std::optional<ErrorBounds> memory_bounds;  ///< over all figures of memory
  std::vector<Document> documents;

  /// Where the scenario of one of its tables lies; `root` is the data folder's.
  [[nodiscard]] std::string scenario_path(const std::string& root,
                                          const DocumentedTable& table) const {
    return root + "/" + scenarios + "/" + table.scenario;
  }
};
template <>
struct Fields<DocumentedFile>;

/// Reads a file and checks it: a cell for each figure, no row of a table twice, a step time in each
/// row of a headline table, trends between two rows that are there, disputes over figures that the
/// table has. Throws InputError otherwise.
DocumentedFile read_documented(const std::string& path);

}  // namespace simtrain
