#include "sim/output/drawing/schedule_svg.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "sim/output/html/picture.h"
#include "sim/workload/schedule/unit_step.h"

namespace simtrain {
namespace {

constexpr double kUnitWidth = 15;       // of time
constexpr double kStageHeight = 19;     // of a stage
constexpr double kStageNames = 76;      // before time 0, for the names of stages
constexpr double kBehindLongest = 24;   // behind the longest schedule
constexpr double kAboveSchedules = 74;  // above the first schedule
constexpr double kToNextSchedule = 46;  // from one schedule to the next, with its name
constexpr double kTextBaseline = 13;    // of a text in a row

/// How a phase is drawn: in one colour the first chunk of a stage, in the other one further ones;
/// of two copies of a model each in its own.
struct PhaseStyle {
  Phase phase{};
  std::string_view name;
  std::string_view first;
  std::string_view second;
};

constexpr std::array kPhaseStyles{
    PhaseStyle{Phase::forward, "forward", "rail0", "rail7"},
    PhaseStyle{Phase::backward, "backward", "rail4", "rail5"},
    PhaseStyle{Phase::input_gradient, "input gradient", "rail4", "rail5"},
    PhaseStyle{Phase::weight_gradient, "weight gradient", "rail1", "rail2"}};

const PhaseStyle& phase_style(Phase phase) {
  return *std::find_if(kPhaseStyles.begin(), kPhaseStyles.end(),
                       [&](const PhaseStyle& style) { return style.phase == phase; });
}

class SchedulesDrawing {
 public:
  SchedulesDrawing(int stages, int micro_batches)
      : stages_(stages), micro_batches_(micro_batches) {}

  Picture draw() {
    picture_.title =
        fmt::format("Pipeline schedules: {} stages, {} micro-batches", stages_, micro_batches_);
    picture_.description =
        "forwards, input gradients and weight gradients take one unit each, messages nothing";
    text(20, 34, picture_.title, "heading");
    text(20, 56, picture_.description + ". Numbers are micro-batches.", "soft");
    for (const ScheduleRow& row : schedule_rows()) {
      const PipelineShape shape{stages_, row.least_chunks, micro_batches_, row.kind};
      if (const auto step = unit_step(shape)) draw_schedule(row, *step);
    }
    draw_legend();
    picture_.width += kStageNames + kBehindLongest;
    picture_.height = top_ + 24;
    return std::move(picture_);
  }

 private:
  void text(double x, double y, const std::string& words, const std::string& style) {
    picture_.texts.push_back({x, y, words, style});
  }

  void draw_schedule(const ScheduleRow& row, const UnitStep& step) {
    text(20, top_ + kTextBaseline, std::string(name_of(row.kind)), "level");
    text(kStageNames + 60, top_ + kTextBaseline,
         fmt::format("{}; idle {}, holds {}", row.meaning, step.idle, step.peak), "soft");
    const double rows = top_ + kStageHeight + 3;
    for (int stage = 0; stage < stages_; ++stage)
      text(20, rows + stage * kStageHeight + kTextBaseline, fmt::format("stage {}", stage), "soft");
    picture_.frames.push_back({kStageNames, rows, step.makespan * kUnitWidth,
                               stages_ * kStageHeight, "frame", "idle where nothing is"});
    for (const UnitPass& pass : step.passes)
      draw_pass(pass, row.copies, rows + pass.stage * kStageHeight);
    picture_.width = std::max(picture_.width, step.makespan * kUnitWidth);
    top_ = rows + stages_ * kStageHeight + kToNextSchedule - kStageHeight;
  }

  void draw_pass(const UnitPass& pass, int copies, double y) {
    const PhaseStyle& style = phase_style(pass.task.phase);
    const bool first = copies == 1 ? pass.task.chunk == 0 : pass.model_chunk % copies == 0;
    const double x = kStageNames + pass.start * kUnitWidth;
    const double width = (pass.end - pass.start) * kUnitWidth;
    picture_.boxes.push_back({x + 0.5, y + 0.5, width - 1, kStageHeight - 1,
                              std::string(first ? style.first : style.second),
                              fmt::format("{} of micro-batch {}, chunk {}", style.name,
                                          pass.task.micro_batch, pass.model_chunk)});
    text(x + width / 2, y + kTextBaseline, fmt::format("{}", pass.task.micro_batch), "onswitch");
  }

  void draw_legend() {
    double x = kStageNames;
    for (const PhaseStyle& style : {kPhaseStyles[0], kPhaseStyles[1], kPhaseStyles[3]}) {
      for (const std::string_view colour : {style.first, style.second}) {
        picture_.boxes.push_back({x, top_, kUnitWidth, kUnitWidth, std::string(colour), ""});
        x += kUnitWidth + 3;
      }
      const bool input = style.phase == Phase::backward;
      text(x + 4, top_ + kTextBaseline,
           input ? "backward or input gradient" : std::string(style.name), "soft");
      x += input ? 190 : 120;
    }
    text(x, top_ + kTextBaseline, "first chunk of a stage or copy of the model, second", "soft");
    top_ += kStageHeight;
  }

  int stages_;
  int micro_batches_;
  Picture picture_;
  double top_ = kAboveSchedules;
};

}  // namespace

std::string schedules_svg(int stages, int micro_batches) {
  return svg_text(SchedulesDrawing(stages, micro_batches).draw());
}

}  // namespace simtrain
