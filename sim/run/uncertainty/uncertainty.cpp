#include "sim/run/uncertainty/uncertainty.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "sim/core/files/data_folder.h"
#include "sim/run/uncertainty/kind_error.h"
#include "sim/run/uncertainty/uncertainty_fields.h"

namespace simtrain {
namespace {

bool always_holds(const KindError& row) {
  return !row.gpu && !row.kernels && !row.precision && !row.head_dimension && !row.block &&
         !row.unmeasured_machine;
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

void check_stacks(const UncertaintySpec& spec) {
  for (const auto& knowledge : EnumNames<StackKnowledge>::rows) {
    const auto rows =
        std::count_if(spec.stacks.begin(), spec.stacks.end(),
                      [&](const StackError& row) { return row.known == knowledge.second; });
    if (rows != 1)
      throw InputError(spec.where, "stacks",
                       fmt::format("needs one row of '{}', has {}", knowledge.first, rows));
  }
}

void check_machines(const UncertaintySpec& spec) {
  if (spec.machines.empty() || spec.machines.back().gpu)
    throw InputError(spec.where, "machines", "needs a last row without a GPU, for every other");
  for (auto row = spec.machines.begin(); row + 1 != spec.machines.end(); ++row) {
    if (!row->gpu)
      throw InputError(row->where, "machines",
                       "has a row without a GPU before its last, which counts");
  }
}

void check_gpu(const std::vector<std::string>& known, const std::optional<std::string>& gpu,
               const SourcePlace& where) {
  if (gpu && !std::binary_search(known.begin(), known.end(), *gpu))
    throw InputError(
        where, "gpu",
        fmt::format("'{}' is not in hardware/gpus; {}", *gpu, suggestion(*gpu, known)));
}

void check_gpus(const DataFolder& data, const UncertaintySpec& spec) {
  const std::vector<std::string> known = data.names("hardware/gpus");
  for (const KindError& row : spec.kinds) check_gpu(known, row.gpu, row.where);
  for (const MachineError& row : spec.machines) check_gpu(known, row.gpu, row.where);
}

const StackError& stack_error(const UncertaintySpec& spec, const PredictedStep& step) {
  return *std::find_if(spec.stacks.begin(), spec.stacks.end(),
                       [&](const StackError& row) { return row.known == step.stack; });
}

double machine_error(const UncertaintySpec& spec, const PredictedStep& step) {
  if (spec.machine) return spec.machine->value;
  return std::find_if(
             spec.machines.begin(), spec.machines.end(),
             [&](const MachineError& row) { return row.gpu.value_or(step.gpu) == step.gpu; })
      ->relative_error.value;
}

/// Whether messages of a share run beside passes, so that the longer of the two counts.
bool runs_beside_passes(Share share) {
  return share == Share::data_parallel || share == Share::pipeline_parallel ||
         share == Share::offload;
}

/// The error of a share, as a part of the step.
struct ShareError {
  double slower = 0;  ///< where runs take longer than predicted
  double faster = 0;
};

ShareError share_error(const UncertaintySpec& spec, Share share, const PredictedStep& step) {
  const double kind = spec.scale.value * relative_error_of(spec, share, step);
  ShareError error;
  error.slower = error.faster = part(step.breakdown, share) / step.time_s * kind;
  if (!runs_beside_passes(share) || step.passes_s <= 0) return error;
  const double least = step.passes_s + part(step.breakdown, Share::optimizer) +
                       part(step.breakdown, Share::stragglers);
  const double saved = std::log(std::max(1.0, step.time_s / least)) / kNineOfTen;
  error.faster = std::min(error.faster, saved);
  if (share == Share::data_parallel && step.dp_messages_s > 0)
    error.slower =
        std::max(error.slower, std::log(step.dp_messages_s / step.time_s) / kNineOfTen + kind);
  return error;
}

}  // namespace

UncertaintySpec load_uncertainty(const DataFolder& data) {
  return data.derived<UncertaintySpec>("checked uncertainty", [&] {
    auto spec = data.load<UncertaintySpec>("hardware", "uncertainty", {data.root()}, "hardware");
    check_order(spec);
    check_stacks(spec);
    check_machines(spec);
    check_gpus(data, spec);
    return spec;
  });
}

StepError step_error(const UncertaintySpec& spec, const PredictedStep& step) {
  StepError error;
  double less = 0;  // of the variance, on the fast side
  const auto add = [&](std::string_view cause, double relative, bool slower = false) {
    if (relative > 0) error.causes.push_back({std::string(cause), relative, slower});
  };
  const double scale = spec.scale.value;
  for (const auto& [name, share] : EnumNames<Share>::rows) {
    const ShareError of_share = share_error(spec, share, step);
    add(name, of_share.slower);
    less += squared(of_share.slower) - squared(of_share.faster);
  }
  const double nodes = static_cast<double>(step.gpus) / step.gpus_per_node;
  add("scale", scale * std::log2(std::max(1.0, nodes)) * spec.per_doubling.value);
  add("run-to-run", scale * spec.run_to_run.value);
  add("machine", machine_error(spec, step));
  const StackError& stack = stack_error(spec, step);
  add("software", stack.relative_error.value);
  add("software", stack.slower.value, true);
  double variance = 0;
  for (const ErrorCause& cause : error.causes) {
    if (cause.slower) {
      error.slower = cause.relative_error;
    } else {
      variance += squared(cause.relative_error);
    }
  }
  error.relative = std::sqrt(variance);
  if (less > 0) error.faster = std::sqrt(std::max(0.0, variance - less));
  std::stable_sort(
      error.causes.begin(), error.causes.end(),
      [](const ErrorCause& a, const ErrorCause& b) { return a.relative_error > b.relative_error; });
  return error;
}

Interval interval_90(double time, const StepError& error) {
  const double up = std::hypot(error.relative, error.slower);
  const double down = error.faster.value_or(error.relative);
  return {time * std::exp(-kNineOfTen * down), time * std::exp(kNineOfTen * up)};
}

}  // namespace simtrain
