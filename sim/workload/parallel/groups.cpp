#include "sim/workload/parallel/groups.h"

#include "sim/core/rows_in_order.h"

namespace simtrain {
namespace {

constexpr Levels kNowhere{};
constexpr Levels kPiece{true, false};
constexpr Levels kStep{false, true};
constexpr Levels kBoth{true, true};

constexpr AxisSet kAll{Axis::tp, Axis::cp, Axis::dp, Axis::pp};

constexpr GroupRow pair(GroupKind kind, std::string_view meaning, GroupKind partner) {
  return {kind, "pp", meaning, {Axis::pp}, Share::pipeline_parallel, kNowhere, kNowhere, partner};
}

constexpr GroupRow host(GroupKind kind, std::string_view meaning) {
  return {kind, "host", meaning, {}, Share::offload, kNowhere, kNowhere, kind};
}

constexpr std::array<GroupRow, kGroupKinds> kGroupRows{
    GroupRow{GroupKind::self,
             "self",
             "the rank alone",
             {},
             Share::optimizer,
             kNowhere,
             kNowhere,
             GroupKind::self},
    GroupRow{GroupKind::tensor,
             "tp",
             "shares the weights of a layer",
             {Axis::tp},
             Share::tensor_parallel,
             kBoth,
             kBoth,
             GroupKind::tensor},
    GroupRow{GroupKind::context,
             "cp",
             "shares the tokens of a sequence",
             {Axis::cp},
             Share::context_parallel,
             kPiece,
             kBoth,
             GroupKind::context},
    GroupRow{GroupKind::replica,
             "tp-cp",
             "works through a pass in lockstep",
             {Axis::pass},
             Share::optimizer,
             kNowhere,
             kBoth,
             GroupKind::replica},
    GroupRow{GroupKind::data,
             "dp",
             "reduces gradients and shares the optimizer's state",
             {Axis::cp, Axis::dp, Axis::copy},
             Share::data_parallel,
             kStep,
             kStep,
             GroupKind::data},
    GroupRow{GroupKind::model,
             "tp-pp",
             "holds one copy of the weights",
             {Axis::tp, Axis::pp},
             Share::optimizer,
             kNowhere,
             kNowhere,
             GroupKind::model},
    GroupRow{GroupKind::amax,
             "amax",
             "shares the largest values of FP8 tensors",
             {Axis::tp, Axis::cp, Axis::dp},
             Share::tensor_parallel,
             kPiece,
             kStep,
             GroupKind::amax},
    GroupRow{GroupKind::expert,
             "ep",
             "shares the experts of a layer",
             {Axis::ep},
             Share::expert_parallel,
             kPiece,
             kBoth,
             GroupKind::expert},
    GroupRow{GroupKind::expert_tensor,
             "etp",
             "shares the weights of each expert",
             {Axis::etp},
             Share::expert_parallel,
             kPiece,
             kBoth,
             GroupKind::expert_tensor},
    GroupRow{GroupKind::expert_tokens,
             "tp-ep",
             "holds all experts of a layer: tokens find every expert in it",
             {Axis::etp, Axis::ep},
             Share::expert_parallel,
             kPiece,
             kBoth,
             GroupKind::expert_tokens},
    GroupRow{GroupKind::expert_data,
             "edp",
             "reduces the gradients of experts and shares their optimizer state",
             {Axis::edp, Axis::copy},
             Share::data_parallel,
             kStep,
             kStep,
             GroupKind::expert_data},
    GroupRow{GroupKind::shard,
             "dp-shard",
             "shards parameters, gradients or optimizer state where not all of dp do",
             {Axis::shard},
             Share::data_parallel,
             kStep,
             kStep,
             GroupKind::shard},
    GroupRow{GroupKind::shard_copies,
             "dp-replicate",
             "holds the same shard: its gradients are all-reduced",
             {Axis::replicate},
             Share::data_parallel,
             kStep,
             kStep,
             GroupKind::shard_copies},
    GroupRow{GroupKind::world, "world", "all ranks", kAll, Share::optimizer, kNowhere, kNowhere,
             GroupKind::world},
    pair(GroupKind::to_next, "sends to the next stage", GroupKind::from_previous),
    pair(GroupKind::from_previous, "receives from the stage before", GroupKind::to_next),
    pair(GroupKind::to_previous, "sends to the stage before", GroupKind::from_next),
    pair(GroupKind::from_next, "receives from the next stage", GroupKind::to_previous),
    pair(GroupKind::back_to_previous, "sends activations to the stage before",
         GroupKind::back_from_next),
    pair(GroupKind::back_from_next, "receives activations from the next stage",
         GroupKind::back_to_previous),
    pair(GroupKind::back_to_next, "sends gradients to the next stage",
         GroupKind::back_from_previous),
    pair(GroupKind::back_from_previous, "receives gradients from the stage before",
         GroupKind::back_to_next),
    host(GroupKind::to_host, "copies to the memory of its host"),
    host(GroupKind::from_host, "copies from the memory of its host"),
    host(GroupKind::on_host, "has its host update parameters")};

static_assert(rows_in_order(kGroupRows, &GroupRow::kind), "row_of finds a row by its kind");

}  // namespace

std::span<const GroupRow> group_rows() { return kGroupRows; }

const GroupRow& row_of(GroupKind kind) { return kGroupRows[static_cast<std::size_t>(kind)]; }

}  // namespace simtrain
