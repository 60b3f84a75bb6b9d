#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "sim/core/enum_names.h"
#include "sim/core/fields.h"
#include "sim/topology/specs/gpu_spec.h"

namespace simtrain {

/// What the optimizer keeps a tensor of its state in.
enum class StateType { fp32, bf16, fp16, fp8 };

template <>
struct EnumNames<StateType> {
  static constexpr std::array rows{std::pair{std::string_view("fp32"), StateType::fp32},
                                   std::pair{std::string_view("bf16"), StateType::bf16},
                                   std::pair{std::string_view("fp16"), StateType::fp16},
                                   std::pair{std::string_view("fp8"), StateType::fp8}};
};

/// How gradients are reduced and weights updated, in the words of Megatron core's
/// optimizer_config.py.
struct OptimizerSpec {
  bool distributed = true;
  DataType grad_reduce_dtype{};
  double bucket_size_mb = 0;  ///< 1e6 bytes of gradients
  /// Transformer Engine's Adam keeps the main weights and takes gradients as they were reduced;
  /// else Megatron keeps FP32 ones, and copies gradients into FP32.
  bool use_precision_aware_optimizer = false;
  /// There, the 16 bits of an FP32 main weight that its BF16 parameter lacks, instead of all 32.
  bool store_param_remainders = true;
  StateType main_params_dtype = StateType::fp32;
  StateType exp_avg_dtype = StateType::fp32;
  StateType exp_avg_sq_dtype = StateType::fp32;
};
template <>
struct Fields<OptimizerSpec>;

}  // namespace simtrain
