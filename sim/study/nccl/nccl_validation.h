#pragma once

#include <string>
#include <vector>

#include "sim/core/enum_names.h"
#include "sim/core/files/data_folder.h"
#include "sim/core/watch.h"

namespace simtrain {

/// What a measured curve was used for: to set parameters, or only to test them.
enum class CurveUse { fitted, tested };

template <>
struct EnumNames<CurveUse> {
  static constexpr std::array rows{std::pair{std::string_view("fitted"), CurveUse::fitted},
                                   std::pair{std::string_view("tested"), CurveUse::tested}};
};

/// One measured call against the prediction.
struct CurvePoint {
  std::string machine;
  std::string collective;
  std::string source;
  CurveUse use{};
  int gpus = 0;
  int nodes = 1;
  double bytes = 0;
  double measured_s = 0;
  double predicted_s = 0;
  std::string choice;  ///< algorithm and protocol predicted
  [[nodiscard]] double error() const { return predicted_s / measured_s - 1; }
};

/// Median and 90th percentile of the absolute error and the median signed error of some points.
struct CurveSummary {
  std::size_t points = 0;
  double median = 0;
  double percentile_90 = 0;
  double bias = 0;
};

CurveSummary summarize(const std::vector<const CurvePoint*>& points);

/// From how many bytes on a call is bound by bandwidth rather than latency, in summaries.
inline constexpr double kLargeCall = 1 << 20;

/// The same of the calls of `kLargeCall` and more among `points`, or of the smaller ones.
CurveSummary summarize_sizes(const std::vector<const CurvePoint*>& points, bool large);

/// Predicts every point of a file of measured NCCL curves (`validation/nccl/*.yaml`).
/// Throws InputError where the file or a cluster that it names is wrong.
std::vector<CurvePoint> validate_curves(const DataFolder& data, const std::string& path,
                                        const Watch& watch = {});

}  // namespace simtrain
