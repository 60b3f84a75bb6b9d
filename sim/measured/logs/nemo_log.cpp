#include "sim/measured/logs/log_format.h"
#include "sim/measured/run/log_fields.h"

namespace simtrain {
namespace {

constexpr std::string_view kNemoTiming = "train_step_timing in s: ";
constexpr std::string_view kNemoHead = "Training epoch ";
constexpr std::string_view kNemoStops = "|\r\n\x1b";

/// `Training epoch 0, iteration 49/49 | lr: ... | global_step: 49 | ... | train_step_timing in s:
/// 12.39 | ...`: a line a step, steps from 0.
class NemoLog final : public LogReader {
 public:
  void line(const LogLine& line, RunBuilder& run) override {
    if (find_word(line.text, kNemoTiming) == std::string_view::npos) {
      if (find_word(line.text, kNemoHead) != std::string_view::npos &&
          find_word(line.text, " iteration ") != std::string_view::npos)
        run.skip(line.number, "is a training step without 'train_step_timing in s'");
      return;
    }
    if (occurs_twice(line.text, kNemoTiming) || occurs_twice(line.text, kNemoHead)) {
      run.skip(line.number, kTwoSteps);
      return;
    }
    add(line.with_end(), line.number, run);
  }

 private:
  static void add(std::string_view text, std::int64_t number, RunBuilder& run) {
    const auto timing = field_after(text, kNemoTiming, kNemoStops);
    const auto seconds = timing ? number_in(*timing) : std::nullopt;
    if (!seconds) {
      run.skip(number, kNoStepTime);
      return;
    }
    auto step = field_after(text, "global_step: ", kNemoStops);
    if (!step) step = field_after(text, " iteration ", "/");
    const auto count = step ? whole_number_in(*step) : std::nullopt;
    if (!count) {
      run.skip(number, kNoStepNumber);
      return;
    }
    StepRecord record;
    record.step.number = *count;
    record.step.seconds = *seconds;
    record.step.tflops = number_after(text, "TFLOPS_per_GPU: ", kNemoStops);
    set_loss(record.step, field_after(text, "reduced_train_loss: ", kNemoStops),
             field_after(text, "grad_norm: ", kNemoStops));
    record.global_batch_size = number_after(text, "global_batch_size: ", kNemoStops);
    record.consumed_samples = number_after(text, "consumed_samples: ", kNemoStops);
    record.peak_memory_bytes = number_after(text, "peak_memory_usage: ", kNemoStops);
    run.add(record, number);
  }
};

}  // namespace

const LogFormat kNemoLog{
    "nemo", "NeMo 2: lines with 'train_step_timing in s: 12.39'", "parse-train-timing", 0,
    []() -> std::unique_ptr<LogReader> { return std::make_unique<NemoLog>(); }};

}  // namespace simtrain
