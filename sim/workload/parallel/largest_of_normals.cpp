#include "sim/workload/parallel/largest_of_normals.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <boost/math/distributions/normal.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>

namespace simtrain {
namespace {

using Plain = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
using Normal = boost::math::normal_distribution<double, Plain>;

}  // namespace

double expected_largest(int count) {
  if (count <= 1) return 0;
  return boost::math::quantile(Normal(), (count - 0.375) / (count + 0.25));
}

double expected_largest(const std::vector<NormalOf>& values) {
  constexpr double kFarOut = 8;  // deviations
  double least = -std::numeric_limits<double>::infinity();
  double most = least;
  for (const NormalOf& value : values) {
    least = std::max(least, value.mean - kFarOut * value.deviation);
    most = std::max(most, value.mean + kFarOut * value.deviation);
  }
  std::vector<NormalOf> near;  // of those that may be the largest
  for (const NormalOf& value : values) {
    if (value.mean + kFarOut * value.deviation > least) near.push_back(value);
  }
  const auto beyond = [&](double x) {
    double below = 1;
    for (const NormalOf& value : near)
      below *= boost::math::cdf(Normal(value.mean, value.deviation), x);
    return 1 - below;
  };
  if (near.empty()) return least;
  return least + boost::math::quadrature::gauss_kronrod<double, 61>::integrate(beyond, least, most);
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

}  // namespace simtrain
