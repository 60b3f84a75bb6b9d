#include "sim/workload/plan/stragglers.h"

#include <cmath>

#include <boost/math/distributions/normal.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>

namespace simtrain {
namespace {

using Plain = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
using Normal = boost::math::normal_distribution<double, Plain>;

/// Standard deviation, in seconds, of work that one GPU does.
double work_deviation(const PowerSpec& power, const ComputeCost& busy) {
  const double lasts = to_seconds(power.fluctuation_time.value);
  const double length = to_seconds(busy.time);
  const double deviation = power.fluctuation.value * std::sqrt(lasts / (lasts + length));
  return length * busy.sm_bound * deviation;
}

}  // namespace

double expected_largest(int count) {
  if (count <= 1) return 0;
  return boost::math::quantile(Normal(), (count - 0.375) / (count + 0.25));
}

LargestOfNormals largest_of_normals(int count) {
  if (count <= 1) return {};
  const Normal normal;
  const auto moment = [&](int power, double around) {
    const auto density = [&](double x) {
      return std::pow(x - around, power) * count * boost::math::pdf(normal, x) *
             std::pow(boost::math::cdf(normal, x), count - 1);
    };
    constexpr double kFarOut = 10;
    return boost::math::quadrature::gauss_kronrod<double, 61>::integrate(density, -kFarOut,
                                                                         kFarOut);
  };
  const double mean = moment(1, 0);
  return {mean, std::sqrt(moment(2, mean))};
}

double quantile_of_largest(double share, int count) {
  const Normal normal;
  const double exponent = std::log(share) / count;  // of Phi(x) = share^(1/count)
  const double below = std::exp(exponent);
  if (below < 0.5) return boost::math::quantile(normal, below);
  return boost::math::quantile(boost::math::complement(normal, -std::expm1(exponent)));
}

ComputeCost straggler_wait(const PowerSpec& power, const ComputeCost& busy, int met, int ranks) {
  if (to_seconds(busy.time) <= 0) return {};
  const double waiting =
      work_deviation(power, busy) * (expected_largest(ranks) - expected_largest(met));
  ComputeCost cost;
  cost.time = to_duration(waiting);
  part(cost.parts, Share::stragglers) = to_seconds(cost.time);
  return cost;
}

StepSpread step_spread(const PowerSpec& power, const ComputeCost& busy, int met, int ranks) {
  if (to_seconds(busy.time) <= 0) return {};
  return {work_deviation(power, busy) * largest_of_normals(met).deviation, ranks / met};
}

}  // namespace simtrain
