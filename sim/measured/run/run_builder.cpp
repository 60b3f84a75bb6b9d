#include "sim/measured/run/run_builder.h"

#include <algorithm>
#include <cmath>

namespace simtrain {
namespace {

constexpr std::int64_t kLargestNumber = 1'000'000'000'000;
constexpr double kLongestStep = 1e7;  // seconds: four months
constexpr std::size_t kMostKeys = 4096;
constexpr std::size_t kLongestValue = 4096;

bool is_known(double value) { return !std::isnan(value); }

bool is_count(double value) { return value >= 1 && value <= 1e12 && value == std::floor(value); }

}  // namespace

void add_skipped(SkippedLines& skipped, std::int64_t line, std::string_view why) {
  ++skipped.count;
  ++skipped.reasons[std::string(why)];
  if (skipped.named.size() < SkippedLines::kNamed)
    skipped.named.push_back({line, std::string(why)});
}

RunBuilder::RunBuilder(const StepWindow& window, std::string_view tool, std::int64_t first_number)
    : table_(window), first_number_(first_number) {
  run_.window = window;
  run_.tool = tool;
}

void RunBuilder::add(const StepRecord& record, std::int64_t line) {
  const MeasuredStep& step = record.step;
  if (step.number < 0 || step.number > kLargestNumber) {
    skip(line, "its step number is not one that a run can reach");
    return;
  }
  if (!(step.seconds > 0 && step.seconds <= kLongestStep)) {
    skip(line, "its step time is not a positive number of seconds");
    return;
  }
  run_.first_step = run_.steps_seen == 0 ? step.number : std::min(run_.first_step, step.number);
  run_.last_step = std::max(run_.last_step, step.number);
  ++run_.steps_seen;
  note_batch(record);
  table_.add(step);
  if (!run_.tool.empty()) own_.add(step);
  if (record.peak_memory_bytes > 0) {
    run_.facts.peak_memory_bytes =
        std::max(run_.facts.peak_memory_bytes.value_or(0), record.peak_memory_bytes);
  }
}

/// Samples of a step: what is consumed between two steps. Of a single record the mean since the
/// start, which is the same where the batch never grew.
void RunBuilder::note_batch(const StepRecord& record) {
  if (is_count(record.global_batch_size)) run_.facts.global_batch_size = record.global_batch_size;
  if (!is_known(record.consumed_samples)) return;
  const std::int64_t number = record.step.number;
  const bool follows = sampled_step_ >= 0 && number > sampled_step_;
  const double samples = follows ? record.consumed_samples - sampled_ : record.consumed_samples;
  const std::int64_t steps = follows ? number - sampled_step_ : number - first_number_ + 1;
  const double batch = samples / static_cast<double>(steps);
  if ((follows || sampled_step_ < 0) && is_count(batch)) run_.facts.batch_from_samples = batch;
  sampled_step_ = number;
  sampled_ = record.consumed_samples;
}

void RunBuilder::skip(std::int64_t line, std::string_view why) {
  add_skipped(run_.skipped, line, why);
}

void RunBuilder::configure(std::string_view key, std::string_view value) {
  auto& keys = run_.facts.configuration;
  if (keys.size() < kMostKeys) keys.emplace(key, value.substr(0, kLongestValue));
}

MeasuredRun RunBuilder::take() {
  run_.steps = table_.take();
  run_.repeated = table_.repeated();
  if (run_.steps.size() < 2 && run_.window.newest == 0 && !run_.tool.empty()) take_own_window();
  return std::move(run_);
}

/// One step has no deviation, and of a run that was resumed the tool's window holds none.
void RunBuilder::take_own_window() {
  std::vector<MeasuredStep> steps = own_.steps();
  if (steps.size() <= run_.steps.size()) return;
  run_.missed = {run_.window, run_.steps.size(), own_.warm_up()};
  run_.window.first = steps.front().number;
  run_.window.last = steps.back().number;
  run_.repeated = own_.repeated();
  run_.steps = std::move(steps);
}

}  // namespace simtrain
