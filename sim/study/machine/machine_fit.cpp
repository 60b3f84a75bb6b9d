#include "sim/study/machine/machine_fit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "sim/study/fit/kernel_validation.h"
#include "sim/study/validate/error_summary.h"
#include "sim/topology/specs/cluster_spec.h"
#include "sim/topology/specs/gpu_fields.h"
#include "sim/workload/kernels/streaming_kinds.h"

namespace simtrain {
namespace {

constexpr std::size_t kFewest = 4;             // points for a value
constexpr std::int64_t kLargeBytes = 1 << 24;  // calls whose time is that of their bytes
constexpr double kOtherRecipe = 0.02;  // of step times, where runs of the machine were measured
constexpr double kLoopsAlone = 0.03;   // the same where only kernels and calls were

/// Logarithms of measured over predicted speed.
using Ratios = std::vector<double>;

double median(const Ratios& values) { return quantile(values, 0.5); }

/// Standard error of the median, from the median absolute deviation of normal values.
double median_error(const Ratios& values) {
  const double middle = median(values);
  Ratios away;
  away.reserve(values.size());
  for (const double value : values) away.push_back(std::abs(value - middle));
  constexpr double kOfDeviation = 1.4826 * 1.2533;
  return kOfDeviation * median(away) / std::sqrt(static_cast<double>(values.size()));
}

/// The bandwidth that limits a large call; empty for what no single value does.
std::string_view call_key(const TransferCost& cost, int nodes) {
  if (nodes > 1) return cost.protocol == Protocol::simple ? "fabric.link_efficiency" : "";
  if (cost.algorithm == Algorithm::nvls) return "gpu.nccl.nvls.bandwidth";
  if (cost.algorithm != Algorithm::ring && cost.algorithm != Algorithm::tree) return "";
  switch (cost.protocol) {
    case Protocol::ll:
      return "gpu.nccl.ll.bandwidth";
    case Protocol::ll128:
      return "gpu.nccl.ll128.bandwidth";
    case Protocol::simple:
      return "gpu.nccl.simple.bandwidth";
    default:
      return "";
  }
}

/// A value of a file of hardware/.
struct ValuePlace {
  std::string family;
  std::string name;
  std::string key;
};

class MachineFitter {
 public:
  MachineFitter(const DataFolder& data, const std::string& cluster)
      : data_(data), spec_(load_cluster(data, cluster, 1, {})) {
    fit_.node = spec_.node.name;
    fit_.gpu = spec_.gpu.name;
    fit_.fabric = spec_.fabric.name;
  }

  MachineFit fit(const MachineEvidence& evidence) {
    fit_clock(evidence.kernels);
    fit_memory(evidence.kernels);
    fit_calls(evidence.nccl);
    fit_runs(evidence.runs);
    if (fit_.findings.empty())
      throw InputError({}, "calibrate --machine",
                       fmt::format("found nothing that sets a value of {} ({}): sustained GEMMs, "
                                   "memory-bound kernels, NCCL calls of 16 MiB and more, or runs, "
                                   "at least {} of a kind (runs: one)",
                                   fit_.node, fit_.gpu, kFewest));
    set_error();
    return std::move(fit_);
  }

 private:
  [[nodiscard]] Ratios ratios_of(const std::vector<KernelPoint>& points,
                                 const std::function<bool(const KernelPoint&)>& chosen) const {
    Ratios ratios;
    for (const KernelPoint& point : points) {
      if (point.gpu != fit_.gpu || !point.kernel || !has_row_for(spec_.gpu, *point.kernel) ||
          !chosen(point))
        continue;
      ratios.push_back(
          std::log(predict_kernel(spec_.gpu, *point.kernel, point.run) / point.measured_s));
    }
    return ratios;
  }

  void fit_clock(const std::vector<KernelPoint>& kernels) {
    const Ratios ratios = ratios_of(kernels, [](const KernelPoint& point) {
      return point.family == KernelFamily::gemm && point.run == KernelRun::sustained &&
             point.shape == "large";
    });
    if (ratios.size() < kFewest) return;
    const double speed = std::exp(median(ratios));
    const std::string why = fmt::format(
        "simtrain calibrate --machine: {} large GEMMs in loops run at {:.3f} of the "
        "sustained rates of {}",
        ratios.size(), speed, fit_.gpu);
    const PowerSpec& power = spec_.gpu.power;
    add({"gpu.power.available", "", power.available.value,
         std::min(1.0, std::pow(speed, power.exponent.value)), median_error(ratios), ratios.size(),
         fmt::format("{}, to the power of {:g}", why, power.exponent.value)});
    if (speed <= 1) return;
    for (const GemmRate& rate : spec_.gpu.gemm.rates) {
      const std::string_view type = name_of(rate.data_type);
      const double before = rate.sustained.value() / 1e12;
      add({fmt::format("gpu.gemm.rates[data_type={}].sustained", type), "TFLOP/s", before,
           std::min(before * speed, rate.burst.value() / 1e12), median_error(ratios), ratios.size(),
           why});
    }
  }

  void fit_memory(const std::vector<KernelPoint>& kernels) {
    for (const StreamingKindRow& row : kStreamingKinds) {
      if (row.share == nullptr) continue;
      const Ratios ratios = ratios_of(kernels, [&](const KernelPoint& point) {
        const auto* streaming = std::get_if<Streaming>(&*point.kernel);
        return streaming != nullptr && streaming->kind == row.kind &&
               point.shape == "64 MB and more";
      });
      scale(fmt::format("gpu.streaming.{}", row.key), ratios, 1, "memory-bound kernels");
    }
  }

