#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/input/number_range.h"
#include "sim/run/step/simulated_step.h"

namespace simtrain {

struct TraceRequest {
  std::string
      path;  ///< its ending gives the format: .pftrace, .perfetto-trace, .json; .gz packs it
  std::optional<std::vector<NumberRange>> ranks;          ///< none: one of each class
  std::optional<std::vector<NumberRange>> micro_batches;  ///< none: the first and the middle one
};

/// Throws InputError where the name of a trace gives no format: before long work.
void check_trace(const TraceRequest& request);

/// Whether a file that starts so, unpacked, is such a trace, in whatever format.
bool is_own_trace(std::string_view start);

/// Writes a simulated step as a timeline, see docs/trace.md: a process a rank, a track a stream.
/// Returns what of the step it leaves out, for people; empty where it holds all. Throws InputError
/// at ranks and micro-batches that the job does not have, and where the file cannot be written.
std::string write_trace(const SimulatedStep& simulated, const TraceRequest& request);

}  // namespace simtrain
