#pragma once

#include <array>
#include <string_view>

#include "sim/workload/model/recipe.h"

namespace simtrain {

/// How a document counts the FLOPs of a model; step times compare across conventions, MFU does not.
enum class MfuConvention {
  nvidia_dgxc,
  nvidia_dgxc_mha,
  google_training_metrics,
  causal,
  nvidia_dgxc_finetune
};

template <>
struct EnumNames<MfuConvention> {
  static constexpr std::array rows{
      std::pair{std::string_view("nvidia-dgxc"), MfuConvention::nvidia_dgxc},
      std::pair{std::string_view("nvidia-dgxc-mha"), MfuConvention::nvidia_dgxc_mha},
      std::pair{std::string_view("google-training-metrics"),
                MfuConvention::google_training_metrics},
      std::pair{std::string_view("causal"), MfuConvention::causal},
      std::pair{std::string_view("nvidia-dgxc-finetune"), MfuConvention::nvidia_dgxc_finetune}};
};

/// FLOPs of one sample, forward and backward, as the convention counts them: those of the matrix
/// products of all blocks. With L layers of attention and MLP, hidden h, attention heads of h
/// columns together, FFN f, a heads, g query groups, vocabulary V, sequence s:
///
///     s (12 L h^2 (1 + g/a + s/h) + k L f h + 6 V h),   k = 18 for gated MLPs, 12 otherwise
///
/// nvidia-dgxc: this (NVIDIA DGX Cloud benchmarking READMEs, 2025.04 on; Megatron core where heads
/// have another number of columns together). nvidia-dgxc-mha: with g = a (their older formula).
/// google-training-metrics: the constants of the tool's table for the models it knows, otherwise as
/// nvidia-dgxc. causal: half of the s/h term. nvidia-dgxc-finetune: without that term (the
/// finetuning READMEs of NVIDIA DGX Cloud benchmarking, 2025.02).
double model_flops_per_sample(const ModelSpec& model, std::int64_t seq_length,
                              MfuConvention convention);

/// The same of a recipe's model. Frozen weights have no weight gradients, so that their products
/// count twice instead of three times; adapters are not counted. Of packed sequences s in s/h is
/// the length of the mean token's document.
double model_flops_per_sample(const Recipe& recipe, MfuConvention convention);

/// Pairs of positions that a convention counts of attention, of all of them.
double counted_square(MfuConvention convention);

/// tokens/s = sequence length * global batch size / step time.
double tokens_per_second(double seq_length, double global_batch_size, double step_time_s);

/// Days to train on 10^12 tokens.
double days_per_trillion_tokens(double tokens_per_s);

/// TFLOP/s that each GPU achieves.
double tflops_per_gpu(double flops_per_sample, double global_batch_size, double step_time_s,
                      double gpus);

/// Achieved over peak, as a fraction.
double model_flops_utilization(double tflops, double peak_tflops);

}  // namespace simtrain
