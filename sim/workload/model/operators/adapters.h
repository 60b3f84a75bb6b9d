#pragma once

#include "sim/workload/model/operators/operators.h"

namespace simtrain {

// Linear modules with the low-rank adapters that a recipe adds to them (LoraSpec), as NeMo and
// Megatron-Bridge compute them: A [r, inputs] and B [outputs, r] read what the module reads, and
// what they make is scaled and added to what it puts out, by element-wise kernels. Over a TP group
// of t ranks:
//
//   beside a column-parallel module    A is [r/t, inputs], whose output is gathered; B is
//                                      [outputs/t, r]. A reads the rows that were gathered for the
//                                      module, which therefore are not quantized before they are,
//                                      and not overlapped
//   beside a row-parallel module       A is [r, inputs/t], whose output is summed; B is
//                                      [outputs/t, r], whose columns are gathered by all ranks
//
// Adapters are in the format of activations, whatever the precision of the module.

/// Appends the module, and its adapters where it is a target.
void add_column_parallel(std::vector<Operator>& branch, const RankShape& shape,
                         ColumnParallelSpec spec);
void add_row_parallel(std::vector<Operator>& branch, const RankShape& shape,
                      const RowParallelSpec& spec);

}  // namespace simtrain
