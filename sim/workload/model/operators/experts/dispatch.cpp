#include <cmath>

#include "sim/workload/model/operators/experts/expert_operators.h"

namespace simtrain {
namespace {

/// From the end of the kernel that counts rows to the first kernel that the host launches with the
/// counts: a copy, the host's wait for it, a launch. Profiles show 20 to 50 us.
constexpr Duration kCountsToHost = std::chrono::microseconds(30);

/// The ways of rows between tokens and experts.
class RowWays {
 public:
  explicit RowWays(const RankShape& shape)
      : experts_(shape),
        moe_(shape.recipe.moe),
        element_(shape.activation_bytes()),
        width_(static_cast<double>(experts_.width)) {}

  /// Rows of the rank's tokens, sorted by expert, then at their experts. `again`: as the forward
  /// did, so that counts are known.
  void to_experts(ProgramBuilder& builder, bool again) const {
    if (alone()) return copy(builder, experts_.tokens + experts_.sent);
    switch (moe_.moe_token_dispatcher_type) {
      case TokenDispatcher::allgather:
        wait(builder, again);
        builder.wait_for(gather_tokens(builder));
        return copy(builder, 2 * busy());
      case TokenDispatcher::alltoall:
        count(builder, again);
        copy(builder, experts_.tokens + experts_.sent);
        wait(builder, again);
        exchange(builder);
        gather_parts(builder);
        return sort(builder);
      case TokenDispatcher::flex:
        wait(builder, again);
        builder.wait_for(builder.exchange_tokens(tokens(false), builder.last_kernel()));
        copy(builder, received() + sorted());
    }
  }

  /// And back, summed up.
  void to_tokens(ProgramBuilder& builder) const {
    if (alone()) return add(builder, experts_.sent, experts_.tokens);
    switch (moe_.moe_token_dispatcher_type) {
      case TokenDispatcher::allgather:
        add(builder, busy(), all_tokens());
        return builder.wait_for(scatter_tokens(builder));
      case TokenDispatcher::alltoall:
        sort(builder);
        scatter_parts(builder);
        exchange(builder);
        return add(builder, experts_.sent, experts_.tokens);
      case TokenDispatcher::flex:
        add(builder, sorted(), received());
        builder.wait_for(builder.exchange_tokens(tokens(true), builder.last_kernel()));
    }
  }

  /// Of the rows that a rank's experts work on.
  [[nodiscard]] double row_bytes() const { return element_ * width_ * sorted(); }

  /// Of the tokens of all ranks, where each has them, and of the rows made of them.
  [[nodiscard]] double moved_bytes() const {
    const bool gathers = moe_.moe_token_dispatcher_type == TokenDispatcher::allgather && !alone();
    return row_bytes() + (gathers ? element_ * width_ * all_tokens() : 0);
  }

  /// Of the library that exchanges tokens.
  [[nodiscard]] double buffer_bytes() const {
    if (moe_.moe_token_dispatcher_type != TokenDispatcher::flex || alone()) return 0;
    return exchange_buffer_bytes(row_of(moe_.moe_flex_dispatcher_backend), tokens(false),
                                 experts_.ep * experts_.etp);
  }

 private:
  [[nodiscard]] bool alone() const { return experts_.ep * experts_.etp == 1; }
  [[nodiscard]] double all_tokens() const { return experts_.tokens * experts_.ep * experts_.etp; }
  [[nodiscard]] double busy() const { return experts_.rows * experts_.imbalance; }
  /// Those, with others that pad them where they are sorted.
  [[nodiscard]] double sorted() const {
    return experts_.padding == RowPadding::by_dispatcher ? experts_.padded_rows(experts_.imbalance)
                                                         : busy();
  }

  /// Reads and writes so many rows together, each token of the rank once.
  void copy(ProgramBuilder& builder, double rows) const {
    builder.stream_bytes(StreamingKind::element_wise, element_ * width_ * rows,
                         Share::memory_bound);
  }

  /// Adds rows to those of so many tokens: fused in registers, else (PyTorch's scatter_add, and its
  /// gradient of index_select) by atomics, to zeros.
  void add(ProgramBuilder& builder, double rows, double tokens) const {
    if (moe_.moe_permute_fusion) return copy(builder, rows + tokens);
    copy(builder, tokens);
    builder.stream_bytes(StreamingKind::row_add, element_ * width_ * rows, Share::memory_bound);
  }

