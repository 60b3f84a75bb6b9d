#include "sim/output/trace/chrome_trace.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace simtrain {
namespace {

std::string json_string(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

constexpr std::string_view kHead = R"({"displayTimeUnit":"ns","traceEvents":[)";

std::string process_name(int number, std::string_view name) {
  return fmt::format("\"ph\":\"M\",\"pid\":{},\"name\":\"process_name\",\"args\":{{\"name\":{}}}",
                     number, json_string(name));
}

std::string trace_time(Duration time) {
  constexpr std::int64_t kPicoseconds = 1'000'000;
  return fmt::format("{}.{:06}", time.count() / kPicoseconds, time.count() % kPicoseconds);
}

/// Shortest: 12 digits hold all that these figures have.
std::string number_json(double number) { return fmt::format("{:.12g}", number); }

std::string arguments_json(const std::vector<TraceArgument>& arguments) {
  std::string text;
  for (const TraceArgument& argument : arguments) {
    text += fmt::format("{}{}:", text.empty() ? "" : ",", json_string(argument.name));
    if (const auto* integer = std::get_if<std::int64_t>(&argument.value)) {
      text += fmt::format("{}", *integer);
    } else if (const auto* number = std::get_if<double>(&argument.value)) {
      text += number_json(*number);
    } else {
      text += json_string(std::get<std::string>(argument.value));
    }
  }
  return text;
}

}  // namespace

bool starts_as_chrome_trace(std::string_view start, std::string_view process) {
  const std::string name = process_name(1, process);
  return start.starts_with(kHead) && start.substr(kHead.size(), 2) == "\n{" &&
         start.substr(kHead.size() + 2).starts_with(name);
}

ChromeTrace::ChromeTrace(const std::string& path) : file_(path) { file_.write(kHead); }

void ChromeTrace::process(int number, std::string_view name, int place) {
  event(process_name(number, name));
  event(fmt::format(
      "\"ph\":\"M\",\"pid\":{},\"name\":\"process_sort_index\",\"args\":{{\"sort_index\":{}}}",
      number, place));
}

void ChromeTrace::track(TrackId track, std::string_view name) {
  event(fmt::format(
      "\"ph\":\"M\",\"pid\":{},\"tid\":{},\"name\":\"thread_name\",\"args\":{{\"name\":{}}}",
      track.process, track.track, json_string(name)));
  event(fmt::format(
      "\"ph\":\"M\",\"pid\":{},\"tid\":{},\"name\":\"thread_sort_index\",\"args\":{{\"sort_"
      "index\":{}}}",
      track.process, track.track, track.track));
}

void ChromeTrace::counter(TrackId track, std::string_view name, std::string_view unit) {
  counters_[track] = {json_string(name), json_string(unit)};
}

void ChromeTrace::begin(TrackId track, Duration time, const TraceSlice& slice) {
  std::string members = fmt::format(
      "\"ph\":\"B\",\"pid\":{},\"tid\":{},\"ts\":{},\"cat\":{},\"name\":{}", track.process,
      track.track, trace_time(time), json_string(slice.category), json_string(slice.name));
  if (!slice.arguments.empty())
    members += fmt::format(",\"args\":{{{}}}", arguments_json(slice.arguments));
  event(members);
  if (slice.flow.role != FlowEnd::Role::none) add_flow(track, time, slice);
}

/// Bound to the slice that has just begun.
void ChromeTrace::add_flow(TrackId track, Duration time, const TraceSlice& slice) {
  event(fmt::format(
      "\"ph\":{},\"pid\":{},\"tid\":{},\"ts\":{},\"cat\":{},\"name\":\"message\",\"id\":{}",
      slice.flow.role == FlowEnd::Role::begins ? "\"s\"" : "\"f\",\"bp\":\"e\"", track.process,
      track.track, trace_time(time), json_string(slice.category), slice.flow.id));
}

void ChromeTrace::end(TrackId track, Duration time) {
  event(fmt::format("\"ph\":\"E\",\"pid\":{},\"tid\":{},\"ts\":{}", track.process, track.track,
                    trace_time(time)));
}

void ChromeTrace::value(TrackId track, Duration time, double value) {
  const Counter& counter = counters_.at(track);
  event(fmt::format("\"ph\":\"C\",\"pid\":{},\"ts\":{},\"name\":{},\"args\":{{{}:{}}}",
                    track.process, trace_time(time), counter.name, counter.unit,
                    number_json(value)));
}

void ChromeTrace::finish() {
  file_.write("\n]}\n");
  file_.commit();
}

void ChromeTrace::event(const std::string& members) {
  file_.write(first_ ? "\n{" : ",\n{");
  first_ = false;
  file_.write(members);
  file_.write("}");
}

}  // namespace simtrain
