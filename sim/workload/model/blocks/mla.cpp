#include "sim/workload/model/blocks/block.h"
#include "sim/workload/model/operators/attention/attention_operators.h"

namespace simtrain {
namespace {

/// A latent's norm and the projection from it to heads, which selective recompute makes again.
void add_up_projection(std::vector<Operator>& branch, const RankShape& shape,
                       std::string_view norm_module, const ColumnParallelSpec& projection) {
  branch.push_back(norm(
      shape, {.module = norm_module, .share = Share::memory_bound, .columns = projection.inputs}));
  Operator up = column_parallel(shape, projection);
  up.recompute = RecomputeModule::mla_up_proj;
  up.recomputed_at = RecomputedAt::block_backward;
  branch.push_back(std::move(up));
}

/// Queries from a latent of their own, or from hidden states.
void add_queries(std::vector<Operator>& branch, const RankShape& shape) {
  const LatentAttentionSpec& latent = *shape.model().multi_latent_attention;
  const std::int64_t columns =
      shape.model().num_attention_heads * latent.key_dimension() / shape.tp;
  if (!latent.q_lora_rank) {
    branch.push_back(quantized_input(shape, "linear_q_proj"));
    branch.push_back(column_parallel(
        shape, {.module = "linear_q_proj", .columns = columns, .place = GemmPlace::layer_alone}));
    return;
  }
  branch.push_back(duplicated_linear(
      shape,
      {.module = "linear_q_down_proj", .inputs = shape.hidden(), .columns = *latent.q_lora_rank}));
  add_up_projection(branch, shape, "q_layernorm",
                    {.module = "linear_q_up_proj",
                     .columns = columns,
                     .inputs = *latent.q_lora_rank,
                     .place = GemmPlace::layer_alone});
}

void add_keys_and_values(std::vector<Operator>& branch, const RankShape& shape) {
  const LatentAttentionSpec& latent = *shape.model().multi_latent_attention;
  branch.push_back(
      duplicated_linear(shape, {.module = "linear_kv_down_proj",
                                .inputs = shape.hidden(),
                                .columns = latent.kv_lora_rank + latent.qk_pos_emb_head_dim,
                                .joins = true}));
  add_up_projection(branch, shape, "kv_layernorm",
                    {.module = "linear_kv_up_proj",
                     .columns = shape.model().num_attention_heads *
                                (latent.qk_head_dim + latent.v_head_dim) / shape.tp,
                     .inputs = latent.kv_lora_rank,
                     .place = GemmPlace::layer_alone});
}

/// Attention over keys and values that each head has of its own.
void add_attention(std::vector<Operator>& branch, const RankShape& shape) {
  add_operators(branch, latent_rotary(shape),
                core_attention(shape, latent_attention(shape.model())));
}

/// Attention over the latents of chosen keys. The up-projection of keys is multiplied to queries,
/// that of values to what attention puts out: the same products as making keys and values. Counted
/// are the FLOPs of attention to keys and values of each head.
void add_sparse_attention(std::vector<Operator>& branch, const RankShape& shape) {
  const AttentionShape sparse = sparse_attention(shape);
  const AttentionShape counted = latent_attention(shape.model());
  Operator attention = core_attention(shape, sparse);
  attention.flops.attention_square *=
      static_cast<double>(counted.query_size() + counted.output_size()) /
      static_cast<double>(sparse.query_size() + sparse.output_size());
  add_operators(branch, latent_rotary(shape), std::move(attention));
}

enum class Keys { all, chosen, chosen_before };

Block latent_block(const RankShape& shape, Keys keys) {
  const RankShape plain(shape.recipe, shape.recipe.precision().high);
  Block block;
  block.branch = branch_of(norm(plain, {.module = "input_layernorm",
                                        .share = Share::memory_bound,
                                        .recompute = RecomputeModule::layernorm,
                                        .input = OffloadModule::attn_norm,
                                        .output = OffloadModule::qkv_linear}));
  add_queries(block.branch, shape);
  add_keys_and_values(block.branch, shape);
  if (keys == Keys::chosen) {
    for (Operator& op : indexer(shape)) block.branch.push_back(std::move(op));
  }
  if (keys == Keys::all) {
    add_attention(block.branch, shape);
  } else {
    add_sparse_attention(block.branch, shape);
  }
  block.branch.push_back(
      row_parallel(shape, {.module = "linear_proj",
                           .columns = latent_attention(shape.model()).output_size() / shape.tp,
                           .saves_input = keys != Keys::all,
                           .place = GemmPlace::layer_alone}));
  block.residual = residual(shape);
  return block;
}

Block mla_block(const RankShape& shape) { return latent_block(shape, Keys::all); }

Block dsa_block(const RankShape& shape) { return latent_block(shape, Keys::chosen); }

Block dsa_shared_block(const RankShape& shape) { return latent_block(shape, Keys::chosen_before); }

}  // namespace

BlockRow mla_block() {
  return {
      .kind = BlockKind::mla,
      .meaning = "multi-latent attention: queries, keys and values projected up from small latents",
      .make = mla_block,
      .packs_documents = true};
}

BlockRow dsa_block() {
  return {BlockKind::dsa,
          "multi-latent attention to the keys that an indexer chooses (DeepSeek sparse attention)",
          true, dsa_block};
}

BlockRow dsa_shared_block() {
  return {BlockKind::dsa_shared, "the same to the keys that the last dsa block before it chose",
          true, dsa_shared_block};
}

}  // namespace simtrain
