#pragma once

#include <string>
#include <vector>

#include "sim/core/files/data_folder.h"
#include "sim/study/fit/kernel_points.h"
#include "sim/study/validate/error_summary.h"

namespace simtrain {

/// Whether the GPU's file has a row for a kernel's data type or implementation.
bool has_row_for(const GpuSpec& gpu, const Kernel& kernel);

/// Seconds of a kernel alone on a GPU, short or sustained.
double predict_kernel(const GpuSpec& gpu, const Kernel& kernel, KernelRun run);

/// A measured kernel and the prediction of the kernel model, if it has one.
struct KernelComparison {
  KernelPoint point;
  std::optional<double> predicted_s;
  [[nodiscard]] double error() const { return predicted_s.value() / point.measured_s - 1; }
};

/// Predicts each point with the GPU files as they are.
std::vector<KernelComparison> compare_kernels(const DataFolder& data,
                                              std::vector<KernelPoint> points);

/// The comparisons of one GPU, variant and shape class; `errors` are of the predicted ones.
struct KernelGroup {
  KernelFamily family{};
  std::string gpu;
  std::string variant;
  std::string shape;
  ErrorSummary errors;
  std::size_t not_predicted = 0;
};

/// By family, GPU, variant and shape class, in that order.
std::vector<KernelGroup> group_kernels(const std::vector<KernelComparison>& comparisons);

/// The errors of all points that may set parameters: what a bound is held against.
ErrorSummary summarize_fitted(const std::vector<KernelComparison>& comparisons);

}  // namespace simtrain
