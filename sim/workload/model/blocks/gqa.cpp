#include "sim/workload/model/blocks/block.h"
#include "sim/workload/model/operators/adapters.h"
#include "sim/workload/model/operators/attention/attention_operators.h"

namespace simtrain {
namespace {

/// Self-attention in query groups, over the keys of `span`.
Block grouped_block(const RankShape& shape, AttentionSpan span) {
  const ModelSpec& model = shape.model();
  const std::int64_t gates = model.attention_output_gate ? model.query_size() : 0;
  Block block;
  block.branch = branch_of(norm(shape, {.module = "input_layernorm",
                                        .share = Share::memory_bound,
                                        .recompute = RecomputeModule::layernorm,
                                        .input = OffloadModule::attn_norm,
                                        .output = OffloadModule::qkv_linear}));
  add_column_parallel(
      block.branch, shape,
      {.module = "linear_qkv",
       .columns = (model.query_size() + gates + 2 * shape.key_value_size()) / shape.tp,
       .bias = model.add_bias_linear || model.add_qkv_bias,
       .separate = {(model.query_size() + gates) / shape.tp, shape.key_value_size() / shape.tp,
                    shape.key_value_size() / shape.tp},
       .columns_again = shape.key_value_size() / shape.tp,
       .dgrad = &TpOverlapTable::qkv_dgrad,
       .wgrad = &TpOverlapTable::qkv_wgrad});
  if (model.qk_layernorm) block.branch.push_back(query_key_norm(shape));
  add_operators(block.branch, rotary(shape), core_attention(shape, grouped_attention(shape, span)));
  if (model.attention_output_gate) block.branch.push_back(output_gate(shape));
  add_row_parallel(block.branch, shape,
                   {.module = "linear_proj",
                    .columns = model.query_size() / shape.tp,
                    .bias = model.add_bias_linear,
                    .saves_input = model.attention_output_gate,
                    .again = true,
                    .fprop = &TpOverlapTable::proj_fprop});
  block.residual = residual(shape);
  return block;
}

Block gqa_block(const RankShape& shape) { return grouped_block(shape, {}); }

Block swa_block(const RankShape& shape) {
  return grouped_block(shape, {.window = shape.model().window_size.value_or(0)});
}

Block chunked_gqa_block(const RankShape& shape) {
  return grouped_block(shape, {.chunk = shape.model().attention_chunk_size.value_or(0)});
}

}  // namespace

BlockRow gqa_block() {
  return {.kind = BlockKind::gqa,
          .meaning = "self-attention, each query group with keys and values of its own",
          .make = gqa_block,
          .letter = '*',
          .takes_adapters = true,
          .packs_documents = true};
}

BlockRow swa_block() {
  return {.kind = BlockKind::swa,
          .meaning = "the same over a sliding window of the last window_size keys",
          .make = swa_block,
          .takes_adapters = true,
          .packs_documents = true};
}

BlockRow chunked_gqa_block() {
  return {.kind = BlockKind::chunked_gqa,
          .meaning = "the same inside each chunk of attention_chunk_size positions",
          .make = chunked_gqa_block,
          .takes_adapters = true,
          .packs_documents = true};
}

}  // namespace simtrain
