#include <string>

#include "sim/core/quantity.h"
#include "sim/measured/logs/log_format.h"
#include "sim/measured/logs/time_between.h"
#include "sim/measured/run/log_fields.h"

namespace simtrain {
namespace {

constexpr std::string_view kTokensPerSecond = "tps: ";
constexpr std::string_view kStepLabel = "step: ";
constexpr std::string_view kTitanStops = " (\r\n\x1b";

/// The number behind a label and its blanks; thousands may be parted by commas.
std::optional<double> titan_number(std::string_view text, std::string_view label) {
  const std::size_t at = find_word(text, label);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = text.substr(at + label.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  const std::size_t end = rest.find_first_of(kTitanStops);
  if (end == std::string_view::npos) return std::nullopt;
  std::string plain(rest.substr(0, end));
  std::erase(plain, ',');
  return number_in(plain);
}

std::optional<double> digits(std::string_view text, std::size_t at, std::size_t count) {
  if (at + count > text.size()) return std::nullopt;
  const std::string_view part = text.substr(at, count);
  if (part.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  return number_in(part);
}

/// Seconds of `2025-06-16 22:30:50,322` since a day long past, by the rules of the calendar; where
/// the time starts in `at`.
std::optional<double> clock_of(std::string_view text, std::size_t& at) {
  constexpr std::string_view kLayout = "dddd-dd-dd dd:dd:dd,ddd";
  for (at = 0; at + kLayout.size() <= text.size(); ++at) {
    std::size_t i = 0;
    while (i < kLayout.size() && (kLayout[i] == 'd' ? text[at + i] >= '0' && text[at + i] <= '9'
                                                    : text[at + i] == kLayout[i]))
      ++i;
    if (i == kLayout.size()) break;
  }
  const auto year = digits(text, at, 4);
  const auto month = digits(text, at + 5, 2);
  const auto day = digits(text, at + 8, 2);
  const auto hour = digits(text, at + 11, 2);
  const auto minute = digits(text, at + 14, 2);
  const auto second = digits(text, at + 17, 2);
  const auto milli = digits(text, at + 20, 3);
  if (!year || !month || !day || !hour || !minute || !second || !milli) return std::nullopt;
  // Days from March on, so that a leap day ends the year.
  const int y = static_cast<int>(*year) - (*month <= 2 ? 1 : 0);
  const int m = (static_cast<int>(*month) + 9) % 12;
  const int whole_years = y * 365 + y / 4 - y / 100 + y / 400;
  const int days = whole_years + (m * 306 + 5) / 10 + static_cast<int>(*day);
  return days * kSecondsPerDay + *hour * kSecondsPerHour + *minute * 60 + *second + *milli / 1e3;
}

/// `[rank0]:[titan] 2025-06-16 22:30:50,322 - root - INFO - step: 200  loss:  6.1384  memory: ...
/// tps: 5,856  tflops: 339.16  mfu: 34.29%`: a line every so many steps, steps from 1. There is no
/// time of a step in it: it is that between lines.
class TorchtitanLog final : public LogReader {
 public:
  void line(const LogLine& line, RunBuilder& run) override {
    const std::string_view text = line.with_end();
    if (find_word(text, "Training starts at step") != std::string_view::npos) {
      for (const auto& [label, key] : {std::pair{"global batch size ", "global_batch_size"},
                                       std::pair{"sequence length ", "seq_length"}}) {
        if (const auto value = field_after(text, label, ",\r\n ")) run.configure(key, *value);
      }
      return;
    }
    const bool step = find_word(text, kTokensPerSecond) != std::string_view::npos &&
                      find_word(text, kStepLabel) != std::string_view::npos;
    if (!step || find_word(text, "loss: ") == std::string_view::npos) return;
    if (occurs_twice(text, kTokensPerSecond) || occurs_twice(text, kStepLabel)) {
      run.skip(line.number, kTwoSteps);
    } else {
      add(text, line.number, run);
    }
  }

 private:
  void add(std::string_view text, std::int64_t line, RunBuilder& run) {
    std::size_t start = 0;
    const auto clock = clock_of(text, start);
    if (!clock) {
      run.skip(line, "holds no time of its own, which step times are made of");
      return;
    }
    const std::string_view rank = text.substr(0, start);
    if (!rank_) rank_ = std::string(rank);
    if (*rank_ != rank) return;  // every rank writes the same steps
    const auto count = titan_number(text, kStepLabel);
    if (!count || *count < 0 || *count > 1e12) {
      run.skip(line, kNoStepNumber);
      return;
    }
    StepRecord record;
    record.step.number = static_cast<std::int64_t>(*count);
    const auto seconds = times_.seconds(record.step.number, *clock);
    if (!seconds) {
      run.skip(line, TimeBetween::kFirst);
      return;
    }
    record.step.seconds = *seconds;
    record.step.tflops = titan_number(text, "tflops: ").value_or(kNotLogged);
    if (const auto loss = titan_number(text, "loss: "))
      record.step.loss = static_cast<float>(*loss);
    run.add(record, line);
  }

  std::optional<std::string> rank_;  ///< what is before the time of the first line
  TimeBetween times_;
};

}  // namespace

const LogFormat kTorchtitanLog{
    "torchtitan", "torchtitan: lines with 'step: 200  loss: ... tps: 5,856'; times between lines",
    "parse-train-timing", 1,
    []() -> std::unique_ptr<LogReader> { return std::make_unique<TorchtitanLog>(); }};

}  // namespace simtrain
