#pragma once

#include <map>

#include "sim/core/files/packed_file.h"
#include "sim/output/trace/trace_writer.h"

namespace simtrain {

/// Chrome's Trace Event Format (JSON), which chrome://tracing and Perfetto open. Times are written
/// in microseconds with all picoseconds behind the point. Slices are pairs of B and E events: their
/// nesting does not depend on how a reader rounds.
class ChromeTrace final : public TraceWriter {
 public:
  explicit ChromeTrace(const std::string& path);

  void process(int number, std::string_view name, int place) override;
  void track(TrackId track, std::string_view name) override;
  void counter(TrackId track, std::string_view name, std::string_view unit) override;
  void begin(TrackId track, Duration time, const TraceSlice& slice) override;
  void end(TrackId track, Duration time) override;
  void value(TrackId track, Duration time, double value) override;
  void finish() override;

 private:
  struct Counter {
    std::string name;
    std::string unit;
  };

  void event(const std::string& members);
  void add_flow(TrackId track, Duration time, const TraceSlice& slice);

  PackedFile file_;
  std::map<TrackId, Counter> counters_;  ///< as JSON strings
  bool first_ = true;
};

/// Whether a file that starts so was begun by a ChromeTrace with process 1 of this name.
bool starts_as_chrome_trace(std::string_view start, std::string_view process);

}  // namespace simtrain
