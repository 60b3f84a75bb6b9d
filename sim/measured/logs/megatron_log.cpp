#include <array>
#include <cmath>

#include "sim/core/input/text_parts.h"
#include "sim/measured/logs/log_format.h"
#include "sim/measured/run/log_fields.h"

namespace simtrain {
namespace {

constexpr std::string_view kMegatronHead = "iteration ";  // " iteration" but where blanks are cut
constexpr std::string_view kMegatronTiming = "elapsed time per iteration (";
constexpr std::string_view kStops = "|\r\n\x1b";

/// The number of ` iteration       10/      50 |`.
std::optional<std::int64_t> iteration(std::string_view text) {
  const auto done = field_after(text, kMegatronHead, "/|");
  if (!done) return std::nullopt;
  const std::string_view rest = text.substr(static_cast<std::size_t>(done->data() - text.data()));
  const std::size_t slash = rest.find_first_of("/|");
  if (rest[slash] != '/') return std::nullopt;
  const std::size_t bar = rest.find('|', slash);
  if (bar == std::string_view::npos ||
      !whole_number_in(trimmed(rest.substr(slash + 1, bar - slash - 1))))
    return std::nullopt;
  return whole_number_in(*done);
}

/// The first of `13100.0/13240.9`: Primus writes the mean of all steps behind that of this one.
std::string_view before_mean(std::string_view field) { return field.substr(0, field.find('/')); }

/// The time of `elapsed time per iteration (ms): 12390.0 |`, also in `(s)`.
std::optional<double> elapsed_seconds(std::string_view text) {
  struct Unit {
    std::string_view label;
    double divisor;
  };
  constexpr std::array<Unit, 2> kUnits{
      {{"elapsed time per iteration (ms):", 1e3}, {"elapsed time per iteration (s):", 1}}};
  for (const Unit& unit : kUnits) {
    const auto field = field_after(text, unit.label, kStops);
    const auto value = field ? number_in(before_mean(*field)) : std::nullopt;
    if (value) return *value / unit.divisor;
  }
  return std::nullopt;
}

/// `  seq_length ...................... 8192`: the name and the value of an argument.
void read_argument(std::string_view text, RunBuilder& run) {
  const std::size_t dots = find_word(text, " ..");
  if (dots == std::string_view::npos) return;
  const std::size_t value = text.find_first_not_of('.', dots + 1);
  const std::string_view front = trimmed(text.substr(0, dots));
  const std::string_view key = front.substr(front.find_last_of(' ') + 1);
  if (key.empty() || value == std::string_view::npos || text[value] != ' ') return;
  run.configure(key, trimmed(text.substr(value)));
}

/// ` iteration 10/ 50 | ... | elapsed time per iteration (ms): 12390.0 | ...`: a line every so many
/// steps, steps from 1. Megatron-Bridge prints the TFLOP/s in a line before it.
class MegatronLog final : public LogReader {
 public:
  void line(const LogLine& line, RunBuilder& run) override {
    if (read_configuration(line, run)) return;
    const std::string_view text = line.with_end();
    if (find_word(line.text, "MODEL_TFLOP/s/GPU") != std::string_view::npos)
      bridge_tflops_ = number_after(text, "GPU utilization: ", "M\r\n");
    const bool timed = find_word(line.text, kMegatronTiming) != std::string_view::npos;
    const auto number = find_word(line.text, kMegatronHead) == std::string_view::npos
                            ? std::nullopt
                            : iteration(line.text);
    if (!timed && !number) return;
    if (!timed) {
      run.skip(line.number, "is a training step without 'elapsed time per iteration'");
    } else if (occurs_twice(line.text, kMegatronTiming)) {
      run.skip(line.number, kTwoSteps);
    } else if (!number) {
      run.skip(line.number, kNoStepNumber);
    } else {
      add(text, line.number, *number, run);
    }
  }

 private:
  bool read_configuration(const LogLine& line, RunBuilder& run) {
    if (find_word(line.text, "-- arguments --") != std::string_view::npos) {
      in_arguments_ = true;
    } else if (find_word(line.text, "-- end of arguments --") != std::string_view::npos) {
      in_arguments_ = false;
    } else if (in_arguments_ && find_word(line.text, " ..") != std::string_view::npos) {
      read_argument(line.text, run);
    } else if (find_word(line.text, "padded vocab (size:") != std::string_view::npos) {
      if (const auto size = field_after(line.text, "(new size:", ")"))
        run.configure("padded_vocab_size", *size);
    } else {
      return false;
    }
    return true;
  }

  void add(std::string_view text, std::int64_t line, std::int64_t number, RunBuilder& run) {
    const auto seconds = elapsed_seconds(text);
    if (!seconds) {
      run.skip(line, kNoStepTime);
      return;
    }
    StepRecord record;
    record.step.number = number;
    record.step.seconds = *seconds;
    if (const auto rate = field_after(text, "throughput per GPU (TFLOP/s/GPU):", kStops))
      record.step.tflops = number_in(before_mean(*rate)).value_or(kNotLogged);
    if (std::isnan(record.step.tflops)) record.step.tflops = bridge_tflops_;
    bridge_tflops_ = kNotLogged;
    set_loss(record.step, field_after(text, "lm loss:", kStops),
             field_after(text, "grad norm:", kStops));
    record.global_batch_size = number_after(text, "global batch size:", kStops);
    record.consumed_samples = number_after(text, "consumed samples:", kStops);
    run.add(record, line);
  }

  bool in_arguments_ = false;
  double bridge_tflops_ = kNotLogged;  ///< of the step whose line comes next
};

}  // namespace

const LogFormat kMegatronLog{
    "megatron",
    "Megatron-LM, Megatron-Bridge, Primus: lines with 'elapsed time per iteration (ms): 12390.0'",
    "parse-train-timing-mbridge", 1,
    []() -> std::unique_ptr<LogReader> { return std::make_unique<MegatronLog>(); }};

}  // namespace simtrain
