#include <cmath>
#include <simdjson.h>

#include "sim/measured/logs/log_format.h"
#include "sim/measured/run/log_fields.h"

namespace simtrain {
namespace {

namespace json = simdjson::ondemand;

constexpr std::string_view kMark = ":::MLLOG";

/// What a record of MLPerf's log holds, as far as it is read.
struct MlperfRecord {
  std::string key;
  double number = kNotLogged;  ///< `value`, where it is a number
  double step_time = kNotLogged;
  double throughput = kNotLogged;  ///< samples a second
  double loss = kNotLogged;
  double step = kNotLogged;
  double samples = kNotLogged;  ///< by the end of the step
};

double real_of(json::value value) {
  double number = 0;
  return value.get_double().get(number) == simdjson::SUCCESS ? number : kNotLogged;
}

simdjson::error_code read_stats(json::object& stats, MlperfRecord& record) {
  for (auto field : stats) {
    std::string_view key;
    if (const auto error = field.unescaped_key().get(key)) return error;
    json::value value;
    if (const auto error = field.value().get(value)) return error;
    if (key == "train_step_time" || key == "step_time") record.step_time = real_of(value);
    if (key == "throughput") record.throughput = real_of(value);
    if (key == "reduced_train_loss" || key == "train_loss") record.loss = real_of(value);
  }
  return simdjson::SUCCESS;
}

simdjson::error_code read_metadata(json::object& metadata, MlperfRecord& record) {
  for (auto field : metadata) {
    std::string_view key;
    if (const auto error = field.unescaped_key().get(key)) return error;
    json::value value;
    if (const auto error = field.value().get(value)) return error;
    if (key == "step" || key == "step_num") record.step = real_of(value);
    if (key == "samples_count") record.samples = real_of(value);
  }
  return simdjson::SUCCESS;
}

simdjson::error_code read_fields(json::object& object, MlperfRecord& record) {
  for (auto field : object) {
    std::string_view key;
    if (const auto error = field.unescaped_key().get(key)) return error;
    json::value value;
    if (const auto error = field.value().get(value)) return error;
    json::object inner;
    if (key == "key") {
      std::string_view name;
      if (const auto error = value.get_string().get(name)) return error;
      record.key = name;
    } else if (key == "value" && value.get_object().get(inner) == simdjson::SUCCESS) {
      if (const auto error = read_stats(inner, record)) return error;
    } else if (key == "value") {
      record.number = real_of(value);
    } else if (key == "metadata" && value.get_object().get(inner) == simdjson::SUCCESS) {
      if (const auto error = read_metadata(inner, record)) return error;
    }
  }
  return simdjson::SUCCESS;
}

/// `:::MLLOG {"time_ms": ..., "key": "tracked_stats", "value": {"train_step_time": 2.33},
/// "metadata": {"step": 20}}`: a record a line. A step's time is logged, or its throughput and,
/// before, the global batch size.
class MlperfLog final : public LogReader {
 public:
  void line(const LogLine& line, RunBuilder& run) override {
    const std::size_t mark = find_word(line.text, kMark);
    if (mark == std::string_view::npos) return;
    const std::string_view text = line.text.substr(mark + kMark.size());
    MlperfRecord record;
    if (parse(text, record) != simdjson::SUCCESS) {
      run.skip(line.number, "is no JSON record that can be read");
      return;
    }
    if (record.key == "global_batch_size" && record.number > 0) {
      batch_ = record.number;
      run.configure("global_batch_size", std::to_string(static_cast<std::int64_t>(batch_)));
    } else if (record.key == "max_sequence_length" && record.number > 0 && record.number < 1e12) {
      run.configure("seq_length", std::to_string(static_cast<std::int64_t>(record.number)));
    } else if (record.key == "tracked_stats") {
      add(record, line.number, run);
    }
  }

 private:
  simdjson::error_code parse(std::string_view text, MlperfRecord& record) {
    static_assert(LineReader::kPadding >= simdjson::SIMDJSON_PADDING);
    json::document document;
    if (const auto error =
            parser_.iterate(text.data(), text.size(), text.size() + simdjson::SIMDJSON_PADDING)
                .get(document))
      return error;
    json::object object;
    if (const auto error = document.get_object().get(object)) return error;
    return read_fields(object, record);
  }

  void add(const MlperfRecord& stats, std::int64_t line, RunBuilder& run) const {
    double seconds = stats.step_time;
    if (std::isnan(seconds) && stats.throughput > 0) seconds = batch_ / stats.throughput;
    if (std::isnan(seconds)) return;  // of an evaluation, or of something else
    const double step = std::isnan(stats.step) ? stats.samples / batch_ : stats.step;
    if (!(step >= 0 && step <= 1e12)) {
      run.skip(line, kNoStepNumber);
      return;
    }
    StepRecord record;
    record.step.number = static_cast<std::int64_t>(step);
    record.step.seconds = seconds;
    record.step.loss = static_cast<float>(stats.loss);
    run.add(record, line);
  }

  json::parser parser_;
  double batch_ = kNotLogged;
};

}  // namespace

const LogFormat kMlperfLog{
    "mlperf", "MLPerf's records, ':::MLLOG {...}', with step times or throughputs in tracked_stats",
    "parse-train-timing", 0,
    []() -> std::unique_ptr<LogReader> { return std::make_unique<MlperfLog>(); }};

}  // namespace simtrain
