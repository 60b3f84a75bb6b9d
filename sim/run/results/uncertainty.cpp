#include "sim/run/results/uncertainty.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "sim/core/files/data_folder.h"
#include "sim/core/input/yaml_reader.h"
#include "sim/run/scenario/kind_error.h"

namespace simtrain {

template <>
struct Fields<KindError> {
  template <class Visitor>
  static void visit(Visitor& v, KindError& error) {
    v("share", error.share);
    v.optional("gpu", error.gpu);
    v.optional("precision", error.precision);
    v.optional("head_dimension", error.head_dimension);
    v("relative_error", error.relative_error, Limits{0, 10});
  }
};

template <>
struct Fields<UncertaintySpec> {
  template <class Visitor>
  static void visit(Visitor& v, UncertaintySpec& spec) {
    v("name", spec.name);
    v("scale", spec.scale, Limits{1e-3, 1e3});
    v("run_to_run", spec.run_to_run, Limits{1e-6, 1});
    v("per_doubling", spec.per_doubling, Limits{0, 1});
    v("kinds", spec.kinds);
  }
};

namespace {

bool always_holds(const KindError& row) {
  return !row.gpu && !row.precision && !row.head_dimension;
}

double squared(double value) { return value * value; }

/// Each share ends with a row without conditions: one that follows it would never count.
void check_order(const UncertaintySpec& spec) {
  std::set<Share> ended;
  for (const KindError& row : spec.kinds) {
    if (ended.count(row.share) > 0)
      throw InputError(
          row.where, "share",
          fmt::format("'{}' has a row without conditions above, which counts", name_of(row.share)));
    if (always_holds(row)) ended.insert(row.share);
  }
  for (const auto& [name, share] : EnumNames<Share>::rows) {
    if (ended.count(share) == 0)
      throw InputError(spec.where, "kinds",
                       fmt::format("has no row of '{}' without conditions", name));
  }
}

void check_gpus(const DataFolder& data, const UncertaintySpec& spec) {
  const std::vector<std::string> known = data.names("hardware/gpus");
  for (const KindError& row : spec.kinds) {
    if (row.gpu && !std::binary_search(known.begin(), known.end(), *row.gpu))
      throw InputError(
          row.where, "gpu",
          fmt::format("'{}' is not in hardware/gpus; {}", *row.gpu, suggestion(*row.gpu, known)));
  }
}

}  // namespace

UncertaintySpec load_uncertainty(const DataFolder& data) {
  return data.derived<UncertaintySpec>("checked uncertainty", [&] {
    auto spec = data.load<UncertaintySpec>("hardware", "uncertainty", {data.root()}, "hardware");
    check_order(spec);
    check_gpus(data, spec);
    return spec;
  });
}

double relative_standard_error(const UncertaintySpec& spec, const PredictedStep& step) {
  double variance = squared(spec.run_to_run.value);
  for (const auto& [name, share] : EnumNames<Share>::rows)
    variance +=
        squared(part(step.breakdown, share) / step.time_s * relative_error_of(spec, share, step));
  const double nodes = static_cast<double>(step.gpus) / step.gpus_per_node;
  variance += squared(std::log2(std::max(1.0, nodes)) * spec.per_doubling.value);
  return spec.scale.value * std::sqrt(variance);
}

Interval interval_90(double time, double relative_error) {
  const double factor = std::exp(kNineOfTen * relative_error);
  return {time / factor, time * factor};
}

}  // namespace simtrain
