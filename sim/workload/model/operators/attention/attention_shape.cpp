#include "sim/workload/model/operators/attention/attention_operators.h"

namespace simtrain {

AttentionShape grouped_attention(const RankShape& shape, AttentionSpan span) {
  const ModelSpec& model = shape.model();
  return {.heads = model.num_attention_heads,
          .key_heads = shape.query_groups(),
          .key_dimension = model.kv_channels,
          .value_dimension = model.kv_channels,
          .span = span};
}

AttentionShape latent_attention(const ModelSpec& model) {
  const LatentAttentionSpec& latent = *model.multi_latent_attention;
  return {.heads = model.num_attention_heads,
          .key_heads = model.num_attention_heads,
          .key_dimension = latent.key_dimension(),
          .value_dimension = latent.v_head_dim,
          .one_tensor = false,
          .recomputed_by = RecomputeModule::mla_up_proj};
}

AttentionShape sparse_attention(const RankShape& shape) {
  const LatentAttentionSpec& latent = *shape.model().multi_latent_attention;
  AttentionShape sparse = latent_attention(shape.model());
  sparse.key_heads = shape.tp;
  sparse.key_dimension = latent.kv_lora_rank + latent.qk_pos_emb_head_dim;
  sparse.value_dimension = latent.kv_lora_rank;
  sparse.values_in_keys = true;
  sparse.span.window = shape.model().dsa_indexer->dsa_indexer_topk;
  return sparse;
}

}  // namespace simtrain
