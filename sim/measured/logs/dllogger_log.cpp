#include <optional>
#include <simdjson.h>
#include <string>

#include "sim/core/input/text_parts.h"
#include "sim/core/json_text.h"
#include "sim/measured/logs/log_format.h"
#include "sim/measured/run/log_fields.h"

namespace simtrain {
namespace {

namespace json = simdjson::ondemand;

constexpr std::string_view kPrefix = "DLLL";
constexpr std::string_view kConfiguration = "PARAMETER";

/// Behind the prefix and whatever a launcher put before it; where there is none, an object that the
/// line starts with. Nothing where no record starts.
std::optional<std::string_view> record_start(std::string_view text) {
  const std::size_t prefix = find_word(text, kPrefix);
  if (prefix != std::string_view::npos) {
    const std::string_view rest = trimmed(text.substr(prefix + kPrefix.size()));
    if (rest.starts_with('{')) return rest;
  }
  const std::string_view rest = trimmed(text);
  if (rest.starts_with('{')) return rest;
  return std::nullopt;
}

/// Number, or text that holds one; Python writes NaN and Infinity too.
std::optional<double> number_of(json::value value) {
  std::string_view text = trimmed(value.raw_json_token());
  if (text.size() >= 2 && text.front() == '"') text = text.substr(1, text.size() - 2);
  return number_in(text);
}

/// The step of a record: a number, or a list whose last number is the iteration. Nothing where it
/// is a text (PARAMETER) or an empty list (a summary).
simdjson::error_code step_of(json::value value, std::optional<std::int64_t>& step) {
  json::array list;
  if (value.get_array().get(list) != simdjson::SUCCESS) {
    std::int64_t number = 0;
    if (value.get_int64().get(number) == simdjson::SUCCESS) step = number;
    return simdjson::SUCCESS;
  }
  for (auto item : list) {
    std::int64_t number = 0;
    if (const auto error = item.get_int64().get(number)) return error;
    step = number;
  }
  return simdjson::SUCCESS;
}

/// What a record holds, read once from front to back.
struct Record {
  bool configuration = false;  ///< the PARAMETER record
  std::optional<std::int64_t> step;
  StepRecord values;
  bool timed = false;
};

void read_value(std::string_view key, json::value value, Record& record) {
  StepRecord& values = record.values;
  if (key == "train_step_timing in s") {
    record.timed = true;
    values.step.seconds = number_of(value).value_or(kNotLogged);
  } else if (key == "reduced_train_loss" || key == "grad_norm") {
    const std::string_view text = trimmed(value.raw_json_token());
    const bool finite = values.step.finite;
    if (key == "grad_norm")
      set_loss(values.step, std::nullopt, text);
    else
      set_loss(values.step, text, std::nullopt);
    values.step.finite = values.step.finite && finite;
  } else if (key == "consumed_samples") {
    values.consumed_samples = number_of(value).value_or(kNotLogged);
  } else if (key == "TFLOPS_per_GPU") {
    values.step.tflops = number_of(value).value_or(kNotLogged);
  } else if (key == "peak_memory_usage") {
    values.peak_memory_bytes = number_of(value).value_or(kNotLogged);
  }
}

/// Bare values of the configuration: texts without their quotes. Lists and maps are left out.
void read_configuration(std::string_view key, json::value value, RunBuilder& run) {
  json::json_type type{};
  if (value.type().get(type) != simdjson::SUCCESS) return;
  if (type == json::json_type::array || type == json::json_type::object) return;
  std::string_view text;
  if (type != json::json_type::string || value.get_string().get(text) != simdjson::SUCCESS)
    text = trimmed(value.raw_json_token());
  run.configure(key, text);
}

/// `DLLL {"timestamp": ..., "type": "LOG", "step": 12, "data": {...}}`: JSON records, a line each
/// or over several, with or without the prefix; steps from 0. The record of step PARAMETER holds
/// the configuration.
class DlloggerLog final : public LogReader {
 public:
  void line(const LogLine& line, RunBuilder& run) override {
    if (auto start = record_start(line.text)) {
      if (!pending_.empty()) skip_pending(run);
      const std::string_view text = *start;
      if (text.ends_with('}') && read(text, line.number, run)) return;
      end_ = JsonObjectEnd();
      first_line_ = line.number;
      append(text, line.number, run);
    } else if (!pending_.empty()) {
      append(line.text, line.number, run);
    }
  }

