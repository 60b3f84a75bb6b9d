#pragma once

#include <array>
#include <functional>
#include <optional>
#include <utility>

#include "sim/collectives/collective.h"
#include "sim/topology/cluster.h"
#include "sim/workload/kernels/kernel_model.h"
#include "sim/workload/kernels/program.h"
#include "sim/workload/model/recipe.h"

namespace simtrain {

/// How the groups of a rank lie, each worked out when it is first asked for: a group may be large,
/// and most pieces call but one.
class RankLayouts {
 public:
  explicit RankLayouts(std::function<GroupLayout(GroupKind)> lay) : lay_(std::move(lay)) {}

  const GroupLayout& of(GroupKind kind) {
    std::optional<GroupLayout>& known = known_[static_cast<std::size_t>(kind)];
    if (!known) known = lay_(kind);
    return *known;
  }

 private:
  std::function<GroupLayout(GroupKind)> lay_;
  std::array<std::optional<GroupLayout>, kGroupKinds> known_{};
};

/// What pieces are built from. All references outlive the call.
struct PieceContext {
  const Recipe& recipe;
  const ClusterSpec& cluster;
  const KernelModel& kernels;
  RankLayouts& layouts;
};

}  // namespace simtrain
