#include "sim/workload/model/blocks/block.h"

#include <algorithm>

#include "sim/core/invariant.h"

namespace simtrain {

std::span<const BlockRow> block_rows() {
  static const std::array rows{
      gqa_block(),        swa_block(),      chunked_gqa_block(),     mla_block(), dsa_block(),
      dsa_shared_block(), mamba_block(),    gated_delta_net_block(), mlp_block(), moe_block(),
      mtp_block(),        mtp_head_block(), embedding_block(),       head_block()};
  return rows;
}

const BlockRow& row_of(BlockKind kind) {
  const BlockRow& row = block_rows()[static_cast<std::size_t>(kind)];
  invariant(row.kind == kind, "block_rows are in the order of BlockKind");
  return row;
}

const BlockRow* row_of_letter(char letter) {
  const std::span<const BlockRow> rows = block_rows();
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const BlockRow& one) {
    return one.letter != 0 && one.letter == letter;
  });
  return row == rows.end() ? nullptr : &*row;
}

std::vector<const Operator*> recomputed_operators(const std::vector<Block>& layer, bool early) {
  std::vector<const Operator*> operators;
  for (const Block& block : layer) {
    for (const Operator& op : block.branch) operators.push_back(&op);
    if (block.residual) operators.push_back(&*block.residual);
  }
  if (!early) return operators;
  while (!operators.empty() && operators.back()->saved.empty()) operators.pop_back();
  if (!operators.empty() && multiplies(*operators.back())) operators.pop_back();
  return operators;
}

}  // namespace simtrain
