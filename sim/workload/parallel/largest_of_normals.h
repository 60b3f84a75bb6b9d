#pragma once

#include <vector>

namespace simtrain {

/// Expected largest of `count` independent standard normal values, by Blom's formula
/// (Statistical Estimates and Transformed Beta-Variables, 1958): 0 for one, 0.6 for two, 1.4 for
/// eight.
double expected_largest(int count);

/// A normal value.
struct NormalOf {
  double mean = 0;
  double deviation = 0;
};

/// Expected largest of some independent normal values that need not be alike, by numerical
/// integration.
double expected_largest(const std::vector<NormalOf>& values);

/// Mean and standard deviation of the largest of `count` independent standard normal values, by
/// numerical integration of its density: 0 and 1 for one, 0.564 and 0.826 for two, 1.424 and 0.611
/// for eight.
struct LargestOfNormals {
  double mean = 0;
  double deviation = 1;
};
LargestOfNormals largest_of_normals(int count);

/// The value below which that largest is with probability `share`, which lies between 0 and 1.
double quantile_of_largest(double share, int count);

}  // namespace simtrain
