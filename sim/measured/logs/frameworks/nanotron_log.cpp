#include <array>
#include <cmath>

#include "sim/measured/logs/log_format.h"
#include "sim/measured/run/log_fields.h"

namespace simtrain {
namespace {

constexpr std::string_view kElapsed = "elapsed_time_per_iteration_ms: ";
constexpr std::string_view kNanotronStops = "|\r\n\x1b";

/// `4.71K` is 4710, as nanotron writes numbers.
std::optional<double> scaled_number(std::string_view text) {
  constexpr std::array<std::pair<char, double>, 5> kScales{
      {{'K', 1e3}, {'M', 1e6}, {'G', 1e9}, {'B', 1e9}, {'T', 1e12}}};
  if (text.empty()) return std::nullopt;
  for (const auto& [letter, scale] : kScales) {
    if (text.back() != letter) continue;
    const auto number = number_in(text.substr(0, text.size() - 1));
    return number ? std::optional(*number * scale) : std::nullopt;
  }
  return number_in(text);
}

double scaled_after(std::string_view text, std::string_view label) {
  const auto field = field_after(text, label, kNanotronStops);
  return (field ? scaled_number(*field) : std::nullopt).value_or(kNotLogged);
}

/// `iteration: 1 / 15 | ... | elapsed_time_per_iteration_ms: 4.71K | ...`: a line a step, steps
/// from 1, three digits of each number.
class NanotronLog final : public LogReader {
 public:
  void line(const LogLine& line, RunBuilder& run) override {
    if (find_word(line.text, kElapsed) == std::string_view::npos) return;
    if (occurs_twice(line.text, kElapsed)) {
      run.skip(line.number, kTwoSteps);
      return;
    }
    const std::string_view text = line.with_end();
    const double milliseconds = scaled_after(text, kElapsed);
    if (std::isnan(milliseconds)) {
      run.skip(line.number, kNoStepTime);
      return;
    }
    const auto count = field_after(text, "iteration: ", "/|\r\n");
    const auto number = count ? whole_number_in(*count) : std::nullopt;
    if (!number) {
      run.skip(line.number, kNoStepNumber);
      return;
    }
    StepRecord record;
    record.step.number = *number;
    record.step.seconds = milliseconds / 1e3;
    record.step.tflops = scaled_after(text, "model_tflops_per_gpu: ");
    record.global_batch_size = scaled_after(text, "global_batch_size: ");
    set_loss(record.step, field_after(text, "lm_loss: ", kNanotronStops),
             field_after(text, "grad_norm: ", kNanotronStops));
    run.add(record, line.number);
  }
};

}  // namespace

const LogFormat kNanotronLog{
    "nanotron", "nanotron: lines with 'elapsed_time_per_iteration_ms: 4.71K'", "parse-train-timing",
    1, []() -> std::unique_ptr<LogReader> { return std::make_unique<NanotronLog>(); }};

}  // namespace simtrain
