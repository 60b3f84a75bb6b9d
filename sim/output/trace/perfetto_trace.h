#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>

#include "sim/core/files/packed_file.h"
#include "sim/output/trace/trace_writer.h"

namespace simtrain {

/// Perfetto's own format (protobuf, protos/perfetto/trace/trace.proto), for ui.perfetto.dev and
/// trace_processor: TrackEvents on tracks of processes, names interned, packets deflated in blocks
/// (TracePacket.compressed_packets). Times are whole nanoseconds there; all are rounded down, so
/// that their order stays.
class PerfettoTrace final : public TraceWriter {
 public:
  explicit PerfettoTrace(const std::string& path);

  void process(int number, std::string_view name, int place) override;
  void track(TrackId track, std::string_view name) override;
  void counter(TrackId track, std::string_view name, std::string_view unit) override;
  void begin(TrackId track, Duration time, const TraceSlice& slice) override;
  void end(TrackId track, Duration time) override;
  void value(TrackId track, Duration time, double value) override;
  void finish() override;

 private:
  /// Strings of one kind and the their numbers.
  struct Interned {
    std::uint32_t field;  ///< in InternedData
    std::unordered_map<std::string, std::uint64_t> numbers;
  };

  std::uint64_t number_of(Interned& strings, std::string_view text);
  std::string slice_event(TrackId track, const TraceSlice& slice);
  std::string argument(const TraceArgument& argument);
  void forget_names();
  std::string described(TrackId track, std::string_view name);
  void descriptor_packet(const std::string& descriptor);
  void event_packet(Duration time, const std::string& event);
  void packet(const std::string& bytes);
  void flush();

  PackedFile file_;
  std::string block_;      ///< packets that are not yet packed
  std::string new_names_;  ///< InternedData for the next packet
  Interned names_;
  Interned categories_;
  Interned argument_names_;
  Interned texts_;
  bool fresh_ = true;  ///< the next packet begins with no names known
  std::map<TrackId, std::uint64_t> tracks_;
  std::map<int, std::uint64_t> processes_;
  std::uint64_t last_track_ = 0;
};

/// Whether a file that starts so was begun by a PerfettoTrace with a process of this name.
bool starts_as_perfetto_trace(std::string_view start, std::string_view process);

}  // namespace simtrain
