#include "sim/measured/logs/log_format.h"
#include "sim/measured/run/log_fields.h"

namespace simtrain {
namespace {

constexpr std::string_view kBarTiming = "train_step_timing in s=";
constexpr std::string_view kBarStops = ",]\r\n\x1b";

/// Steps done, of `100/100 [07:57<00:00, ...`.
std::optional<std::int64_t> bar_count(std::string_view text) {
  const std::size_t bracket = find_word(text, " [");
  if (bracket == std::string_view::npos) return std::nullopt;
  const std::string_view front = text.substr(0, bracket);
  const std::size_t slash = front.rfind('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::string_view before = front.substr(0, slash);
  return whole_number_in(before.substr(before.find_last_of(" |") + 1));
}

/// The bar prints three digits of large numbers ("1.23e+5"), which are no step number then.
std::optional<std::int64_t> step_number(std::string_view text) {
  const auto step = field_after(text, "global_step=", kBarStops);
  if (step && step->find('e') == std::string_view::npos) return whole_number_in(*step);
  const auto done = bar_count(text);
  if (!done || *done == 0) return std::nullopt;
  return *done - 1;
}

/// A count as the bar prints it; NaN where digits are left out.
double exact_after(std::string_view text, std::string_view label) {
  const auto field = field_after(text, label, kBarStops);
  const bool exact = field && field->find('e') == std::string_view::npos;
  return exact ? number_in(*field).value_or(kNotLogged) : kNotLogged;
}

/// `Epoch 0: : 100%|...| 100/100 [07:57<00:00, ..., global_step=99.00, ..., train_step_timing in
/// s=3.590]`: a bar drawn over itself with carriage returns, steps from 0.
class NemoProgressBar final : public LogReader {
 public:
  void line(const LogLine& line, RunBuilder& run) override {
    if (find_word(line.text, kBarTiming) == std::string_view::npos) {
      if (find_word(line.text, "global_step=") != std::string_view::npos)
        run.skip(line.number, "is a progress bar without 'train_step_timing in s'");
      return;
    }
    if (occurs_twice(line.text, kBarTiming)) {
      run.skip(line.number, kTwoSteps);
      return;
    }
    add(line.with_end(), line.number, run);
  }

 private:
  static void add(std::string_view text, std::int64_t number, RunBuilder& run) {
    const auto timing = field_after(text, kBarTiming, kBarStops);
    const auto seconds = timing ? number_in(*timing) : std::nullopt;
    if (!seconds) {
      run.skip(number, kNoStepTime);
      return;
    }
    const auto step = step_number(text);
    if (!step) {
      run.skip(number, kNoStepNumber);
      return;
    }
    StepRecord record;
    record.step.number = *step;
    record.step.seconds = *seconds;
    set_loss(record.step, field_after(text, "reduced_train_loss=", kBarStops),
             field_after(text, "grad_norm=", kBarStops));
    record.consumed_samples = exact_after(text, "consumed_samples=");
    run.add(record, number);
  }
};

}  // namespace

const LogFormat kNemoProgressBar{
    "nemo-progress-bar", "NeMo 1: a progress bar with 'train_step_timing in s=3.590'", "last", 0,
    []() -> std::unique_ptr<LogReader> { return std::make_unique<NemoProgressBar>(); }};

}  // namespace simtrain
