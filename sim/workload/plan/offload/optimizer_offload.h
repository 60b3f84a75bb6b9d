#pragma once

#include <cstdint>

#include "sim/workload/plan/data/data_flow.h"

namespace simtrain {

/// The part of the optimizer's step that the host does for one rank.
struct HostUpdate {
  double parameters = 0;
  double gradient_bytes = 0;  ///< of each parameter, to the host; 0: they are there
  double weight_bytes = 0;    ///< of each, back; 0: the host keeps them
  int parts = 1;              ///< copied, updated and copied back one behind the other
};

/// Adds it to a rank's program: it begins with the compute before and the copies of gradients, and
/// the compute that follows waits for its end.
class OptimizerOffload {
 public:
  OptimizerOffload(const StepContext& context, StepProgram& step);

  [[nodiscard]] bool on() const { return share_ > 0; }
  /// Sharded gradients go to the host behind each reduction: looks at all ops that were added to
  /// the program since it was asked last.
  void copy_reduced_gradients();
  /// Of `updated` parameters that the rank owns; `begin` is what its first copy comes after.
  void update(double updated, int parts, std::uint32_t begin);

 private:
  [[nodiscard]] bool copied_with_reductions() const;
  std::uint32_t add(const HostUpdate& update, std::uint32_t begin);

  const Recipe& recipe_;
  const NodeSpec& node_;
  const RankGrid& grid_;
  StepProgram& step_;
  double share_ = 0;
  std::uint32_t seen_ = 0;  ///< ops of the program
  std::uint32_t last_copy_ = kNoOp;
};

}  // namespace simtrain
