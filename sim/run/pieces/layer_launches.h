#pragma once

#include <array>
#include <vector>

#include "sim/run/pieces/host_slack.h"
#include "sim/run/pieces/pieces.h"

namespace simtrain {

/// How the host launches the kernels of a recipe's layers.
class LayerLaunches {
 public:
  explicit LayerLaunches(const PassContext& context);

  /// Seconds by which a piece ends later than `piece_s`, which its kernels take by themselves,
  /// since the host launches them one by one: of layers and pairs of them, and of those what no
  /// CUDA graph launches. All that it takes, where each kernel ends before the next is launched.
  [[nodiscard]] double slack_s(const Piece& piece, const ExecutedPiece& run, double piece_s) const;

 private:
  /// What the host does for each kernel of a layer, in launches: as much as for each of a layer of
  /// attention and MLP of which nothing runs again.
  [[nodiscard]] double of_kernel(Phase phase, int kind) const;
  /// Whether the host launches an op by itself, not with the CUDA graph of its layer.
  [[nodiscard]] bool alone(const Program& program, std::size_t op) const;
  /// Launches of each op of a layer's program, or of a pair of them, of all kernels in it.
  [[nodiscard]] std::vector<double> by_op(const Program& program, const Piece& piece) const;
  [[nodiscard]] std::vector<HostTask> tasks(const Piece& piece, const ExecutedPiece& run) const;

  const PassContext& context_;
  std::array<double, 2> forward_{};  ///< for each kernel, by whether a layer's precision is high
  std::array<double, 2> backward_{};
};

}  // namespace simtrain
