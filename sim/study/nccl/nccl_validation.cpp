#include "sim/study/nccl/nccl_validation.h"

#include <cmath>

#include <fmt/format.h>

#include "sim/core/files/yaml_file.h"
#include "sim/study/nccl/nccl_curves_fields.h"
#include "sim/study/nccl/nccl_sweep.h"
#include "sim/study/validate/error_summary.h"

namespace simtrain {
namespace {

void check(const CurveSpec& curve, const Cluster& cluster) {
  if (curve.bytes.size() != curve.us.size())
    throw InputError(curve.where, "us",
                     fmt::format("has {} times for {} sizes", curve.us.size(), curve.bytes.size()));
  const int fewest = cluster.spec().fewest_gpus();
  if (curve.collective == Collective::none)
    throw InputError(curve.where, "collective", "'none' is no operation");
  if (curve.gpus % curve.nodes != 0 || curve.gpus / curve.nodes > fewest)
    throw InputError(
        curve.where, "gpus",
        fmt::format("{} do not spread over {} nodes of {}", curve.gpus, curve.nodes, fewest));
}

}  // namespace

CurveSummary summarize(const std::vector<const CurvePoint*>& points) {
  CurveSummary summary;
  summary.points = points.size();
  if (points.empty()) return summary;
  std::vector<double> absolute;
  std::vector<double> with_sign;
  for (const CurvePoint* point : points) {
    absolute.push_back(std::abs(point->error()));
    with_sign.push_back(point->error());
  }
  summary.median = quantile(absolute, 0.5);
  summary.percentile_90 = quantile(absolute, 0.9);
  summary.bias = quantile(with_sign, 0.5);
  return summary;
}

CurveSummary summarize_sizes(const std::vector<const CurvePoint*>& points, bool large) {
  std::vector<const CurvePoint*> chosen;
  for (const CurvePoint* point : points) {
    if ((point->bytes >= kLargeCall) == large) chosen.push_back(point);
  }
  return summarize(chosen);
}

std::vector<CurvePoint> validate_curves(const DataFolder& data, const std::string& path,
                                        const Watch& watch) {
  const auto file = read_yaml<CurveFile>(load_yaml_file(path), "");
  std::vector<CurvePoint> points;
  for (const CurveSpec& curve : file.curves) {
    const Cluster cluster(load_cluster(data, curve.cluster, curve.nodes, curve.where));
    check(curve, cluster);
    const NcclSettings settings = with_overrides(usual_nccl({2, 25, 1}), curve.nccl, curve.source);
    const NcclCommunicator calls(cluster, settings, first_gpus(cluster, curve.nodes, curve.gpus));
    for (std::size_t i = 0; i < curve.bytes.size(); ++i) {
      const NcclSweepRow row = calls.of(curve.collective, Bytes(curve.bytes[i]));
      points.push_back(
          {curve.machine, std::string(name_of(curve.collective)), curve.source, curve.use,
           curve.gpus, curve.nodes, static_cast<double>(curve.bytes[i]), curve.us[i] * 1e-6,
           to_seconds(row.time),
           fmt::format("{} {}", name_of(row.cost.algorithm), name_of(row.cost.protocol))});
    }
    if (watch) watch(static_cast<std::size_t>(&curve - file.curves.data()) + 1, file.curves.size());
  }
  if (points.empty()) throw InputError({path}, "curves", "holds no points");
  return points;
}

}  // namespace simtrain
