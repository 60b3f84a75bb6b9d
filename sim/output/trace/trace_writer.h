#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "sim/core/quantity.h"

namespace simtrain {

/// A row of a timeline: a stream or a counter of a process. Numbers are the writer's caller's.
struct TrackId {
  int process = 0;
  int track = 0;
  friend bool operator<(const TrackId& a, const TrackId& b) {
    return std::tie(a.process, a.track) < std::tie(b.process, b.track);
  }
};

/// One figure of a slice, shown when it is clicked on.
struct TraceArgument {
  std::string_view name;
  std::variant<std::int64_t, double, std::string> value;
};

/// An end of an arrow from slice to slice. A flow begins before it arrives, in time and, at one
/// point in time, in the file.
struct FlowEnd {
  enum class Role { none, begins, arrives };
  Role role = Role::none;
  std::uint64_t id = 0;
};

struct TraceSlice {
  std::string name;
  std::string_view category;
  std::vector<TraceArgument> arguments{};
  FlowEnd flow{};
};

/// Writes a timeline in one format, event by event. Events of a track come in order of time; a
/// slice ends before or when the one around it does. Calls throw InputError where the file
/// cannot be written; without finish() there is none.
class TraceWriter {
 public:
  TraceWriter() = default;
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;
  virtual ~TraceWriter() = default;

  // Before the first event on them. `place` sorts processes, the track's number tracks.
  virtual void process(int number, std::string_view name, int place) = 0;
  virtual void track(TrackId track, std::string_view name) = 0;
  virtual void counter(TrackId track, std::string_view name, std::string_view unit) = 0;

  virtual void begin(TrackId track, Duration time, const TraceSlice& slice) = 0;
  virtual void end(TrackId track, Duration time) = 0;
  virtual void value(TrackId track, Duration time, double value) = 0;

  /// Nothing more comes: the file is put into its place.
  virtual void finish() = 0;
};

}  // namespace simtrain
