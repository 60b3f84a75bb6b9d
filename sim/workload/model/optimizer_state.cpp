#include "sim/workload/model/optimizer_state.h"

namespace simtrain {
namespace {

constexpr double kFloat = 4;
constexpr double kHalf = 2;

double state_bytes(StateType type) {
  switch (type) {
    case StateType::fp32:
      return 4;
    case StateType::bf16:
    case StateType::fp16:
      return 2;
    case StateType::fp8:
      return 1;
  }
  return 4;
}

/// Transformer Engine's Adam computes in FP32 tensors: those of another type are copied into such
/// ones and back, after a pass that finds the largest where the type has a scale (pytorch/
/// optimizers/fused_adam.py, get_unscaled_state and set_scaled_state).
double conversion(StateType type) {
  if (type == StateType::fp32) return 0;
  const double scaled = type == StateType::bf16 ? 0 : kFloat;
  return 2 * (state_bytes(type) + kFloat) + scaled;
}

/// Whether Transformer Engine's Adam updates on the GPU. Megatron asks for it where the host
/// updates, by an optimizer of its own.
bool is_precise(const Recipe& recipe) {
  return recipe.optimizer.use_precision_aware_optimizer && !recipe.offload.optimizer_cpu_offload;
}

bool by_apex(const Recipe& recipe) {
  return recipe.software.distributed_optimizer.value == OptimizerKind::apex;
}

/// Weights that are kept in FP8 have no 16 bits of the FP32 ones.
bool keeps_remainders(const Recipe& recipe) {
  const OptimizerSpec& spec = recipe.optimizer;
  return is_precise(recipe) && spec.store_param_remainders &&
         spec.main_params_dtype == StateType::fp32 && !recipe.training.fp8_params;
}

double main_weight_bytes(const Recipe& recipe) {
  if (!recipe.precision().keeps_master_weights()) return 0;
  if (keeps_remainders(recipe) || by_apex(recipe)) return kHalf;
  return state_bytes(recipe.optimizer.main_params_dtype);
}

/// Megatron's: gradients are copied into FP32, main weights into parameters. Moments of other types
/// are those of an optimizer whose kernels read and write them as they are (XLA).
void add_usual_update(const Recipe& recipe, OptimizerState& state) {
  const bool main = recipe.precision().keeps_master_weights();
  const double scaled = 2 * kFloat;
  const double weight = 2 * kFloat + (main ? kFloat + kHalf : 0);
  state.traffic = scaled + kFloat + 2 * (state.exp_avg + state.exp_avg_sq) + weight;
}

/// Transformer Engine's: gradients stay as they are, the kernel writes the parameters too.
void add_precise_update(const Recipe& recipe, OptimizerState& state) {
  const OptimizerSpec& spec = recipe.optimizer;
  const double gradient = static_cast<double>(bytes_of(spec.grad_reduce_dtype));
  const double weight = keeps_remainders(recipe) ? 4 * kHalf : 2 * kFloat + kHalf;
  state.traffic = 3 * gradient + 4 * kFloat + weight;
  for (const StateType type : {spec.main_params_dtype, spec.exp_avg_dtype, spec.exp_avg_sq_dtype})
    state.traffic += conversion(type);
}

}  // namespace

OptimizerState optimizer_state(const Recipe& recipe) {
  OptimizerState state;
  state.main_weight = main_weight_bytes(recipe);
  state.exp_avg = state_bytes(recipe.optimizer.exp_avg_dtype);
  state.exp_avg_sq = state_bytes(recipe.optimizer.exp_avg_sq_dtype);
  if (is_precise(recipe))
    add_precise_update(recipe, state);
  else
    add_usual_update(recipe, state);
  return state;
}

}  // namespace simtrain
