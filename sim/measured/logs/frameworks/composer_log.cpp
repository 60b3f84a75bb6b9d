#include "sim/measured/logs/log_format.h"
#include "sim/measured/run/log_fields.h"

namespace simtrain {
namespace {

constexpr std::string_view kHead = "[batch=";
constexpr std::string_view kComposerStops = "\r\n\x1b";

/// `[batch=20/24800]:` and below it a line for each metric, `Train throughput/batches_per_sec:
/// 0.3461`: the mean rate of SpeedMonitor's window. Batches from 1.
class ComposerLog final : public LogReader {
 public:
  void line(const LogLine& line, RunBuilder& run) override {
    const std::string_view text = line.with_end();
    if (const auto head = field_after(text, kHead, "/]\r\n")) {
      end(run);
      const auto number = whole_number_in(*head);
      if (!number) {
        run.skip(line.number, kNoStepNumber);
        return;
      }
      record_ = StepRecord();
      record_->step.number = *number;
      record_->step.seconds = 0;
      line_ = line.number;
      return;
    }
    if (record_) read_metric(text);
  }

  /// A batch ends where the next begins. The first have no rate yet.
  void end(RunBuilder& run) override {
    if (record_ && record_->step.seconds > 0) run.add(*record_, line_);
    record_.reset();
  }

 private:
  void read_metric(std::string_view text) {
    if (const auto rate = metric(text, " throughput/batches_per_sec:")) {
      record_->step.seconds = *rate > 0 ? 1 / *rate : 0;
    } else if (const auto flops = metric(text, " throughput/device/flops_per_sec:")) {
      record_->step.tflops = *flops / 1e12;
    } else if (const auto loss = field_after(text, " loss/train/total:", kComposerStops)) {
      set_loss(record_->step, *loss, std::nullopt);
    }
  }

  static std::optional<double> metric(std::string_view text, std::string_view label) {
    const auto field = field_after(text, label, kComposerStops);
    if (!field) return std::nullopt;
    std::string plain(*field);
    std::erase(plain, ',');
    return number_in(plain);
  }

  std::optional<StepRecord> record_;  ///< of the batch whose metrics come
  std::int64_t line_ = 0;
};

}  // namespace

const LogFormat kComposerLog{
    "composer",
    "LLM Foundry (Composer): '[batch=20/100]:' and below it 'Train throughput/batches_per_sec: "
    "0.3461'",
    "parse-train-timing", 1,
    []() -> std::unique_ptr<LogReader> { return std::make_unique<ComposerLog>(); }};

}  // namespace simtrain
