#include "sim/study/fit/linear_fit.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <numeric>

namespace simtrain {
namespace {

/// The rows by their weights, as errors that change with values: errors + slopes * values.
struct WeightedRows {
  Eigen::MatrixXd slopes;
  Eigen::VectorXd errors;
};

Eigen::Map<const Eigen::VectorXd> vector_of(const std::vector<double>& values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

WeightedRows weighted_rows(const LinearProblem& problem) {
  const auto weights = vector_of(problem.weights);
  WeightedRows rows{Eigen::MatrixXd(weights.size(), vector_of(problem.at).size()),
                    weights.cwiseProduct(vector_of(problem.errors))};
  for (Eigen::Index i = 0; i < weights.size(); ++i)
    rows.slopes.row(i) = weights[i] * vector_of(problem.slopes[static_cast<std::size_t>(i)]);
  rows.errors -= rows.slopes.lazyProduct(vector_of(problem.at));
  return rows;
}

/// How far a value lies out of its range.
double excess(double value, const std::array<double, 2>& range) {
  return std::max({0.0, range[0] - value, value - range[1]});
}

}  // namespace

LinearFit solve(const LinearProblem& problem) {
  WeightedRows rows = weighted_rows(problem);
  std::vector<std::size_t> free(problem.at.size());
  std::iota(free.begin(), free.end(), std::size_t{0});
  LinearFit fit{problem.at, {}};
  while (!free.empty()) {
    // Sums of lazy products run in one order on every machine; others are cut to fit its caches.
    const Eigen::MatrixXd slopes = rows.slopes(Eigen::all, free);
    const Eigen::MatrixXd unit = Eigen::MatrixXd::Identity(slopes.cols(), slopes.cols());
    const Eigen::LLT<Eigen::MatrixXd> normal(slopes.transpose().lazyProduct(slopes) + unit);
    const Eigen::VectorXd values = normal.solve(-slopes.transpose().lazyProduct(rows.errors));
    if (fit.covariance.empty()) {
      const Eigen::MatrixXd half = normal.matrixL().solve(unit);
      const Eigen::MatrixXd inverse = half.transpose().lazyProduct(half);  // symmetric to the bit
      fit.covariance.assign(inverse.data(), inverse.data() + inverse.size());
    }
    for (std::size_t k = 0; k < free.size(); ++k)
      fit.values[free[k]] = values[static_cast<Eigen::Index>(k)];
    // The value farthest out is held at its end, and the others are fitted again.
    const auto worst = std::max_element(free.begin(), free.end(), [&](auto a, auto b) {
      return excess(fit.values[a], problem.range[a]) < excess(fit.values[b], problem.range[b]);
    });
    if (excess(fit.values[*worst], problem.range[*worst]) <= 0) break;
    fit.values[*worst] =
        std::clamp(fit.values[*worst], problem.range[*worst][0], problem.range[*worst][1]);
    rows.errors += rows.slopes.col(static_cast<Eigen::Index>(*worst)) * fit.values[*worst];
    free.erase(worst);
  }
  return fit;
}

}  // namespace simtrain
