#include "sim/workload/model/blocks/block.h"
#include "sim/workload/model/operators/adapters.h"

namespace simtrain {
namespace {

Block mlp_block(const RankShape& shape) {
  const ModelSpec& model = shape.model();
  const std::vector<std::int64_t> branches = branches_of(shape, model.ffn_hidden_size);
  Block block;
  block.branch = branch_of(norm(shape, {.module = "pre_mlp_layernorm",
                                        .share = Share::memory_bound,
                                        .recompute = RecomputeModule::layernorm,
                                        .input = OffloadModule::mlp_norm}));
  add_column_parallel(block.branch, shape,
                      {.module = "linear_fc1",
                       .columns = model.fc1_size(model.ffn_hidden_size) / shape.tp,
                       .bias = model.add_bias_linear,
                       .separate = branches,
                       .columns_again = branches.size() > 1 ? branches.back() : 0,
                       .dgrad = &TpOverlapTable::fc1_dgrad,
                       .wgrad = &TpOverlapTable::fc1_wgrad});
  block.branch.push_back(mlp_activation(shape, model.ffn_hidden_size / shape.tp));
  add_row_parallel(block.branch, shape,
                   {.module = "linear_fc2",
                    .columns = model.ffn_hidden_size / shape.tp,
                    .bias = model.add_bias_linear,
                    .fprop = &TpOverlapTable::fc2_fprop});
  block.residual = residual(shape);
  block.recompute = RecomputeModule::mlp;
  return block;
}

}  // namespace

BlockRow mlp_block() {
  return {.kind = BlockKind::mlp,
          .meaning = "feed-forward: two linear modules, the first gated or not",
          .make = mlp_block,
          .letter = '-',
          .takes_adapters = true,
          .packs_documents = true};
}

}  // namespace simtrain
