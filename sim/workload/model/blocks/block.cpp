#include "sim/workload/model/blocks/block.h"

#include "sim/core/invariant.h"

namespace simtrain {

std::span<const BlockRow> block_rows() {
  static const std::array rows{gqa_block(), mlp_block(), moe_block(), embedding_block(),
                               head_block()};
  return rows;
}

const BlockRow& row_of(BlockKind kind) {
  const BlockRow& row = block_rows()[static_cast<std::size_t>(kind)];
  invariant(row.kind == kind, "block_rows are in the order of BlockKind");
  return row;
}

}  // namespace simtrain
