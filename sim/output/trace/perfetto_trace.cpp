#include "sim/output/trace/perfetto_trace.h"

#include <protozero/exception.hpp>
#include <protozero/pbf_writer.hpp>
#include <protozero/varint.hpp>

#include "sim/output/trace/perfetto_fields.h"

namespace simtrain {
namespace {

constexpr std::size_t kBlock = 1U << 18U;
/// Names are forgotten when so many are known, so that memory stays bounded.
constexpr std::size_t kMostNames = 1U << 16U;
constexpr std::uint32_t kSequence = 1;

std::uint64_t nanoseconds(Duration time) { return static_cast<std::uint64_t>(time.count() / 1000); }

/// What lies behind the tag and the length of a field of bytes; nothing where another field is.
std::string_view behind_length(std::string_view bytes, std::uint32_t field) {
  constexpr std::uint32_t kBytes = 2;  // protobuf's wire type
  try {
    const char* at = bytes.data();
    const char* end = at + bytes.size();
    if (protozero::decode_varint(&at, end) != (field << 3U | kBytes)) return {};
    static_cast<void>(protozero::decode_varint(&at, end));
    return {at, static_cast<std::size_t>(end - at)};
  } catch (const protozero::exception&) {
    return {};
  }
}

std::string process_message(int number, std::string_view name) {
  std::string bytes;
  protozero::pbf_writer about(bytes);
  about.add_int32(perfetto::process_pid, number);
  about.add_string(perfetto::process_name, name.data(), name.size());
  return bytes;
}

}  // namespace

bool starts_as_perfetto_trace(std::string_view start, std::string_view process) {
  constexpr std::size_t kFirstPacket = 64;
  const std::string_view packet = behind_length(start, perfetto::trace_packet);
  const std::string_view packed = behind_length(packet, perfetto::packet_compressed_packets);
  return inflated_start(packed, kFirstPacket).find(process_message(1, process)) !=
         std::string::npos;
}

PerfettoTrace::PerfettoTrace(const std::string& path)
    : file_(path),
      names_{perfetto::interned_event_names, {}},
      categories_{perfetto::interned_event_categories, {}},
      argument_names_{perfetto::interned_debug_annotation_names, {}},
      texts_{perfetto::interned_debug_annotation_string_values, {}} {}

void PerfettoTrace::process(int number, std::string_view name, int place) {
  const std::uint64_t uuid = ++last_track_;
  processes_[number] = uuid;
  std::string bytes;
  protozero::pbf_writer descriptor(bytes);
  descriptor.add_uint64(perfetto::descriptor_uuid, uuid);
  descriptor.add_enum(perfetto::descriptor_child_ordering, perfetto::explicit_order);
  descriptor.add_int32(perfetto::descriptor_sibling_order_rank, place);
  descriptor.add_message(perfetto::descriptor_process, process_message(number, name));
  descriptor_packet(bytes);
}

void PerfettoTrace::track(TrackId track, std::string_view name) {
  descriptor_packet(described(track, name));
}

std::string PerfettoTrace::described(TrackId track, std::string_view name) {
  tracks_[track] = ++last_track_;
  std::string bytes;
  protozero::pbf_writer descriptor(bytes);
  descriptor.add_uint64(perfetto::descriptor_uuid, last_track_);
  descriptor.add_string(perfetto::descriptor_name, name.data(), name.size());
  descriptor.add_uint64(perfetto::descriptor_parent_uuid, processes_.at(track.process));
  descriptor.add_int32(perfetto::descriptor_sibling_order_rank, track.track);
  return bytes;
}

void PerfettoTrace::counter(TrackId track, std::string_view name, std::string_view unit) {
  std::string counter;
  protozero::pbf_writer(counter).add_string(perfetto::counter_unit_name, unit.data(), unit.size());
  std::string bytes = described(track, name);
  protozero::pbf_writer(bytes).add_message(perfetto::descriptor_counter, counter);
  descriptor_packet(bytes);
}

void PerfettoTrace::begin(TrackId track, Duration time, const TraceSlice& slice) {
  if (names_.numbers.size() + texts_.numbers.size() > kMostNames) forget_names();
  event_packet(time, slice_event(track, slice));
}

std::string PerfettoTrace::slice_event(TrackId track, const TraceSlice& slice) {
  std::string bytes;
  protozero::pbf_writer event(bytes);
  event.add_enum(perfetto::event_type, perfetto::slice_begin);
  event.add_uint64(perfetto::event_track_uuid, tracks_.at(track));
  event.add_uint64(perfetto::event_name_iid, number_of(names_, slice.name));
  event.add_uint64(perfetto::event_category_iids, number_of(categories_, slice.category));
  for (const TraceArgument& one : slice.arguments)
    event.add_message(perfetto::event_debug_annotations, argument(one));
  if (slice.flow.role == FlowEnd::Role::begins)
    event.add_fixed64(perfetto::event_flow_ids, slice.flow.id);
  if (slice.flow.role == FlowEnd::Role::arrives)
    event.add_fixed64(perfetto::event_terminating_flow_ids, slice.flow.id);
  return bytes;
}

std::string PerfettoTrace::argument(const TraceArgument& argument) {
  std::string bytes;
  protozero::pbf_writer annotation(bytes);
  annotation.add_uint64(perfetto::annotation_name_iid, number_of(argument_names_, argument.name));
  if (const auto* integer = std::get_if<std::int64_t>(&argument.value)) {
    annotation.add_int64(perfetto::annotation_int_value, *integer);
  } else if (const auto* number = std::get_if<double>(&argument.value)) {
    annotation.add_double(perfetto::annotation_double_value, *number);
  } else {
    annotation.add_uint64(perfetto::annotation_string_value_iid,
                          number_of(texts_, std::get<std::string>(argument.value)));
  }
  return bytes;
}

void PerfettoTrace::end(TrackId track, Duration time) {
  std::string bytes;
  protozero::pbf_writer event(bytes);
  event.add_enum(perfetto::event_type, perfetto::slice_end);
  event.add_uint64(perfetto::event_track_uuid, tracks_.at(track));
  event_packet(time, bytes);
}

void PerfettoTrace::value(TrackId track, Duration time, double value) {
  std::string bytes;
  protozero::pbf_writer event(bytes);
  event.add_enum(perfetto::event_type, perfetto::counter);
  event.add_uint64(perfetto::event_track_uuid, tracks_.at(track));
  event.add_double(perfetto::event_double_counter_value, value);
  event_packet(time, bytes);
}

void PerfettoTrace::finish() {
  flush();
  file_.commit();
}

std::uint64_t PerfettoTrace::number_of(Interned& strings, std::string_view text) {
  const auto [entry, fresh] =
      strings.numbers.try_emplace(std::string(text), strings.numbers.size() + 1);
  if (fresh) {
    protozero::pbf_writer data(new_names_);
    protozero::pbf_writer string(data, strings.field);
    string.add_uint64(perfetto::interned_iid, entry->second);
    string.add_string(perfetto::interned_text, text.data(), text.size());
  }
  return entry->second;
}

void PerfettoTrace::forget_names() {
  for (Interned* strings : {&names_, &categories_, &argument_names_, &texts_})
    strings->numbers.clear();
  fresh_ = true;
}

void PerfettoTrace::event_packet(Duration time, const std::string& event) {
  std::string bytes;
  protozero::pbf_writer message(bytes);
  message.add_uint64(perfetto::packet_timestamp, nanoseconds(time));
  message.add_uint32(perfetto::packet_trusted_packet_sequence_id, kSequence);
  message.add_uint32(perfetto::packet_sequence_flags, fresh_ ? perfetto::incremental_state_cleared |
                                                                   perfetto::needs_incremental_state
                                                             : perfetto::needs_incremental_state);
  if (!new_names_.empty()) message.add_message(perfetto::packet_interned_data, new_names_);
  message.add_message(perfetto::packet_track_event, event);
  fresh_ = false;
  new_names_.clear();
  packet(bytes);
}

void PerfettoTrace::descriptor_packet(const std::string& descriptor) {
  std::string bytes;
  protozero::pbf_writer message(bytes);
  message.add_uint32(perfetto::packet_trusted_packet_sequence_id, kSequence);
  message.add_message(perfetto::packet_track_descriptor, descriptor);
  packet(bytes);
}

void PerfettoTrace::packet(const std::string& bytes) {
  protozero::pbf_writer(block_).add_message(perfetto::trace_packet, bytes);
  if (block_.size() >= kBlock) flush();
}

void PerfettoTrace::flush() {
  if (block_.empty()) return;
  std::string packed;
  protozero::pbf_writer(packed).add_bytes(perfetto::packet_compressed_packets, deflated(block_));
  std::string message;
  protozero::pbf_writer(message).add_message(perfetto::trace_packet, packed);
  file_.write(message);
  block_.clear();
}

}  // namespace simtrain
