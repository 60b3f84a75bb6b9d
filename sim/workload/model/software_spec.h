#pragma once

#include <array>
#include <optional>
#include <string>

#include "sim/collectives/communication_library.h"
#include "sim/core/enum_names.h"
#include "sim/core/fields.h"
#include "sim/core/sourced.h"
#include "sim/topology/specs/gpu_spec.h"

namespace simtrain {

enum class CrossEntropy { fused, jit, unfused, compiled };
enum class OptimizerKind { megatron, apex };
/// Whether something runs as one kernel, or as PyTorch's own one after the other.
enum class Fusion { fused, eager };
/// How the weight gradient of a micro-batch comes to those before it: in the GEMM that makes it; by
/// a kernel that reads both; or by one that adds what a kernel before it has written in the type of
/// the sum, where that is another.
enum class GradientAccumulation { fused, eager, converted };
/// Who moves rows among the ranks of a tensor-parallel group. Megatron gathers, scatters and
/// reduces beside the GEMMs of a backward; before v2.6 (late 2021) it reduced
/// behind them (`megatron_synchronous`). PyTorch's DTensor runs its collectives between them and,
/// under sequence parallelism, keeps gathered rows for weight gradients; where sequences of several
/// samples lie one after the other it copies what it has gathered and what it will scatter.
enum class TensorParallelism { megatron, megatron_synchronous, dtensor };

/// How activations that every rank of a tensor-parallel group has whole, without sequence
/// parallelism, cross to the next stage: by each rank whole, or a part by each, which the next
/// stage gathers over its tensor-parallel group.
enum class PipelineMessages { whole, split };

template <>
struct EnumNames<PipelineMessages> {
  static constexpr std::array rows{std::pair{std::string_view("whole"), PipelineMessages::whole},
                                   std::pair{std::string_view("split"), PipelineMessages::split}};
};
template <>
struct EnumNames<CrossEntropy> {
  static constexpr std::array rows{std::pair{std::string_view("fused"), CrossEntropy::fused},
                                   std::pair{std::string_view("jit"), CrossEntropy::jit},
                                   std::pair{std::string_view("unfused"), CrossEntropy::unfused},
                                   std::pair{std::string_view("compiled"), CrossEntropy::compiled}};
};
template <>
struct EnumNames<GradientAccumulation> {
  static constexpr std::array rows{
      std::pair{std::string_view("fused"), GradientAccumulation::fused},
      std::pair{std::string_view("eager"), GradientAccumulation::eager},
      std::pair{std::string_view("converted"), GradientAccumulation::converted}};
};
template <>
struct EnumNames<TensorParallelism> {
  static constexpr std::array rows{
      std::pair{std::string_view("megatron"), TensorParallelism::megatron},
      std::pair{std::string_view("megatron-synchronous"), TensorParallelism::megatron_synchronous},
      std::pair{std::string_view("dtensor"), TensorParallelism::dtensor}};
};
template <>
struct EnumNames<OptimizerKind> {
  static constexpr std::array rows{std::pair{std::string_view("megatron"), OptimizerKind::megatron},
                                   std::pair{std::string_view("apex"), OptimizerKind::apex}};
};

template <>
struct EnumNames<Fusion> {
  static constexpr std::array rows{std::pair{std::string_view("fused"), Fusion::fused},
                                   std::pair{std::string_view("eager"), Fusion::eager}};
};

/// Time that the host takes for one dense layer, its modules and operators in Python, in launches:
/// in units of a node's host_launch_latency, which says how fast its host is.
struct HostLaunches {
  Sourced<int> bf16_forward;
  Sourced<int> bf16_backward;
  Sourced<int> fp8_forward;
  Sourced<int> fp8_backward;
  /// Time of the host for one GEMM of an expert, or one cast of its rows, in launches; missing: 1.
  std::optional<Sourced<double>> expert_gemm;
  /// `quantized`: with the casts of its operands.
  [[nodiscard]] int of_layer(bool forward, bool quantized) const {
    if (quantized) return forward ? fp8_forward.value : fp8_backward.value;
    return forward ? bf16_forward.value : bf16_backward.value;
  }
};
template <>
struct Fields<HostLaunches>;

/// What a GPU's memory holds beside the tensors of a training step.
struct MemorySpec {
  Sourced<Bytes> cuda_context;
  Sourced<Bytes> communicator_of_two;      ///< buffers of a communicator of two ranks
  Sourced<Bytes> communicator;             ///< of more ranks
  Sourced<double> reserved_per_allocated;  ///< of the framework's allocator, with its fragmentation
};
template <>
struct Fields<MemorySpec>;

/// How well a stack is known: parameters are fitted to runs of it; it is another release of one
/// that is; or it is put together from what documents say of it; or its measured runs take other
/// times than these explain. Of mixtures of experts none is fitted: releases of one stack differ by
/// up to two times.
enum class StackKnowledge { fitted, related, described, unexplained, mixture };

template <>
struct EnumNames<StackKnowledge> {
  static constexpr std::array rows{
      std::pair{std::string_view("fitted"), StackKnowledge::fitted},
      std::pair{std::string_view("related"), StackKnowledge::related},
      std::pair{std::string_view("described"), StackKnowledge::described},
      std::pair{std::string_view("unexplained"), StackKnowledge::unexplained},
      std::pair{std::string_view("mixture"), StackKnowledge::mixture}};
};

/// A software stack: `hardware/software/NAME.yaml`.
struct SoftwareSpec {
  std::string name;
  std::string description;
  std::string source;
  Sourced<AttentionKernel> attention;
  /// Of unfused attention: Megatron's masked softmax, where it takes the scores, or PyTorch's own;
  /// missing: fused.
  std::optional<Sourced<Fusion>> masked_softmax;
  Sourced<CrossEntropy> cross_entropy;
  Sourced<Fusion> squared_relu;
  std::optional<Sourced<Fusion>> rms_norm;  ///< missing: fused
  std::optional<Sourced<Fusion>> swiglu;    ///< missing: fused
  std::optional<Sourced<Fusion>> rotary;    ///< missing: fused
  /// Of experts, times the router's probabilities; missing: eager.
  std::optional<Sourced<Fusion>> weighted_squared_relu;
  std::optional<Sourced<Fusion>>
      clamped_swiglu;  ///< its `activation_func_clamp_value`; missing: eager
  /// Whether the libraries of the flex dispatcher pad the rows of experts where they sort them, so
  /// that no kernels of their own do; missing: they do not.
  std::optional<Sourced<bool>> dispatcher_pads_rows;
  Sourced<OptimizerKind> distributed_optimizer;
  Sourced<bool> tp_only_amax_red;  ///< Megatron: amax of FP8 tensors over TP x CP, not DP as well
  CommunicationLibrary library;
  HostLaunches host_launches;
  MemorySpec memory;
  /// Whether Transformer Engine keeps a BF16 tensor a shape of weights, to hand to autograd for
  /// gradients that were accumulated in place; missing where it does not.
  std::optional<Sourced<bool>> weight_gradient_placeholders;
  std::optional<Sourced<GradientAccumulation>> gradient_accumulation;  ///< missing: fused
  std::optional<Sourced<TensorParallelism>> tensor_parallelism;        ///< missing: megatron
  /// Whether Q, K and V, and the branches of a gated MLP, are linear modules of their own; missing:
  /// each is one.
  std::optional<Sourced<bool>> separate_projections;
  /// Whether recompute of a whole layer, or by a policy, ends with the last tensor that a backward
  /// reads, so that the last product is not run again; missing: the layer runs to its end.
  std::optional<Sourced<bool>> recompute_early_stop;
  std::optional<Sourced<PipelineMessages>> pipeline_messages;  ///< missing: whole
  std::optional<Sourced<StackKnowledge>> known;                ///< missing: described

