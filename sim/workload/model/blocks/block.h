#pragma once

#include <array>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/workload/model/operators/operators.h"

namespace simtrain {

/// One block of a model on one rank: operators in the order of the forward.
struct Block {
  std::vector<Operator> branch;
  /// Its output is added to its input; then this operator joins them.
  std::optional<Operator> residual{};
  /// The module of selective recompute that runs the whole branch again.
  std::optional<RecomputeModule> recompute{};
  bool needs_input_gradient = true;
};

/// The operators of a layer, residuals among them, that recompute of the layer goes through, in the
/// order of the forward: all, or where it stops early (`early`) those up to the last tensor that a
/// backward reads. What the last block puts out is read by the next layer alone: from its end,
/// operators that keep nothing are left out, as is a product, which keeps what it takes in; of
/// others what they put out may be kept. All count where its residual keeps a mask of dropout.
std::vector<const Operator*> recomputed_operators(const std::vector<Block>& layer, bool early);

/// A kind of block, all that simtrain knows of it: programs, parameters, activations, FLOPs and
/// buffers fold over its operators, and nobody asks for a block by name. A new one is a file with
/// its row, its name in BlockKind and its line in block_rows.
struct BlockRow {
  BlockKind kind{};
  std::string_view meaning;  ///< one line
  /// Whether layers are made of it; the others begin or end a model.
  bool of_layer = true;
  Block (*make)(const RankShape& shape) = nullptr;
  /// Of a layer that is this block alone, in a hybrid's pattern; 0: none.
  char letter = 0;
  /// Whether its linear modules are modelled with adapters (LoRA) beside them.
  bool takes_adapters = false;
  /// Whether documents that are packed into a sequence are modelled as apart in it.
  bool packs_documents = false;
};

/// Adds operators in this order, moved.
template <class... Operators>
void add_operators(std::vector<Operator>& branch, Operators... operators) {
  (branch.push_back(std::move(operators)), ...);
}

/// Operators in this order, moved.
template <class... Operators>
std::vector<Operator> branch_of(Operators... operators) {
  std::vector<Operator> branch;
  branch.reserve(sizeof...(operators));
  add_operators(branch, std::move(operators)...);
  return branch;
}

BlockRow gqa_block();
BlockRow swa_block();
BlockRow chunked_gqa_block();
BlockRow mla_block();
BlockRow dsa_block();
BlockRow dsa_shared_block();
BlockRow mamba_block();
BlockRow gated_delta_net_block();
BlockRow mlp_block();
BlockRow moe_block();
BlockRow mtp_block();
BlockRow mtp_head_block();
BlockRow embedding_block();
BlockRow head_block();

/// By kind.
std::span<const BlockRow> block_rows();
const BlockRow& row_of(BlockKind kind);
/// nullptr: no row has this letter.
const BlockRow* row_of_letter(char letter);

}  // namespace simtrain
