#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/workload/plan/plan.h"

namespace simtrain {

inline std::size_t stream_of(const Op& op) { return static_cast<std::size_t>(op.stream); }

/// An op as the event loop needs it, beside those of its stream. `place` counts the ops of a
/// program, stream after stream. It is ready when each stream of `after_stream` has come to
/// `after_place`.
struct StreamOp {
  std::uint32_t op = 0;  ///< in the program
  std::uint32_t cost = 0;
  std::array<std::uint32_t, 4> after_place{};
  std::array<std::uint8_t, 4> after_stream{};
  GroupKind group{};
  bool compute = true;
};

/// A program sorted by stream.
struct StreamProgram {
  std::vector<StreamOp> ops;
  std::array<std::uint32_t, kStreams + 1> begin{};  ///< place of each stream's first op
};

/// The ops of each stream in the order of the program, which is the order in which they run.
StreamProgram by_stream(const Program& program);

}  // namespace simtrain
