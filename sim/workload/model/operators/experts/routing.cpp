#include "sim/workload/model/operators/experts/routing.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

#include <boost/math/special_functions/gamma.hpp>

#include "sim/workload/parallel/largest_of_normals.h"

namespace simtrain {
namespace {

/// Draws of which experts have much by a law, and the seed of those that no recipe gives one.
constexpr int kDraws = 64;
/// Loads of the law are between 1 and this share of the tokens (ai-dynamo/aiconfigurator,
/// sample_power_law).
constexpr double kMostLoad = 0.8;

/// Of rows that `share` of all experts get, for each token: sampling without replacement.
double deviation(double tokens, std::int64_t topk, double share, std::int64_t experts) {
  const double mean = tokens * static_cast<double>(topk) * share;
  return std::sqrt(mean * (1 - share) * static_cast<double>(experts - topk) /
                   static_cast<double>(experts - 1));
}

/// Loads whose density falls with their power, at the middles of as many equal parts of it.
std::vector<double> power_law_loads(double exponent, double most, int experts) {
  std::vector<double> loads;
  loads.reserve(static_cast<std::size_t>(experts));
  const double power = 1 - exponent;
  for (int expert = 0; expert < experts; ++expert) {
    const double part = (expert + 0.5) / experts;
    loads.push_back(std::abs(power) < 1e-9
                        ? std::pow(most, part)
                        : std::pow(1 + part * (std::pow(most, power) - 1), 1 / power));
  }
  return loads;
}

/// The same in `kDraws` orders: integers alone, so that they are the same everywhere.
std::vector<std::vector<double>> in_many_orders(std::vector<double> shares, int seed) {
  std::mt19937_64 random(static_cast<std::uint64_t>(seed));
  std::vector<std::vector<double>> orders;
  orders.reserve(kDraws);
  for (int draw = 0; draw < kDraws; ++draw) {
    for (std::size_t left = shares.size(); left > 1; --left)
      std::swap(shares[left - 1], shares[random() % left]);
    orders.push_back(shares);
  }
  return orders;
}

/// The shares of the experts of each layer that is known, or drawn; none where all are alike.
std::vector<std::vector<double>> layer_shares(const MoeSpec& moe, const ExpertsSpec& experts,
                                              double tokens) {
  if (!moe.routing) return {};
  const RoutingSpec& routing = *moe.routing;
  if (routing.law == RoutingLaw::power_law)
    return in_many_orders(
        expert_shares(power_law_loads(routing.exponent.value_or(0),
                                      std::max(1.0, kMostLoad * tokens), experts.num_moe_experts),
                      experts.moe_router_topk),
        routing.seed.value_or(0));
  std::vector<std::vector<double>> layers;
  layers.reserve(routing.loads.size());
  for (const std::vector<double>& loads : routing.loads)
    layers.push_back(expert_shares(loads, experts.moe_router_topk));
  return layers;
}

/// What experts with room for `factor` times the mean take of these shares.
std::vector<double> capped(std::vector<double> shares, double factor) {
  const double most = factor / static_cast<double>(shares.size());
  for (double& share : shares) share = std::min(share, most);
  return shares;
}

double sum_of(const std::vector<double>& shares) {
  return std::accumulate(shares.begin(), shares.end(), 0.0);
}

template <class Figure>
double mean_over(const std::vector<std::vector<double>>& layers, const Figure& figure) {
  return std::accumulate(layers.begin(), layers.end(), 0.0,
                         [&](double sum, const auto& shares) { return sum + figure(shares); }) /
         static_cast<double>(layers.size());
}

}  // namespace

double expected_imbalance(const MoeSpec& moe, const ExpertsSpec& experts, double tokens, int ep) {
  // One rank can have no more than the rows of all.
  if (moe.moe_load_imbalance) return std::min<double>(*moe.moe_load_imbalance, ep);
  if (moe.routing && moe.routing->law == RoutingLaw::balanced) return 1;
  const auto layers = layer_shares(moe, experts, tokens * ep);
  if (layers.empty()) return random_imbalance(experts.choice(), tokens * ep, ep);
  return mean_over(layers, [&](const std::vector<double>& shares) {
    return skewed_imbalance(shares, tokens * ep, experts.moe_router_topk, ep);
  });
}

double random_imbalance(const ExpertChoice& choice, double tokens, int ranks) {
  if (ranks <= 1 || choice.experts <= 1) return 1;
  const double mean = tokens * static_cast<double>(choice.topk) / ranks;
  return 1 + expected_largest(ranks) * std::sqrt(rows_variance(choice, tokens, ranks)) / mean;
}

double skewed_imbalance(const std::vector<double>& shares, double tokens, std::int64_t topk,
                        int ranks) {
  const auto experts = static_cast<std::int64_t>(shares.size());
  if (ranks <= 1 || experts <= 1) return 1;
  const std::ptrdiff_t local = experts / ranks;
  std::vector<NormalOf> rows;
  rows.reserve(static_cast<std::size_t>(ranks));
  for (auto first = shares.begin(); first != shares.end(); first += local) {
    const double share = std::min(1.0, std::accumulate(first, first + local, 0.0));
    rows.push_back(
        {tokens * static_cast<double>(topk) * share, deviation(tokens, topk, share, experts)});
  }
  return expected_largest(rows) * ranks / (tokens * static_cast<double>(topk));
}

double taken_by_capacity(const MoeSpec& moe, const ExpertsSpec& experts, double tokens,
                         double factor) {
  const auto layers = layer_shares(moe, experts, tokens);
  if (layers.empty()) return std::min(1.0, factor);
  return mean_over(
      layers, [&](const std::vector<double>& shares) { return sum_of(capped(shares, factor)); });
}

double imbalance_of_taken(const MoeSpec& moe, const ExpertsSpec& experts, double tokens, int ep,
                          double factor) {
  const auto layers = layer_shares(moe, experts, tokens * ep);
  if (moe.moe_load_imbalance || layers.empty())
    return std::min(expected_imbalance(moe, experts, tokens, ep), std::max(1.0, factor));
  const double busiest = mean_over(layers, [&](const std::vector<double>& shares) {
    std::vector<double> taken = capped(shares, factor);
    const double kept = sum_of(taken);
    for (double& share : taken) share /= kept;
    const double imbalance =
        skewed_imbalance(taken, tokens * ep * kept, experts.moe_router_topk, ep);
    return std::min(kept * imbalance, factor);  // which all experts of a rank together may take
  });
  return busiest / taken_by_capacity(moe, experts, tokens * ep, factor);
}

/// Where the rows spread over more than a multiple, any rest of them is as likely as another.
double padded_rows(double rows, int multiple, bool known) {
  if (multiple <= 1) return rows;
  if (known) return std::ceil(rows / multiple - 1e-9) * multiple;
  if (std::sqrt(rows) > 0.5 * multiple) return rows + 0.5 * (multiple - 1);
  double most = 0;
  double reached = 1;  // the chance of more rows than `most`
  double sum = 0;
  while (reached > 1e-12) {
    reached = boost::math::gamma_p(most + 1, rows);
    sum += reached * multiple;
    most += multiple;
  }
  return sum;
}

std::vector<double> expert_shares(std::vector<double> loads, std::int64_t topk) {
  const double most = 1.0 / static_cast<double>(topk);
  const double all = std::accumulate(loads.begin(), loads.end(), 0.0);
  for (double& load : loads) load /= all;
  // Each turn fills at least one expert, or ends.
  for (std::size_t turn = 0; turn < loads.size(); ++turn) {
    double beyond = 0;
    double room = 0;
    double free = 0;
    for (const double share : loads) {
      beyond += std::max(0.0, share - most);
      if (share < most) {
        room += share;
        ++free;
      }
    }
    if (beyond < 1e-12 || free == 0) break;
    for (double& share : loads) {
      if (share >= most) {
        share = most;
      } else {
        share += room > 0 ? share / room * beyond : beyond / free;
      }
    }
  }
  return loads;
}

}  // namespace simtrain
