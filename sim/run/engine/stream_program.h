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
  std::int32_t sms = 0;   ///< that a transfer takes
  std::uint8_t seat = 0;  ///< of the op's group, see Seats
  bool compute = true;
  std::uint8_t stream = 0;
  bool last = false;  ///< of its stream
};

/// A program sorted by stream.
struct StreamProgram {
  std::vector<StreamOp> ops;
  std::array<std::uint32_t, kStreams + 1> begin{};  ///< place of each stream's first op
};

/// The kinds of groups that some op of a plan has, numbered: a rank's seats. GroupKind::self is 0.
class Seats {
 public:
  explicit Seats(const std::vector<Program>& programs);
  [[nodiscard]] std::size_t count() const { return kinds_.size(); }
  [[nodiscard]] GroupKind kind(std::size_t seat) const { return kinds_[seat]; }
  [[nodiscard]] std::uint8_t of(GroupKind kind) const {
    return seats_[static_cast<std::size_t>(kind)];
  }

 private:
  std::array<std::uint8_t, kGroupKinds> seats_{};
  std::vector<GroupKind> kinds_{GroupKind::self};
};

/// The ops of each stream in the order of the program, which is the order in which they run.
StreamProgram by_stream(const Program& program, const Seats& seats);

}  // namespace simtrain
