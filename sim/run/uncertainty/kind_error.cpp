#include "sim/run/uncertainty/kind_error.h"

#include <algorithm>

namespace simtrain {
namespace {

bool has_block(const KindError& row, const PredictedStep& step) {
  return !row.block ||
         std::find(step.blocks.begin(), step.blocks.end(), *row.block) != step.blocks.end();
}

bool holds(const KindError& row, const UncertaintySpec& spec, const PredictedStep& step) {
  return !(row.unmeasured_machine && spec.machine) && row.gpu.value_or(step.gpu) == step.gpu &&
         row.kernels.value_or(step.kernels) == step.kernels &&
         row.precision.value_or(step.precision) == step.precision &&
         row.head_dimension.value_or(step.head_dimension) == step.head_dimension &&
         has_block(row, step);
}

}  // namespace

double relative_error_of(const UncertaintySpec& spec, Share share, const PredictedStep& step) {
  const auto row =
      std::find_if(spec.kinds.begin(), spec.kinds.end(), [&](const KindError& candidate) {
        return candidate.share == share && holds(candidate, spec, step);
      });
  return row == spec.kinds.end() ? 0 : row->relative_error.value;
}

}  // namespace simtrain