  void fit_calls(const std::vector<PredictedTest>& tests) {
    std::map<std::string, Ratios, std::less<>> by_key;
    for (const PredictedTest& test : tests) {
      for (const PredictedTestRow& row : test.rows) {
        const std::string key(call_key(row.predicted.cost, test.nodes));
        const auto& time =
            row.measured.out_of_place ? row.measured.out_of_place : row.measured.in_place;
        if (key.empty() || !time || row.measured.bytes < kLargeBytes) continue;
        by_key[key].push_back(std::log(to_seconds(row.predicted.time) / time->seconds));
      }
    }
    for (const auto& [key, ratios] : by_key)
      scale(key, ratios, key.starts_with("fabric") ? 1 : 0, "calls of nccl-tests");
  }

  /// A value that speed is proportional to; no more than `most` where that is not 0.
  void scale(const std::string& key, const Ratios& ratios, double most, std::string_view of) {
    if (ratios.size() < kFewest) return;
    const ValuePlace place = place_of(key);
    YamlNode tree = data_.load_tree("hardware/" + place.family, place.name, {}, key);
    const WrittenNumber before = written_number(find_number(tree, place.key, {}), place.key);
    const double speed = std::exp(median(ratios));
    const double value = before.value * speed;
    add({key, before.unit, before.value, most > 0 ? std::min(most, value) : value,
         median_error(ratios), ratios.size(),
         fmt::format("simtrain calibrate --machine: {} {} run at {:.3f} of what {} gives",
                     ratios.size(), of, speed, place.name)});
  }

  void fit_runs(const std::function<std::vector<double>(const DataFolder&)>& runs) {
    if (!runs) return;
    fit_.runs_before = runs(data_);
    const std::string key = "gpu.power.available";
    const bool known = std::any_of(fit_.findings.begin(), fit_.findings.end(),
                                   [&](const MachineFinding& one) { return one.key == key; });
    if (!known) {
      const std::size_t place = fit_.findings.size();
      fit_.findings.push_back(
          {key, "", spec_.gpu.power.available.value, 0, 0, fit_.runs_before.size(), ""});
      const double value = solve(runs, place);
      fit_.findings[place].value = value;
      fit_.findings[place].source = fmt::format(
          "simtrain calibrate --machine: at which {} training run{} of the machine {} met in the "
          "mean",
          fit_.runs_before.size(), fit_.runs_before.size() == 1 ? "" : "s",
          fit_.runs_before.size() == 1 ? "is" : "are");
    }
    fit_.runs_after = runs(folder());
  }

  /// Halves the range, since a step is the faster the more power there is.
  double solve(const std::function<std::vector<double>(const DataFolder&)>& runs,
               std::size_t place) {
    double low = 0.1;
    double high = 1;
    for (int i = 0; i < 12; ++i) {
      const double middle = (low + high) / 2;
      fit_.findings[place].value = middle;
      (mean_log(runs(folder())) > 0 ? low : high) = middle;
    }
    return std::round((low + high) / 2 * 1e3) / 1e3;
  }

  static double mean_log(const std::vector<double>& errors) {
    double sum = 0;
    for (const double error : errors) sum += std::log1p(error);
    return sum / static_cast<double>(errors.size());
  }

  /// The hardware with what was found so far.
  [[nodiscard]] DataFolder folder() const {
    std::vector<NumberOverride> numbers;
    numbers.reserve(fit_.findings.size());
    for (const MachineFinding& one : fit_.findings) {
      const ValuePlace place = place_of(one.key);
      numbers.push_back(
          {fmt::format("{}/{}.yaml", place.family, place.name), place.key, one.value, {}});
    }
    return data_.with(std::move(numbers));
  }

  /// Where the value of "gpu.power.available" is.
  [[nodiscard]] ValuePlace place_of(const std::string& key) const {
    const std::string own = key.substr(key.find('.') + 1);
    if (key.starts_with("gpu.")) return {"gpus", fit_.gpu, own};
    return {"fabrics", fit_.fabric, own};
  }

  void add(MachineFinding finding) {
    const double digits = std::pow(10, 3 - std::ceil(std::log10(finding.value)));
    finding.value = std::round(finding.value * digits) / digits;
    fit_.findings.push_back(std::move(finding));
  }

  void set_error() {
    const bool runs = !fit_.runs_after.empty();
    double square = 0;
    for (const double error : fit_.runs_after)
      square += std::pow(std::log1p(error), 2) / static_cast<double>(fit_.runs_after.size());
    if (!runs) {
      for (const MachineFinding& one : fit_.findings)
        square = std::max(square, std::pow(one.standard_error, 2));
    }
    const double rest = runs ? kOtherRecipe : kLoopsAlone;
    fit_.relative_error = std::round(std::sqrt(square + rest * rest) * 1e4) / 1e4;
    fit_.relative_error_source =
        runs ? fmt::format(
                   "simtrain calibrate --machine: {:.1f} % of the {} runs it was made from, "
                   "and 2 % assumed for other recipes",
                   std::sqrt(square) * 100, fit_.runs_after.size())
             : std::string(
                   "assumed: 3 % by which a training step differs from what loops of its "
                   "kernels and calls say");
  }

  const DataFolder& data_;
  ClusterSpec spec_;
  MachineFit fit_;
};

}  // namespace

MachineFit fit_machine(const DataFolder& data, const std::string& cluster,
                       const MachineEvidence& evidence) {
  return MachineFitter(data, cluster).fit(evidence);
}

}  // namespace simtrain
