#include "sim/workload/parallel/groups.h"

#include "sim/core/rows_in_order.h"

namespace simtrain {
namespace {

constexpr Levels kPiece{true, false};
constexpr Levels kStep{false, true};
constexpr Levels kBoth{true, true};

constexpr GroupRow pair(GroupKind kind, std::string_view meaning, PairSide side, int step,
                        GroupKind partner) {
  return {.kind = kind,
          .name = "pp",
          .meaning = meaning,
          .axes = {Axis::pp},
          .share = Share::pipeline_parallel,
          .side = side,
          .step = step,
          .partner = partner};
}

constexpr GroupRow host(GroupKind kind, std::string_view meaning) {
  return {.kind = kind, .name = "host", .meaning = meaning, .share = Share::offload};
}

constexpr std::array<GroupRow, kGroupKinds> kGroupRows{
    GroupRow{.kind = GroupKind::self,
             .name = "self",
             .meaning = "the rank alone",
             .share = Share::optimizer},
    GroupRow{.kind = GroupKind::tensor,
             .name = "tp",
             .meaning = "shares the weights of a layer",
             .axes = {Axis::tp},
             .share = Share::tensor_parallel,
             .calls = kBoth,
             .meets = kBoth,
             .opened = true,
             .in_passes = true,
             .hops = true},
    GroupRow{.kind = GroupKind::context,
             .name = "cp",
             .meaning = "shares the tokens of a sequence",
             .axes = {Axis::cp},
             .share = Share::context_parallel,
             .calls = kPiece,
             .meets = kBoth,
             .opened = true,
             .in_passes = true,
             .hops = true},
    GroupRow{.kind = GroupKind::replica,
             .name = "tp-cp",
             .meaning = "works through a pass in lockstep",
             .mesh = MeshKind::passes,
             .axes = {Axis::pass},
             .share = Share::optimizer,
             .meets = kBoth},
    GroupRow{.kind = GroupKind::data,
             .name = "dp",
             .meaning = "reduces gradients and shares the optimizer's state",
             .axes = {Axis::cp, Axis::dp, Axis::copy},
             .share = Share::data_parallel,
             .calls = kStep,
             .meets = kStep,
             .opened = true,
             .hops = true},
    GroupRow{.kind = GroupKind::model,
             .name = "tp-pp",
             .meaning = "holds one copy of the weights",
             .axes = {Axis::tp, Axis::pp},
             .share = Share::optimizer,
             .opened = true},
    GroupRow{.kind = GroupKind::amax,
             .name = "amax",
             .meaning = "shares the largest values of FP8 tensors",
             .axes = {Axis::tp, Axis::cp, Axis::dp},
             .share = Share::tensor_parallel,
             .calls = kPiece,
             .meets = kStep,
             .opened = true},
    GroupRow{.kind = GroupKind::expert,
             .name = "ep",
             .meaning = "shares the experts of a layer",
             .mesh = MeshKind::experts,
             .axes = {Axis::ep},
             .share = Share::expert_parallel,
             .calls = kPiece,
             .meets = kBoth,
             .opened = true,
             .in_passes = true,
             .hops = true},
    GroupRow{.kind = GroupKind::expert_tensor,
             .name = "etp",
             .meaning = "shares the weights of each expert",
             .mesh = MeshKind::experts,
             .axes = {Axis::etp},
             .share = Share::expert_parallel,
             .calls = kPiece,
             .meets = kBoth,
             .opened = true,
             .in_passes = true},
    GroupRow{.kind = GroupKind::expert_tokens,
             .name = "tp-ep",
             .meaning = "holds all experts of a layer: tokens find every expert in it",
             .mesh = MeshKind::experts,
             .axes = {Axis::etp, Axis::ep},
             .share = Share::expert_parallel,
             .calls = kPiece,
             .meets = kBoth,
             .opened = true,
             .in_passes = true},
    GroupRow{.kind = GroupKind::expert_data,
             .name = "edp",
             .meaning = "reduces the gradients of experts and shares their optimizer state",
             .mesh = MeshKind::experts,
             .axes = {Axis::edp, Axis::copy},
             .share = Share::data_parallel,
             .calls = kStep,
             .meets = kStep,
             .opened = true},
    GroupRow{.kind = GroupKind::shard,
             .name = "dp-shard",
             .meaning = "shards parameters, gradients or optimizer state where not all of dp do",
             .mesh = MeshKind::shards,
             .axes = {Axis::shard},
             .share = Share::data_parallel,
             .calls = kStep,
             .meets = kStep,
             .opened = true},
    GroupRow{.kind = GroupKind::shard_copies,
             .name = "dp-replicate",
             .meaning = "holds the same shard: its gradients are all-reduced",
             .mesh = MeshKind::shards,
             .axes = {Axis::replicate},
             .share = Share::data_parallel,
             .calls = kStep,
             .meets = kStep,
             .opened = true},
    GroupRow{.kind = GroupKind::world,
             .name = "world",
             .meaning = "all ranks",
             .axes = {Axis::tp, Axis::cp, Axis::dp, Axis::pp},
             .share = Share::optimizer,
             .opened = true},
    pair(GroupKind::to_next, "sends to the next stage", PairSide::sends, 1,
         GroupKind::from_previous),
    pair(GroupKind::from_previous, "receives from the stage before", PairSide::receives, -1,
         GroupKind::to_next),
    pair(GroupKind::to_previous, "sends to the stage before", PairSide::sends, -1,
         GroupKind::from_next),
    pair(GroupKind::from_next, "receives from the next stage", PairSide::receives, 1,
         GroupKind::to_previous),
    pair(GroupKind::back_to_previous, "sends activations to the stage before", PairSide::sends, -1,
         GroupKind::back_from_next),
    pair(GroupKind::back_from_next, "receives activations from the next stage", PairSide::receives,
         1, GroupKind::back_to_previous),
    pair(GroupKind::back_to_next, "sends gradients to the next stage", PairSide::sends, 1,
         GroupKind::back_from_previous),
    pair(GroupKind::back_from_previous, "receives gradients from the stage before",
         PairSide::receives, -1, GroupKind::back_to_next),
    host(GroupKind::to_host, "copies to the memory of its host"),
    host(GroupKind::from_host, "copies from the memory of its host"),
    host(GroupKind::on_host, "has its host update parameters")};

static_assert(rows_in_order(kGroupRows, &GroupRow::kind), "row_of finds a row by its kind");

/// In the order of the rows, which has no more and no fewer.
constexpr std::array<GroupKind, kInnerKinds> kinds_in_passes() {
  std::array<GroupKind, kInnerKinds> kinds{};
  std::size_t next = 0;
  for (const GroupRow& row : kGroupRows) {
    if (row.in_passes) kinds.at(next++) = row.kind;
  }
  return kinds;
}
constexpr std::array<GroupKind, kInnerKinds> kInPasses = kinds_in_passes();
static_assert(kInPasses.back() != GroupKind{}, "as many as kInnerKinds says");

}  // namespace

std::span<const GroupRow> group_rows() { return kGroupRows; }

const GroupRow& row_of(GroupKind kind) { return kGroupRows[static_cast<std::size_t>(kind)]; }

const std::array<GroupKind, kInnerKinds>& inner_kinds() { return kInPasses; }

}  // namespace simtrain
