#pragma once

#include <cstdint>

namespace simtrain::perfetto {

// Field numbers of the messages that we write, from Perfetto's protos/perfetto/trace (stable: the
// format promises that numbers are never reused). Names are theirs, the message before the field.

enum : std::uint32_t {
  trace_packet = 1,

  packet_timestamp = 8,
  packet_trusted_packet_sequence_id = 10,
  packet_track_event = 11,
  packet_interned_data = 12,
  packet_sequence_flags = 13,
  packet_compressed_packets = 50,
  packet_track_descriptor = 60,

  descriptor_uuid = 1,
  descriptor_name = 2,
  descriptor_process = 3,
  descriptor_thread = 4,
  descriptor_parent_uuid = 5,
  descriptor_counter = 8,
  descriptor_child_ordering = 11,
  descriptor_sibling_order_rank = 12,

  process_pid = 1,
  process_name = 6,

  counter_unit_name = 6,

  event_category_iids = 3,
  event_debug_annotations = 4,
  event_type = 9,
  event_name_iid = 10,
  event_track_uuid = 11,
  event_double_counter_value = 44,
  event_flow_ids = 47,
  event_terminating_flow_ids = 48,

  annotation_name_iid = 1,
  annotation_int_value = 4,
  annotation_double_value = 5,
  annotation_string_value_iid = 17,

  interned_event_categories = 1,
  interned_event_names = 2,
  interned_debug_annotation_names = 3,
  interned_debug_annotation_string_values = 29,

  interned_iid = 1,
  interned_text = 2
};

/// TrackEvent.Type
enum : std::int32_t { slice_begin = 1, slice_end = 2, counter = 4 };
/// TracePacket.SequenceFlags
enum : std::uint32_t { incremental_state_cleared = 1, needs_incremental_state = 2 };
/// TrackDescriptor.ChildTracksOrdering
enum : std::int32_t { explicit_order = 3 };

}  // namespace simtrain::perfetto
