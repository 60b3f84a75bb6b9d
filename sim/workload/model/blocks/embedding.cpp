#include "sim/workload/model/blocks/block.h"

namespace simtrain {
namespace {

Block embedding_block(const RankShape& shape) {
  Block block;
  block.branch = branch_of(word_embeddings(shape));
  return block;
}

}  // namespace

BlockRow embedding_block() {
  return {BlockKind::embedding, "first on the first stage: the table of word embeddings", false,
          embedding_block};
}

}  // namespace simtrain
