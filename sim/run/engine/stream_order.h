#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/workload/plan/plan.h"

namespace simtrain {

inline std::size_t stream_of(const Op& op) { return static_cast<std::size_t>(op.stream); }

/// What the event loop looks up of an op beside the op: which comes next in its stream, or kNoOp,
/// and the streams of the ops that it waits for.
struct OpLink {
  std::uint32_t next = kNoOp;
  std::array<std::uint8_t, 4> after_stream{};
};

/// The ops of a program, linked by stream: each runs its own in the order of the program, which has
/// to outlive this.
struct StreamOrder {
  StreamOrder() = default;  ///< of no program
  explicit StreamOrder(const Program& its_program);

  const Program* program = nullptr;
  std::vector<OpLink> links;                    ///< by op
  std::array<std::uint32_t, kStreams> first{};  ///< op of each stream, or kNoOp
};

}  // namespace simtrain