  /// Rows come by rank and expert and are wanted by expert.
  void sort(ProgramBuilder& builder) const {
    if (experts_.local > 1 && experts_.ep > 1) copy(builder, 2 * busy());
  }

  void wait(ProgramBuilder& builder, bool again) const {
    if (!moe_.sizes_known() && !again) builder.host_wait(kCountsToHost);
  }

  /// Every rank learns how many rows of each expert the others have.
  void count(ProgramBuilder& builder, bool again) const {
    if (again || moe_.moe_pad_expert_input_to_capacity) return;
    builder.wait_for(
        builder.collective(GroupKind::expert_tokens, Collective::all_gather, kFp32,
                           std::int64_t{experts_.spec.num_moe_experts} * experts_.ep * experts_.etp,
                           builder.last_kernel()));
  }

  void exchange(ProgramBuilder& builder) const {
    if (experts_.ep == 1) return;
    const TensorFormat& format = builder.recipe().precision().activation;
    const double sent = experts_.sent * experts_.imbalance;
    builder.collective(GroupKind::expert, Collective::all_to_all, format,
                       std::llround(sent * width_), builder.last_kernel());
    builder.wait_for(builder.collective(GroupKind::expert, Collective::all_to_all, kFp32,
                                        std::llround(sent), builder.last_kernel()));
  }

  void gather_parts(ProgramBuilder& builder) const { parts(builder, Collective::all_gather); }
  void scatter_parts(ProgramBuilder& builder) const { parts(builder, Collective::reduce_scatter); }
  void parts(ProgramBuilder& builder, Collective collective) const {
    if (experts_.etp == 1) return;
    builder.wait_for(builder.collective(GroupKind::expert_tensor, collective,
                                        builder.recipe().precision().activation,
                                        std::llround(busy() * width_), builder.last_kernel()));
  }

  [[nodiscard]] std::uint32_t gather_tokens(ProgramBuilder& builder) const {
    return exchange_all(builder, Collective::all_gather);
  }
  [[nodiscard]] std::uint32_t scatter_tokens(ProgramBuilder& builder) const {
    return exchange_all(builder, Collective::reduce_scatter);
  }
  [[nodiscard]] std::uint32_t exchange_all(ProgramBuilder& builder, Collective collective) const {
    return builder.collective(GroupKind::expert_tokens, collective,
                              builder.recipe().precision().activation,
                              std::llround(all_tokens() * width_), builder.last_kernel());
  }

  /// Copies of tokens that come to the rank, one of each token for all of its experts there.
  [[nodiscard]] double received() const {
    return experts_.tokens * experts_.imbalance *
           distinct_places(experts_.spec.choice(), std::int64_t{experts_.ep} * experts_.etp);
  }
  [[nodiscard]] ExpertExchange tokens(bool back) const {
    return {.tokens = experts_.tokens,
            .row_bytes = element_ * width_,
            .choice = experts_.spec.choice(),
            .sms = moe_.moe_flex_dispatcher_num_sms.value_or(0),
            .imbalance = experts_.imbalance,
            .back = back};
  }

  ExpertShape experts_;
  const MoeSpec& moe_;
  double element_;
  double width_;
};

}  // namespace

Operator dispatch(const RankShape& shape) {
  const RowWays ways(shape);
  Operator op;
  op.module = "dispatch";
  op.sized_by_routing = !shape.recipe.moe.sizes_known();
  op.forward = [=](ProgramBuilder& builder) { ways.to_experts(builder, false); };
  op.backward = input_gradient_only([=](ProgramBuilder& builder) { ways.to_tokens(builder); });
  op.costly = true;
  op.output_bytes = ways.row_bytes();
  op.backward_bytes = ways.row_bytes();  // the gradients of rows
  op.dispatcher_buffer_bytes = ways.buffer_bytes();
  return op;
}

/// Its backward brings gradients to experts by the counts of the forward.
Operator combine(const RankShape& shape) {
  const RowWays ways(shape);
  Operator op;
  op.module = "combine";
  op.sized_by_routing = !shape.recipe.moe.sizes_known();
  op.forward = [=](ProgramBuilder& builder) { ways.to_tokens(builder); };
  op.backward =
      input_gradient_only([=](ProgramBuilder& builder) { ways.to_experts(builder, true); });
  op.costly = true;
  op.output_bytes = ways.row_bytes();
  op.backward_bytes = ways.moved_bytes();
  return op;
}

}  // namespace simtrain
