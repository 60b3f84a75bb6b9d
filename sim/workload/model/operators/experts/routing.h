#pragma once

#include <cstdint>
#include <vector>

#include "sim/workload/model/recipe.h"

namespace simtrain {

/// Rows of the busiest of `ep` ranks over their mean that a recipe's routing is expected to make
/// where `tokens` of a rank choose experts: in the mean over layers, since each layer waits for its
/// own busiest rank. Nothing is drawn for it but, by a power law, which experts have much.
double expected_imbalance(const MoeSpec& moe, const ExpertsSpec& experts, double tokens, int ep);

/// Rows of the busiest of `ranks` over the mean where `tokens` choose their experts at random: a
/// rank's rows are sums of hypergeometric draws, so nearly normal.
double random_imbalance(const ExpertChoice& choice, double tokens, int ranks);

/// The same where experts have unlike shares of all rows, which `shares` lists in their order: rank
/// after rank has as many of them.
double skewed_imbalance(const std::vector<double>& shares, double tokens, std::int64_t topk,
                        int ranks);

/// Rows that experts with room for `factor` times the mean take, over all rows. In the mean over
/// layers; random routing overflows no expert with a factor of 1 or more.
double taken_by_capacity(const MoeSpec& moe, const ExpertsSpec& experts, double tokens,
                         double factor);

/// Rows of the busiest of `ep` ranks over the mean of those that such experts take.
double imbalance_of_taken(const MoeSpec& moe, const ExpertsSpec& experts, double tokens, int ep,
                          double factor);

/// Rows of an expert that are padded to a `multiple`: of so many that come at random, as a Poisson
/// law spreads them, in the mean; or of just so many, where they are `known`.
double padded_rows(double rows, int multiple, bool known);

/// The shares that experts have of a layer's rows, of loads in any unit: a token passes an expert
/// once, so that none has more than 1 / topk of them, and what would be beyond goes to the others.
std::vector<double> expert_shares(std::vector<double> loads, std::int64_t topk);

}  // namespace simtrain
