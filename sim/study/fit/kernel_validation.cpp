#include "sim/study/fit/kernel_validation.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "sim/topology/specs/gpu_fields.h"

namespace simtrain {

bool has_row_for(const GpuSpec& gpu, const Kernel& kernel) {
  if (const auto* gemm = std::get_if<Gemm>(&kernel)) {
    return std::any_of(gpu.gemm.rates.begin(), gpu.gemm.rates.end(),
                       [&](const GemmRate& rate) { return rate.data_type == gemm->type; });
  }
  if (const auto* attention = std::get_if<Attention>(&kernel)) {
    return std::any_of(gpu.attention.begin(), gpu.attention.end(), [&](const AttentionSpec& row) {
      return row.implementation == attention->implementation &&
             row.direction == attention->direction;
    });
  }
  return true;
}

double predict_kernel(const GpuSpec& gpu, const Kernel& kernel, KernelRun run) {
  double clock = 1;
  if (const auto* gemm = std::get_if<Gemm>(&kernel); gemm != nullptr && run != KernelRun::burst) {
    const GemmRate& rate = gpu.gemm_rate(gemm->type);
    clock = rate.sustained.value() / rate.burst.value();
  }
  return to_seconds(FittedKernelModel(gpu, clock).time(kernel).time);
}

std::vector<KernelComparison> compare_kernels(const DataFolder& data,
                                              std::vector<KernelPoint> points) {
  std::map<std::string, GpuSpec> gpus;
  for (const std::string& name : data.names("hardware/gpus"))
    gpus.emplace(name, data.load<GpuSpec>("hardware/gpus", name, {}, "gpu"));
  std::vector<KernelComparison> comparisons;
  comparisons.reserve(points.size());
  for (KernelPoint& point : points) {
    std::optional<double> predicted;
    const auto gpu = gpus.find(point.gpu);
    if (gpu != gpus.end() && point.kernel && has_row_for(gpu->second, *point.kernel))
      predicted = predict_kernel(gpu->second, *point.kernel, point.run);
    comparisons.push_back({std::move(point), predicted});
  }
  return comparisons;
}

std::vector<KernelGroup> group_kernels(const std::vector<KernelComparison>& comparisons) {
  using Key = std::tuple<KernelFamily, std::string, std::string, std::string>;
  struct Members {
    std::vector<double> errors;
    std::size_t not_predicted = 0;
  };
  std::map<Key, Members> groups;
  for (const KernelComparison& one : comparisons) {
    Members& members =
        groups[{one.point.family, one.point.gpu, one.point.variant, one.point.shape}];
    if (one.predicted_s)
      members.errors.push_back(one.error());
    else
      ++members.not_predicted;
  }
  std::vector<KernelGroup> result;
  result.reserve(groups.size());
  for (const auto& [key, members] : groups) {
    const auto& [family, gpu, variant, shape] = key;
    result.push_back(
        {family, gpu, variant, shape, error_summary(members.errors), members.not_predicted});
  }
  return result;
}

ErrorSummary summarize_fitted(const std::vector<KernelComparison>& comparisons) {
  std::vector<double> errors;
  for (const KernelComparison& one : comparisons) {
    if (one.predicted_s && one.point.fitted) errors.push_back(one.error());
  }
  return error_summary(errors);
}

}  // namespace simtrain
