#include <algorithm>
#include <utility>

#include "sim/workload/model/operators/attention/attention_operators.h"
#include "sim/workload/model/operators/operators.h"

namespace simtrain {
namespace {

/// Bytes of a chosen key: its number and its score.
constexpr double kChosen = 4 + 4;
/// Bytes of a score that are moved to choose among it and others: written, and read by a pass that
/// counts and one that takes.
constexpr double kRanked = 4 + 2 * 4;

/// The pairs of one micro-batch on one rank.
class Pairs {
 public:
  explicit Pairs(const RankShape& shape)
      : sequence_(shape.recipe.training.seq_length),
        chosen_(std::min(shape.model().dsa_indexer->dsa_indexer_topk, sequence_)),
        samples_(shape.recipe.training.micro_batch_size),
        queries_(sequence_ / shape.recipe.cp()),
        indexer_(*shape.model().dsa_indexer),
        implementation_(shape.recipe.attention()),
        heads_(shape.model().num_attention_heads / shape.tp),
        key_dimension_(sparse_attention(shape).key_dimension) {}

  [[nodiscard]] std::int64_t chosen() const { return chosen_; }
  /// Of which each has a score, of all heads together.
  [[nodiscard]] double scored() const {
    return static_cast<double>(samples_ * queries_) * static_cast<double>(seen_before());
  }

  /// Keys of a query in the square that model FLOPs count three times, for both directions: all
  /// have a score, chosen ones alone its two gradients.
  [[nodiscard]] double counted() const {
    const std::int64_t of_chosen = 2 * seen_of_chosen();
    return static_cast<double>(sequence_ + 2 * of_chosen) / 3;
  }

  /// The scores of a head are the values of one column that its weight scales.
  [[nodiscard]] Attention scores() const {
    return kernel(indexer_.dsa_indexer_n_heads, indexer_.dsa_indexer_head_dim, seen_before(),
                  Direction::forward);
  }
  /// Gradients of the scores of chosen keys.
  [[nodiscard]] Attention score_gradients() const {
    return kernel(indexer_.dsa_indexer_n_heads, indexer_.dsa_indexer_head_dim, seen_of_chosen(),
                  Direction::backward);
  }
  /// The probabilities of chosen keys, made again of all heads.
  [[nodiscard]] Attention probabilities() const {
    return kernel(heads_, key_dimension_, seen_of_chosen(), Direction::forward);
  }

 private:
  /// Keys before a query, in the mean.
  [[nodiscard]] std::int64_t seen_before() const {
    return std::max<std::int64_t>(1, sequence_ / 2);
  }
  [[nodiscard]] std::int64_t seen_of_chosen() const {
    const std::int64_t pairs =
        std::max<std::int64_t>(1, 2 * sequence_);  // none: only weights count
    return std::max<std::int64_t>(1, chosen_ - chosen_ * chosen_ / pairs);
  }
  [[nodiscard]] Attention kernel(std::int64_t heads, std::int64_t dimension, std::int64_t keys,
                                 Direction direction) const {
    return {.batch = samples_,
            .heads = heads,
            .queries = queries_,
            .keys = keys,
            .head_dimension = dimension,
            .direction = direction,
            .implementation = implementation_,
            .value_dimension = 1};
  }

  std::int64_t sequence_;
  std::int64_t chosen_;
  std::int64_t samples_;
  std::int64_t queries_;
  DsaIndexerSpec indexer_;
  AttentionKernel implementation_;
  std::int64_t heads_;
  std::int64_t key_dimension_;
};

/// Hidden states and the latents of queries come from the TP group.
Operator gathered_inputs(const RankShape& shape, std::int64_t columns) {
  const bool gathers = shape.tp > 1 && shape.recipe.parallelism.sequence_parallel;
  const TensorFormat& format = shape.recipe.precision().activation;
  Operator op;
  op.module = "indexer";
  op.forward = [=, &format, elements = shape.tokens * columns](ProgramBuilder& builder) {
    if (!gathers) return;
    builder.wait_for(
        builder.tensor_collective(Collective::all_gather, format, elements, builder.last_kernel()));
  };
  op.backward = input_gradient_only([](ProgramBuilder&) {});
  op.forward_bytes = shape.activation_bytes() * shape.rows * static_cast<double>(columns);
  if (gathers) op.saved = {{op.forward_bytes}};
  return op;
}

Operator chosen_keys(const RankShape& shape) {
  const DsaIndexerSpec& indexer = *shape.model().dsa_indexer;
  const Pairs pairs(shape);
  const double chosen = kChosen * static_cast<double>(pairs.chosen()) * shape.rows;
  const double projected = shape.activation_bytes() * shape.rows *
                           static_cast<double>(indexer.query_size() + indexer.dsa_indexer_head_dim +
                                               indexer.dsa_indexer_n_heads);
  const int cp = shape.recipe.cp();
  const std::int64_t keys = shape.tokens * indexer.dsa_indexer_head_dim * cp;
  Operator op;
  op.module = "indexer";
  op.forward = [=](ProgramBuilder& builder) {
    builder.stream_bytes(StreamingKind::element_wise, 2 * projected,
                         Share::memory_bound);  // rotary
    if (cp > 1)
      builder.wait_for(
          builder.context_collective(Collective::all_gather, keys, builder.last_kernel()));
    builder.kernel(pairs.scores(), Share::attention);
    builder.stream_bytes(StreamingKind::element_wise, kRanked * pairs.scored() + chosen,
                         Share::attention);
  };
  op.backward = input_gradient_only([=](ProgramBuilder& builder) {
    builder.kernel(pairs.probabilities(), Share::attention);
    builder.kernel(pairs.score_gradients(), Share::attention);
    builder.stream_bytes(StreamingKind::element_wise, 2 * projected, Share::memory_bound);
  });
  op.weights = {{.rows = 2 * indexer.dsa_indexer_head_dim}};  // the norm of its keys
  op.saved = {{projected + chosen}};
  op.forward_bytes = projected + chosen + kFp32.bytes() * 2 * pairs.scored();
  op.backward_bytes = projected + chosen;
  op.flops.attention_square =
      2 * shape.rows * static_cast<double>(indexer.query_size()) * pairs.counted();
  return op;
}

}  // namespace

std::vector<Operator> indexer(const RankShape& shape) {
  const DsaIndexerSpec& sizes = *shape.model().dsa_indexer;
  const std::int64_t latent =
      shape.model().multi_latent_attention->q_lora_rank.value_or(shape.hidden());
  std::vector<Operator> all;
  all.reserve(4);
  all.push_back(gathered_inputs(shape, shape.hidden() + latent));
  all.push_back(duplicated_linear(shape, {.module = "indexer.linear_wq_b",
                                          .inputs = latent,
                                          .columns = sizes.query_size(),
                                          .all_rows = true,
                                          .detached = true}));
  // A key and a weight of each head: linear_wk and linear_weights_proj.
  all.push_back(
      duplicated_linear(shape, {.module = "indexer.linear_wk",
                                .inputs = shape.hidden(),
                                .columns = sizes.dsa_indexer_head_dim + sizes.dsa_indexer_n_heads,
                                .all_rows = true,
                                .detached = true}));
  all.push_back(chosen_keys(shape));
  return all;
}

}  // namespace simtrain
