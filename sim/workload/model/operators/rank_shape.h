#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/workload/model/recipe.h"

namespace simtrain {

/// What a micro-batch is on one rank: the sizes that operators are made from. The recipe must
/// outlive it, and the operators.
struct RankShape {
  explicit RankShape(const Recipe& of) : RankShape(of, of.precision().layers) {}
  /// With linear modules in other formats than the layers'; the recipe holds them.
  RankShape(const Recipe& of, const LinearFormats& formats)
      : recipe(of),
        linear(formats),
        tp(of.tp()),
        tokens(of.tokens()),
        rows(static_cast<double>(tokens)),
        own_rows(rows / (of.parallelism.sequence_parallel ? tp : 1)) {}

  const Recipe& recipe;
  const LinearFormats& linear;
  int tp;
  std::int64_t tokens;  ///< of one tensor-parallel group
  double rows;          ///< the same
  double own_rows;      ///< tokens whose hidden states the rank keeps: a part of them, or all

  /// Of an element of hidden states and of all that is no operand of a linear module.
  [[nodiscard]] double activation_bytes() const { return recipe.precision().activation.bytes(); }
  [[nodiscard]] const ModelSpec& model() const { return recipe.model; }
  [[nodiscard]] std::int64_t hidden() const { return recipe.model.hidden_size; }
  /// Over the ranks of a tensor-parallel group: each has one at least, that of a multi-query model
  /// the same on all.
  [[nodiscard]] int query_groups() const { return std::max(recipe.model.num_query_groups, tp); }
  /// Of the keys, or the values, of all of these.
  [[nodiscard]] std::int64_t key_value_size() const {
    return query_groups() * recipe.model.kv_channels;
  }
};

}  // namespace simtrain
