#pragma once

#include "sim/workload/model/operators/attention/attention_operators.h"

namespace simtrain {

/// Whether a rank's queries see a part of the sequence alone under context parallelism. The ring
/// cannot skip keys (Transformer Engine refuses windows there, cp_comm_type p2p): those of all
/// ranks are gathered instead (all_gather), with nothing beside it.
bool gathers_keys(const Recipe& recipe, const AttentionShape& attention);

/// The two blocks of a sequence that a rank of c owns, r and 2c-1-r, against gathered keys: those
/// of the rank whose queries see most, as ranks wait for each other in every layer.
class GatheredAttention {
 public:
  /// `whole`: the kernel of the recipe's heads, implementation and direction.
  GatheredAttention(const Recipe& recipe, const AttentionShape& attention, const Attention& whole);

  void kernels(ProgramBuilder& builder) const;
  /// Gathered keys and values are put into the order of the sequence, or their gradients back.
  void reorder(ProgramBuilder& builder) const;
  void gather(ProgramBuilder& builder) const { move(builder, Collective::all_gather); }
  void scatter(ProgramBuilder& builder) const { move(builder, Collective::reduce_scatter); }

 private:
  void move(ProgramBuilder& builder, Collective collective) const;
  [[nodiscard]] double seen_before(std::int64_t position) const;
  [[nodiscard]] double seen(std::int64_t block) const;
  [[nodiscard]] Attention kernel_of(std::int64_t block) const;

  AttentionSpan span_;
  Attention whole_;
  std::int64_t samples_;
  std::int64_t length_;    ///< of a block
  std::int64_t gathered_;  ///< elements of keys and values of the whole sequence
  std::int64_t first_ = 0;
  std::int64_t second_ = 0;
};

}  // namespace simtrain
