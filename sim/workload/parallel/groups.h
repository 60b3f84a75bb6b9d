#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "sim/workload/parallel/mesh.h"
#include "sim/workload/parallel/share.h"

namespace simtrain {

/// The groups of a rank that its ops name. `self` is none: the op needs nobody else. Those of
/// experts are of one rank where a model has none, `shard` and `shard_copies` where all DP x CP
/// ranks shard their state. Then come the pairs with the neighbouring pipeline stages:
/// activations go to the next one and their gradients to the one before, and the other way round
/// (`back`) where a model goes back through the stages. The last are of the rank alone: its copies
/// to and from the memory of its host, and what the host computes for it.
enum class GroupKind : std::uint8_t {
  self,
  tensor,
  context,
  replica,
  data,
  model,
  amax,
  expert,
  expert_tensor,
  expert_tokens,
  expert_data,
  shard,
  shard_copies,
  world,
  to_next,
  from_previous,
  to_previous,
  from_next,
  back_to_previous,
  back_from_next,
  back_to_next,
  back_from_previous,
  to_host,
  from_host,
  on_host
};
inline constexpr std::size_t kGroupKinds = 25;

/// A level of simulation: the pieces of a pass, each by itself, or the step.
enum class Level : std::uint8_t { piece, step };

/// On which levels something is so.
struct Levels {
  bool piece = false;
  bool step = false;
  [[nodiscard]] constexpr bool anywhere() const { return piece || step; }
  [[nodiscard]] constexpr bool on(Level level) const {
    return level == Level::piece ? piece : step;
  }
};

/// A grid of axes over the ranks of a job; RankGrid lays out each of them.
enum class MeshKind : std::uint8_t {
  ranks,    ///< tp-cp-dp-pp
  experts,  ///< etp-ep-edp-pp
  passes,   ///< the ranks that go through passes together
  shards    ///< those that shard state, and the groups of them
};
inline constexpr std::size_t kMeshKinds = 4;

/// What a rank does on its side of a pair of ranks.
enum class PairSide : std::uint8_t { none, sends, receives };

/// A group of ranks. All that depends on which groups there are folds over these rows: the classes
/// of ranks, communicators and their links, figures of the placement, tables and traces.
struct GroupRow {
  GroupKind kind{};
  std::string_view name;     ///< in reports
  std::string_view meaning;  ///< one line
  MeshKind mesh{};           ///< which has its axes
  AxisSet axes{};            ///< in which its ranks differ
  Share share{};             ///< of a breakdown: what its calls take where nothing hides them
  Levels calls{};            ///< where calls are made on it, which count how its ranks lie
  Levels meets{};            ///< where its ranks wait for each other: classes hold together
  bool opened = false;       ///< whether frameworks open a communicator for it, if it has ranks
  bool in_passes = false;    ///< whether passes move enough on it to count on the step's level
  bool hops = false;         ///< whether figures of a placement count the hops of its rings
  PairSide side{};           ///< of a side of a pair of ranks
  int step = 0;              ///< of one: how many stages on the other side is, 1 or -1
  GroupKind partner = kind;  ///< of one: the other side
};

/// By kind.
std::span<const GroupRow> group_rows();
const GroupRow& row_of(GroupKind kind);

/// The groups on which passes hold transfers that move enough to count (GroupRow::in_passes).
inline constexpr std::size_t kInnerKinds = 5;
const std::array<GroupKind, kInnerKinds>& inner_kinds();

}  // namespace simtrain
