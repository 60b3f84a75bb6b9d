#include "sim/measured/logs/log_format.h"
#include "sim/measured/run/log_fields.h"

namespace simtrain {
namespace {

constexpr std::string_view kCompleted = "completed step: ";
constexpr std::string_view kMaxTextStops = ",\r\n\x1b";

/// `completed step: 10, seconds: 28.291, TFLOP/s/device: 1520.400, Tokens/s/device: 579.100,
/// total_weights: 4194304, loss: 13.702`: a line a step, steps from 0.
class MaxTextLog final : public LogReader {
 public:
  void line(const LogLine& line, RunBuilder& run) override {
    if (find_word(line.text, kCompleted) == std::string_view::npos) return;
    if (occurs_twice(line.text, kCompleted)) {
      run.skip(line.number, kTwoSteps);
      return;
    }
    const std::string_view text = line.with_end();
    const auto timing = field_after(text, "seconds: ", kMaxTextStops);
    const auto seconds = timing ? number_in(*timing) : std::nullopt;
    if (!seconds) {
      run.skip(line.number, kNoStepTime);
      return;
    }
    const auto count = field_after(text, kCompleted, kMaxTextStops);
    const auto number = count ? whole_number_in(*count) : std::nullopt;
    if (!number) {
      run.skip(line.number, kNoStepNumber);
      return;
    }
    StepRecord record;
    record.step.number = *number;
    record.step.seconds = *seconds;
    record.step.tflops = number_after(text, "TFLOP/s/device: ", kMaxTextStops);
    set_loss(record.step, field_after(text, " loss: ", kMaxTextStops), std::nullopt);
    run.add(record, line.number);
  }
};

}  // namespace

const LogFormat kMaxTextLog{
    "maxtext", "MaxText: lines with 'completed step: 10, seconds: 28.291'", "training-metrics", 0,
    []() -> std::unique_ptr<LogReader> { return std::make_unique<MaxTextLog>(); }};

}  // namespace simtrain
