#pragma once

#include <cstddef>
#include <string_view>

#include "sim/core/files/byte_source.h"
#include "sim/measured/run/run_builder.h"

namespace simtrain {

/// Bytes at the start of a file that tell event files from others.
inline constexpr std::size_t kEventFileStart = 64;

/// Whether a file that starts so is an event file of TensorBoard.
bool is_event_file(std::string_view start);

/// Reads an event file: records of a length, its checksum, an event and its checksum. Scalars with
/// names that are known (value_names.h) are those of steps; of a file without step times the names
/// of its scalars are returned, as far as a sentence holds them. `bytes` and `records` are what was
/// read.
struct EventFileSize {
  std::int64_t bytes = 0;
  std::int64_t records = 0;
};
std::string read_event_file(const ByteSource& source, RunBuilder& run, EventFileSize& size);

}  // namespace simtrain
