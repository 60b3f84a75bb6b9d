#pragma once

#include "sim/workload/model/operators/operator.h"
#include "sim/workload/model/operators/rank_shape.h"

namespace simtrain {

/// Which keys a query sees.
struct AttentionSpan {
  std::int64_t window = 0;  ///< so many before it, itself among them; 0: all before it
  std::int64_t chunk = 0;   ///< those of its own chunk of so many positions; 0: of the sequence
};

/// Self-attention of a block, of all tensor-parallel ranks together.
struct AttentionShape {
  int heads = 0;
  int key_heads = 0;               ///< with keys and values of their own
  std::int64_t key_dimension = 0;  ///< of queries and keys
  std::int64_t value_dimension = 0;
  AttentionSpan span{};
  bool values_in_keys = false;  ///< values are columns of the keys
  /// Whether queries, keys and values come from one linear module, so that their gradients are
  /// written into one tensor.
  bool one_tensor = true;
  /// The module whose recompute makes queries, keys and values again.
  std::optional<RecomputeModule> recomputed_by{};

  [[nodiscard]] std::int64_t query_size() const { return heads * key_dimension; }
  [[nodiscard]] std::int64_t output_size() const { return heads * value_dimension; }
  /// Of keys and values together.
  [[nodiscard]] std::int64_t key_value_size() const {
    return key_heads * (key_dimension + (values_in_keys ? 0 : value_dimension));
  }
};

/// That of a model's query groups.
AttentionShape grouped_attention(const RankShape& shape, AttentionSpan span = {});
/// That of a model with latent attention, as training computes it: each head with keys and values
/// of its own, made from the latent.
AttentionShape latent_attention(const ModelSpec& model);

/// That of DeepSeek sparse attention: each query sees the keys that an indexer chose for it. All
/// heads share the latents as their keys and values (DeepSeek-V3.2-Exp's report, 2025: multi-query
/// attention, since each query has keys of its own); each rank has them whole.
AttentionShape sparse_attention(const RankShape& shape);

/// Rotary embedding of queries and keys, forward and backward alike.
Operator rotary(const RankShape& shape);

/// Rotary embedding of latent attention: turns the rotary part of queries in place, and makes keys
/// and values out of what the up-projection put out and the rotary part that all heads share
/// (Megatron core's fused_apply_mla_rope_for_q and _for_kv).
Operator latent_rotary(const RankShape& shape);

/// Norms of each head's query and key. Save their input.
Operator query_key_norm(const RankShape& shape);

/// The sigmoid gate of what attention put out (Qwen3-Next): the columns of the gate come from the
/// module of queries. Saves the gate; what it scales core attention has saved.
Operator output_gate(const RankShape& shape);

/// Core attention: one fused kernel, or the steps of the context-parallel ring, or the kernels of
/// unfused_attention. Saves Q, K, V and its output, and what the kernels keep: fused ones the
/// log-sum-exp.
Operator core_attention(const RankShape& shape, const AttentionShape& attention);

/// What chooses the keys of each query (DeepSeek's lightning indexer; Megatron core's DSAIndexer,
/// as remembered): small queries of several heads, one key and a weight of each head for every
/// token, projected from latent and hidden states, which are gathered from the TP group, so that
/// each of its ranks scores all queries; scores of all pairs; those that are largest. Its input is
/// detached. Backward, it learns the probabilities that attention gives to the chosen keys. Saves
/// what it projected and, for each query, its keys and their scores.
std::vector<Operator> indexer(const RankShape& shape);

/// The kernels of attention before fused ones: all scores go through memory, between two batched
/// products, a softmax with its mask and a dropout. Keeps the probabilities, with dropout also its
/// output and mask. Megatron-LM to 2022 (Korthikanti et al., arXiv 2205.05198, count 5 bytes a
/// score). Not split over context; a window is but another mask.
Operator unfused_attention(const RankShape& shape, const AttentionShape& attention);

}  // namespace simtrain