  [[nodiscard]] bool uses_dtensor() const {
    return tensor_parallelism && tensor_parallelism->value == TensorParallelism::dtensor;
  }
  [[nodiscard]] bool separates_projections() const {
    return separate_projections && separate_projections->value;
  }
  [[nodiscard]] bool stops_recompute_early() const {
    return recompute_early_stop && recompute_early_stop->value;
  }
  [[nodiscard]] bool splits_messages() const {
    return pipeline_messages && pipeline_messages->value == PipelineMessages::split;
  }
  /// Whether the all-reduces of a backward run beside GEMMs.
  [[nodiscard]] bool reduces_beside_gemms() const {
    return !tensor_parallelism || tensor_parallelism->value == TensorParallelism::megatron;
  }

  /// Of kernels that are eager where nothing is said.
  [[nodiscard]] static bool is_fused(const std::optional<Sourced<Fusion>>& kernels) {
    return kernels && kernels->value == Fusion::fused;
  }
  /// Of kernels that are fused where nothing is said.
  [[nodiscard]] static bool is_eager(const std::optional<Sourced<Fusion>>& kernels) {
    return kernels && kernels->value == Fusion::eager;
  }
  [[nodiscard]] bool pads_rows_in_dispatcher() const {
    return dispatcher_pads_rows && dispatcher_pads_rows->value;
  }
  [[nodiscard]] GradientAccumulation adds_gradients() const {
    return gradient_accumulation ? gradient_accumulation->value : GradientAccumulation::fused;
  }
  [[nodiscard]] StackKnowledge knowledge() const {
    return known ? known->value : StackKnowledge::described;
  }
};
template <>
struct Fields<SoftwareSpec>;

enum class TpOverlapMethod { none, bulk, pipeline, ring_exchange, symmetric_memory };

template <>
struct EnumNames<TpOverlapMethod> {
  static constexpr std::array rows{
      std::pair{std::string_view("none"), TpOverlapMethod::none},
      std::pair{std::string_view("bulk"), TpOverlapMethod::bulk},
      std::pair{std::string_view("pipeline"), TpOverlapMethod::pipeline},
      std::pair{std::string_view("ring_exchange"), TpOverlapMethod::ring_exchange},
      std::pair{std::string_view("symmetric_memory"), TpOverlapMethod::symmetric_memory}};
};

/// How one GEMM of a layer overlaps with its tensor-parallel communication.
struct TpOverlapEntry {
  TpOverlapMethod method{};
  int sms = 0;
  int splits = 1;
  bool set_sm_margin = false;  ///< the whole GEMM leaves the SMs free, not only while data moves
};
template <>
struct Fields<TpOverlapEntry>;

/// How the GEMMs of a layer overlap: `hardware/tp_overlap/NAME.yaml`, by Transformer Engine's user
/// buffers or PyTorch's symmetric memory. The GEMMs that follow an all-gather (QKV, FC1 forward;
/// projection, FC2 data gradient) all do as `gathers` says: ring_exchange or symmetric_memory.
struct TpOverlapTable {
  std::string name;
  std::string source;
  TpOverlapMethod gathers = TpOverlapMethod::ring_exchange;
  int ring_exchange_sms = 0;
  TpOverlapEntry qkv_dgrad;
  TpOverlapEntry qkv_wgrad;
  TpOverlapEntry fc1_dgrad;
  TpOverlapEntry fc1_wgrad;
  TpOverlapEntry proj_fprop;
  TpOverlapEntry fc2_fprop;

  /// Whether products are cut in chunks over symmetric memory, as PyTorch does it, not by user
  /// buffers of Transformer Engine.
  [[nodiscard]] bool symmetric() const { return gathers == TpOverlapMethod::symmetric_memory; }
};
template <>
struct Fields<TpOverlapTable>;

/// Whether a stack overlaps as a table says.
[[nodiscard]] inline bool overlaps_by(const SoftwareSpec& software, const TpOverlapTable& table) {
  return table.symmetric() == software.uses_dtensor();
}
/// The table where none is made for a shape.
inline constexpr std::string_view kUserBuffersTable = "te-default";
inline constexpr std::string_view kSymmetricMemoryTable = "pytorch-symmetric-memory";
[[nodiscard]] inline std::string_view usual_overlap_table(const SoftwareSpec& software) {
  return software.uses_dtensor() ? kSymmetricMemoryTable : kUserBuffersTable;
}

}  // namespace simtrain
