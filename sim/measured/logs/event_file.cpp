#include "sim/measured/logs/event_file.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <protozero/pbf_reader.hpp>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/measured/logs/value_names.h"
#include "sim/measured/run/log_fields.h"

namespace simtrain {
namespace {

constexpr std::size_t kHeadBytes = 12;  // the length and its checksum
constexpr std::size_t kTailBytes = 4;   // the checksum of the event
constexpr std::uint64_t kLongestEvent = 1U << 26U;
constexpr std::size_t kMostNames = 12;

// Fields of tensorflow's Event, Summary, Summary.Value and TensorProto.
constexpr std::uint32_t kEventStep = 2;
constexpr std::uint32_t kEventSummary = 5;
constexpr std::uint32_t kSummaryValue = 1;
constexpr std::uint32_t kValueTag = 1;
constexpr std::uint32_t kValueSimple = 2;
constexpr std::uint32_t kValueTensor = 8;
constexpr std::uint32_t kTensorContent = 4;
constexpr std::uint32_t kTensorFloats = 5;
constexpr std::uint32_t kTensorDoubles = 6;

using Wire = protozero::pbf_wire_type;

/// Whether the field that comes is one of this number, written in this way.
bool is(const protozero::pbf_reader& reader, std::uint32_t number, Wire wire) {
  return reader.tag() == number && reader.wire_type() == wire;
}

/// A scalar that a tensor holds, written as 4 raw bytes or as the only number of its list.
std::optional<double> scalar_in(protozero::pbf_reader tensor) {
  std::optional<double> value;
  while (tensor.next()) {
    if (is(tensor, kTensorFloats, Wire::length_delimited)) {
      for (const float number : tensor.get_packed_float()) value = number;
    } else if (is(tensor, kTensorFloats, Wire::fixed32)) {
      value = tensor.get_float();
    } else if (is(tensor, kTensorDoubles, Wire::length_delimited)) {
      for (const double number : tensor.get_packed_double()) value = number;
    } else if (is(tensor, kTensorDoubles, Wire::fixed64)) {
      value = tensor.get_double();
    } else if (is(tensor, kTensorContent, Wire::length_delimited)) {
      const protozero::data_view bytes = tensor.get_view();
      float number = 0;
      if (bytes.size() == sizeof number) {
        std::memcpy(&number, bytes.data(), sizeof number);
        value = number;
      }
    } else {
      tensor.skip();
    }
  }
  return value;
}

/// Puts the scalars of events together to steps.
class EventSteps {
 public:
  explicit EventSteps(RunBuilder& run) : run_(run) {}

  void event(std::string_view bytes, std::int64_t record) {
    protozero::pbf_reader event(bytes.data(), bytes.size());
    std::int64_t step = 0;
    std::vector<protozero::pbf_reader> summaries;
    while (event.next()) {
      if (is(event, kEventStep, Wire::varint)) {
        step = event.get_int64();
      } else if (is(event, kEventSummary, Wire::length_delimited)) {
        summaries.push_back(event.get_message());
      } else {
        event.skip();
      }
    }
    if (summaries.empty()) return;
    if (step != record_.step.number || !started_) end();
    if (!started_) start(step, record);
    for (protozero::pbf_reader& summary : summaries) read_summary(summary);
  }

  /// The step is whole where the next one begins.
  void end() {
    if (started_ && timed_) run_.add(record_, line_);
    any_ = any_ || (started_ && timed_);
    started_ = false;
  }

  /// The scalars of a file that holds no step time.
  [[nodiscard]] std::string names() const {
    return any_ ? "" : fmt::format("{}", fmt::join(names_, ", "));
  }

 private:
  void start(std::int64_t step, std::int64_t record) {
    record_ = StepRecord();
    record_.step.number = step;
    line_ = record;
    started_ = true;
    timed_ = false;
  }

  void read_summary(protozero::pbf_reader& summary) {
    while (summary.next(kSummaryValue, Wire::length_delimited)) read_value(summary.get_message());
  }

  void read_value(protozero::pbf_reader value) {
    std::string name;
    std::optional<double> number;
    while (value.next()) {
      if (is(value, kValueTag, Wire::length_delimited)) {
        name = value.get_string();
      } else if (is(value, kValueSimple, Wire::fixed32)) {
        number = value.get_float();
      } else if (is(value, kValueTensor, Wire::length_delimited)) {
        number = scalar_in(value.get_message());
      } else {
        value.skip();
      }
    }
    if (!number) return;
    if (names_.size() < kMostNames && name.size() < 80) names_.insert(name);
    const auto meaning = logged_value(name);
    if (!meaning || *meaning == LoggedValue::number || *meaning == LoggedValue::clock) return;
    timed_ = timed_ || is_step_time(*meaning);
    set_value(*meaning, *number, record_);
  }

  RunBuilder& run_;
  StepRecord record_;  ///< of the step whose scalars come
  std::int64_t line_ = 0;
  bool started_ = false;
  bool timed_ = false;
  bool any_ = false;
  std::set<std::string> names_;
};

/// Fills a span from the source; false where it ends before.
bool read_whole(const ByteSource& source, std::span<char> bytes, std::int64_t& read) {
  while (!bytes.empty()) {
    const std::size_t got = source(bytes);
    if (got == 0) return false;
    read += static_cast<std::int64_t>(got);
    bytes = bytes.subspan(std::min(got, bytes.size()));
  }
  return true;
}

std::uint64_t length_of(std::span<const char> head) {
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < sizeof length; ++i)
    length |= std::uint64_t{static_cast<unsigned char>(head[i])} << (8 * i);
  return length;
}

}  // namespace

bool is_event_file(std::string_view start) {
  return start.size() >= kHeadBytes && length_of({start.data(), sizeof(std::uint64_t)}) < 64 &&
         start.find("brain.Event:") != std::string_view::npos;
}

std::string read_event_file(const ByteSource& source, RunBuilder& run, EventFileSize& size) {
  EventSteps steps(run);
  std::vector<char> head(kHeadBytes);
  std::vector<char> event;
  while (true) {
    const std::int64_t before = size.bytes;
    if (!read_whole(source, head, size.bytes)) {
      if (size.bytes > before) run.skip(size.records + 1, "is cut off");
      break;
    }
    const std::uint64_t length = length_of(head);
    ++size.records;
    if (length > kLongestEvent) {
      run.skip(size.records, "is longer than events are; what follows is not read");
      break;
    }
    event.resize(static_cast<std::size_t>(length) + kTailBytes);
    if (!read_whole(source, event, size.bytes)) {
      run.skip(size.records, "is cut off");
      break;
    }
    try {
      steps.event({event.data(), static_cast<std::size_t>(length)}, size.records);
    } catch (const protozero::exception&) {
      run.skip(size.records, "is no event that can be read");
    }
  }
  steps.end();
  return steps.names();
}

}  // namespace simtrain
