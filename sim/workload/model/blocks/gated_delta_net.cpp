#include "sim/workload/model/blocks/block.h"

namespace simtrain {
namespace {

/// Queries, keys, values, the gate of the output, and two numbers of each head of values.
std::int64_t projected_columns(const GatedDeltaNetSpec& net) {
  return 2 * (net.key_size() + net.value_size() + net.linear_num_value_heads);
}

Block gated_delta_net_layer(const RankShape& shape) {
  const GatedDeltaNetSpec& net = *shape.model().gated_delta_net;
  Block block;
  block.branch = branch_of(norm(shape, {.module = "input_layernorm",
                                        .share = Share::memory_bound,
                                        .recompute = RecomputeModule::layernorm}),
                           column_parallel(shape, {.module = "in_proj",
                                                   .columns = projected_columns(net) / shape.tp,
                                                   .place = GemmPlace::layer_alone}),
                           gated_delta_rule(shape),
                           row_parallel(shape, {.module = "out_proj",
                                                .columns = net.value_size() / shape.tp,
                                                .place = GemmPlace::layer_alone}));
  block.residual = residual(shape);
  return block;
}

}  // namespace

BlockRow gated_delta_net_block() {
  return {BlockKind::gated_delta_net,
          "gated linear attention by the delta rule (Gated DeltaNet), between two linear modules",
          true, gated_delta_net_layer, 'G'};
}

}  // namespace simtrain
