#include "sim/study/validate/figures.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace simtrain {
namespace {

constexpr double kGib = 1073741824;

/// How a figure goes with the step time, all else equal.
enum class TimeRelation { none, proportional, inverse };

/// What is known of one figure. `slack`: documents round the FLOPs of a model to three digits, and
/// take 989 or 989.5 TFLOP/s for the H100.
struct FigureRow {
  FigureName figure;
  std::string_view unit;
  TimeRelation scaling;
  double slack;
  double (*predicted)(const Report&, MemoryStage);
};

double peak_bytes(const Report& report, MemoryStage stage) {
  return stage == MemoryStage::last ? report.memory.back().allocated() : report.peak_bytes();
}

double kept_bytes(const Report& report, MemoryStage stage) {
  return stage == MemoryStage::last ? report.memory.back().kept() : report.kept_bytes();
}

/// Of the stage whose allocator holds most, its fragmentation included.
double reserved_bytes(const Report& report, MemoryStage stage) {
  const auto reserved = [](const StageMemory& memory) {
    return memory.allocated() + memory.fragmentation;
  };
  if (stage == MemoryStage::last) return reserved(report.memory.back());
  double most = 0;
  for (const StageMemory& memory : report.memory) most = std::max(most, reserved(memory));
  return most;
}

constexpr std::array<FigureRow, 12> kFigures{{
    {FigureName::step_time, "s", TimeRelation::none, 0,
     [](const Report& r, MemoryStage) { return r.step_time_s; }},
    {FigureName::step_time_deviation, "s", TimeRelation::none, 0,
     [](const Report& r, MemoryStage) { return r.step_spread.deviation_s(); }},
    {FigureName::tokens_per_second, "tokens/s", TimeRelation::inverse, 0,
     [](const Report& r, MemoryStage) { return r.tokens_per_s; }},
    {FigureName::tflops_per_gpu, "TFLOP/s", TimeRelation::inverse, 0.0015,
     [](const Report& r, MemoryStage) { return r.tflops_per_gpu; }},
    {FigureName::tflops_deviation, "TFLOP/s", TimeRelation::none, 0,
     [](const Report& r, MemoryStage) {
       return r.tflops_per_gpu * r.step_spread.deviation_s() / r.step_time_s;
     }},
    {FigureName::mfu, "%", TimeRelation::inverse, 0.0015,
     [](const Report& r, MemoryStage) { return r.mfu * 100; }},
    {FigureName::days_per_1t_tokens, "days", TimeRelation::proportional, 0,
     [](const Report& r, MemoryStage) { return r.days_per_1t_tokens; }},
    {FigureName::peak_memory, "B", TimeRelation::none, 0, peak_bytes},
    {FigureName::allocated_memory, "B", TimeRelation::none, 0, kept_bytes},
    {FigureName::peak_memory_gib, "GiB", TimeRelation::none, 0,
     [](const Report& r, MemoryStage stage) { return peak_bytes(r, stage) / kGib; }},
    {FigureName::allocated_memory_gib, "GiB", TimeRelation::none, 0,
     [](const Report& r, MemoryStage stage) { return kept_bytes(r, stage) / kGib; }},
    {FigureName::reserved_memory_gib, "GiB", TimeRelation::none, 0,
     [](const Report& r, MemoryStage stage) { return reserved_bytes(r, stage) / kGib; }},
}};

const FigureRow& row_of(FigureName figure) {
  return *std::find_if(kFigures.begin(), kFigures.end(),
                       [&](const FigureRow& row) { return row.figure == figure; });
}

bool is_disputed(const DocumentedTable& table, FigureName figure) {
  return std::any_of(table.disputed.begin(), table.disputed.end(),
                     [&](const DisputedFigure& d) { return d.figure == figure; });
}

/// Half of the last digit of the step time that a row prints, as a share of it.
double step_rounding(const DocumentedTable& table, double step_time_s) {
  for (const FigureSpec& spec : table.figures) {
    if (spec.figure == FigureName::step_time) return spec.rounding / 2 / step_time_s;
  }
  return 0;
}

void recompute(const DocumentedTable& table, const Report& report, double step_time_s,
               const FigureSpec& spec, FigureResult& result) {
  const FigureRow& row = row_of(spec.figure);
  if (row.scaling == TimeRelation::none) return;
  const double slower = step_time_s / report.step_time_s;
  const double value = row.predicted(report, spec.stage);
  result.recomputed = row.scaling == TimeRelation::inverse ? value / slower : value * slower;
  result.tolerance =
      spec.rounding * 0.5001 + result.measured * (row.slack + step_rounding(table, step_time_s));
}

}  // namespace

bool FigureResult::follows() const {
  return !recomputed || std::abs(*recomputed - measured) <= tolerance;
}

bool FigureResult::holds() const {
  return (disputed || follows()) && (!within || std::abs(error()) <= within->fraction);
}

std::string_view unit_of(FigureName figure) { return row_of(figure).unit; }

bool is_memory(FigureName figure) {
  const std::string_view unit = unit_of(figure);
  return unit == "B" || unit == "GiB";
}

std::vector<FigureResult> compare_figures(const DocumentedTable& table, const DocumentedRow& row,
                                          const Report& report) {
  const auto step_time = table.value(row, FigureName::step_time);
  std::vector<FigureResult> results;
  results.reserve(table.figures.size());
  for (std::size_t i = 0; i < table.figures.size(); ++i) {
    if (!row.values[i]) continue;
    const FigureSpec& spec = table.figures[i];
    FigureResult result;
    result.figure = spec.figure;
    result.kind = spec.kind;
    result.label = spec.label;
    result.printed = row.printed[i];
    result.measured = *row.values[i];
    result.disputed = is_disputed(table, spec.figure);
    result.within = spec.within;
    const FigureRow& known = row_of(spec.figure);
    if (known.predicted != nullptr) result.predicted = known.predicted(report, spec.stage);
    if (step_time) recompute(table, report, *step_time, spec, result);
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace simtrain