  void end(RunBuilder& run) override {
    if (!pending_.empty()) skip_pending(run);
  }

 private:
  /// A record over several lines grows by one; one line can also end it and start another.
  void append(std::string_view text, std::int64_t number, RunBuilder& run) {
    const auto end = end_.find(text);
    pending_.append(text.substr(0, end.value_or(text.size()))).push_back('\n');
    if (!end) {
      if (pending_.size() > LineReader::kLongest) skip_pending(run);
      return;
    }
    std::string whole;
    whole.swap(pending_);
    whole.reserve(whole.size() + LineReader::kPadding);
    if (!read(whole, number, run)) run.skip(first_line_, "is no JSON record that can be read");
    const std::string_view rest = text.substr(*end);
    const auto next = record_start(rest);
    if (!next) return;
    end_ = JsonObjectEnd();
    first_line_ = number;
    append(*next, number, run);
  }

  void skip_pending(RunBuilder& run) {
    run.skip(first_line_, "is a record that is cut off, or that other lines were written into");
    pending_.clear();
  }

  /// False where the text is no JSON object; `LineReader::kPadding` bytes behind it can be read.
  bool read(std::string_view text, std::int64_t line, RunBuilder& run) {
    Record record;
    if (parse(text, record, run) != simdjson::SUCCESS) return false;
    if (record.configuration || !record.step || !record.timed) return true;
    record.values.step.number = *record.step;
    run.add(record.values, line);
    return true;
  }

  simdjson::error_code parse(std::string_view text, Record& record, RunBuilder& run) {
    static_assert(LineReader::kPadding >= simdjson::SIMDJSON_PADDING);
    json::document document;
    if (const auto error =
            parser_.iterate(text.data(), text.size(), text.size() + simdjson::SIMDJSON_PADDING)
                .get(document))
      return error;
    json::object object;
    if (const auto error = document.get_object().get(object)) return error;
    std::string_view raw;
    if (const auto error = object.raw_json().get(raw)) return error;
    // More behind the object: another record, which simdjson would pass over.
    if (raw.rfind('}') != text.rfind('}')) return simdjson::TRAILING_CONTENT;
    if (const auto error = object.reset().error()) return error;
    json::value step;
    const auto found = object.find_field_unordered("step").get(step);
    if (found == simdjson::NO_SUCH_FIELD) return simdjson::SUCCESS;
    if (found != simdjson::SUCCESS) return found;
    std::string_view name;
    if (step.get_string().get(name) == simdjson::SUCCESS) {
      record.configuration = name == kConfiguration;
    } else if (const auto error = step_of(step, record.step)) {
      return error;
    }
    return parse_data(object, record, run);
  }

  static simdjson::error_code parse_data(json::object& object, Record& record, RunBuilder& run) {
    json::object data;
    const auto found = object.find_field_unordered("data").get_object().get(data);
    if (found == simdjson::NO_SUCH_FIELD) return simdjson::SUCCESS;
    if (found != simdjson::SUCCESS) return found;
    for (auto field : data) {
      std::string_view key;
      if (const auto error = field.unescaped_key().get(key)) return error;
      json::value value;
      if (const auto error = field.value().get(value)) return error;
      if (record.configuration)
        read_configuration(key, value, run);
      else
        read_value(key, value, record);
    }
    return simdjson::SUCCESS;
  }

  json::parser parser_;
  std::string pending_;  ///< a record that began and has not ended
  JsonObjectEnd end_;
  std::int64_t first_line_ = 0;
};

}  // namespace

const LogFormat kDlloggerLog{
    "dllogger", "DLLogger's JSON records, with or without the prefix DLLL", "training-metrics", 0,
    []() -> std::unique_ptr<LogReader> { return std::make_unique<DlloggerLog>(); }};

}  // namespace simtrain
