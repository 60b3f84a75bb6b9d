#pragma once

#include <string>
#include <vector>

#include "sim/core/watch.h"
#include "sim/study/fit/kernel_points.h"
#include "sim/study/validate/error_summary.h"

namespace simtrain {

/// A parameter of a GPU file as the points have it.
struct FittedKernelParameter {
  std::string name;  ///< its key, such as "wave_overhead"
  std::string unit;
  double value = 0;
  double standard_error = 0;  ///< infinite where no point depends on it; nothing at the limit
  bool at_limit = false;      ///< the points ask for more than it can be, which is `value`
  double in_file = 0;         ///< the value in the GPU's file
};

/// The errors on points of one class of shapes that set no parameter of their prediction.
struct LeftOutErrors {
  std::string shape;
  ErrorSummary errors;
};

/// One fit: the parameters of a data type, of an implementation and direction, or of a kind of
/// memory-bound kernels.
struct KernelFit {
  KernelFamily family{};
  std::string variant;
  std::vector<FittedKernelParameter> parameters;
  ErrorSummary fitted;                  ///< on the points that set the parameters
  std::vector<LeftOutErrors> left_out;  ///< by class, the classes sorted
  bool converged = false;
};

/// Fits the parameters of `gpu` to the short runs among the points of that GPU which may set
/// parameters, by least squares of the logarithm of predicted over measured. Left out are five
/// times a fifth of the shapes, chosen by a hash of the shape: each is predicted by a fit to the
/// others. GEMMs of odd sizes and memory-bound kernels below 64 MB set nothing and are predicted in
/// their fifth. A variant needs four points more than parameters. Deterministic; nothing is
/// written.
std::vector<KernelFit> fit_kernels(const GpuSpec& gpu, const std::vector<KernelPoint>& points,
                                   const Watch& watch = {});

}  // namespace simtrain
