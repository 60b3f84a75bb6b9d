#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/collectives/expert_exchange.h"
#include "sim/core/enum_names.h"
#include "sim/core/fields.h"
#include "sim/workload/kernels/precision.h"
#include "sim/workload/model/fine_tuning.h"
#include "sim/workload/model/model_spec.h"
#include "sim/workload/model/offload_spec.h"
#include "sim/workload/model/optimizer_spec.h"
#include "sim/workload/model/software_spec.h"

namespace simtrain {

/// What a backward computes again. All behind `full` are policies of compilers and frameworks,
/// which say what of a layer is kept: torchtitan's selective checkpointing of operators, JAX's
/// checkpoint_dots, and MaxText's (docs/physics.md has what each keeps).
enum class Recompute {
  none,
  selective,
  full,
  selective_op,
  checkpoint_dots,
  minimal_flash,
  save_qkv_proj,
  save_out_proj,
  save_dot_except_mlp,
  save_dot_with_context_except_mlp,
  save_dot_except_mlpwi
};

template <>
struct EnumNames<Recompute> {
  static constexpr std::array rows{
      std::pair{std::string_view("none"), Recompute::none},
      std::pair{std::string_view("selective"), Recompute::selective},
      std::pair{std::string_view("full"), Recompute::full},
      std::pair{std::string_view("selective_op"), Recompute::selective_op},
      std::pair{std::string_view("checkpoint_dots"), Recompute::checkpoint_dots},
      std::pair{std::string_view("minimal_flash"), Recompute::minimal_flash},
      std::pair{std::string_view("save_qkv_proj"), Recompute::save_qkv_proj},
      std::pair{std::string_view("save_out_proj"), Recompute::save_out_proj},
      std::pair{std::string_view("save_dot_except_mlp"), Recompute::save_dot_except_mlp},
      std::pair{std::string_view("save_dot_with_context_except_mlp"),
                Recompute::save_dot_with_context_except_mlp},
      std::pair{std::string_view("save_dot_except_mlpwi"), Recompute::save_dot_except_mlpwi}};
};

/// What selective recompute computes again in the backward: Megatron's `recompute_modules`.
enum class RecomputeModule { core_attn, layernorm, mlp, mla_up_proj, moe, moe_act, shared_experts };

template <>
struct EnumNames<RecomputeModule> {
  static constexpr std::array rows{
      std::pair{std::string_view("core_attn"), RecomputeModule::core_attn},
      std::pair{std::string_view("layernorm"), RecomputeModule::layernorm},
      std::pair{std::string_view("mlp"), RecomputeModule::mlp},
      std::pair{std::string_view("mla_up_proj"), RecomputeModule::mla_up_proj},
      std::pair{std::string_view("moe"), RecomputeModule::moe},
      std::pair{std::string_view("moe_act"), RecomputeModule::moe_act},
      std::pair{std::string_view("shared_experts"), RecomputeModule::shared_experts}};
};

/// Whether a policy is one of MaxText's own words for it.
constexpr bool is_of_maxtext(Recompute way) { return way >= Recompute::minimal_flash; }

/// Whether a way of recompute is Megatron's; the others are of frameworks that have no other.
constexpr bool is_of_megatron(Recompute way) { return way <= Recompute::full; }

struct TrainingSpec {
  Precision precision{};
  bool fp8_params = false;  ///< parameters kept and gathered in FP8
  int num_layers_at_start_in_bf16 = 0;
  int num_layers_at_end_in_bf16 = 0;
  std::int64_t seq_length = 0;
  int micro_batch_size = 0;
  int global_batch_size = 0;
};
template <>
struct Fields<TrainingSpec>;

/// In which order stages run their passes, in the field's words (schedule/schedule.h has what each
/// means).
enum class PipelineSchedule {
  one_forward_one_backward,
  interleaved,
  gpipe,
  looped_breadth_first,
  zero_bubble_h1,
  zero_bubble_h2,
  zero_bubble_v,
  v_half,
  v_min,
  dual_pipe_v,
  dual_pipe
};

template <>
struct EnumNames<PipelineSchedule> {
  static constexpr std::array rows{
      std::pair{std::string_view("1f1b"), PipelineSchedule::one_forward_one_backward},
      std::pair{std::string_view("interleaved"), PipelineSchedule::interleaved},
      std::pair{std::string_view("gpipe"), PipelineSchedule::gpipe},
      std::pair{std::string_view("looped_bfs"), PipelineSchedule::looped_breadth_first},
      std::pair{std::string_view("zb_h1"), PipelineSchedule::zero_bubble_h1},
      std::pair{std::string_view("zb_h2"), PipelineSchedule::zero_bubble_h2},
      std::pair{std::string_view("zb_v"), PipelineSchedule::zero_bubble_v},
      std::pair{std::string_view("v_half"), PipelineSchedule::v_half},
      std::pair{std::string_view("v_min"), PipelineSchedule::v_min},
      std::pair{std::string_view("dualpipe_v"), PipelineSchedule::dual_pipe_v},
      std::pair{std::string_view("dualpipe"), PipelineSchedule::dual_pipe}};
};

/// Whether the stage with the embedding holds the output layer, too: in a V and from both ends
/// (schedule/chunk_placement.h).
constexpr bool ends_meet(PipelineSchedule schedule) {
  switch (schedule) {
    case PipelineSchedule::zero_bubble_v:
    case PipelineSchedule::v_half:
    case PipelineSchedule::v_min:
    case PipelineSchedule::dual_pipe_v:
    case PipelineSchedule::dual_pipe:
      return true;
    default:
      return false;
  }
}

struct ParallelismSpec {
  int tensor_model_parallel_size = 1;
  int pipeline_model_parallel_size = 1;
  int virtual_pipeline_model_parallel_size = 1;
  int context_parallel_size = 1;
  int expert_model_parallel_size = 1;
  std::optional<int> expert_tensor_parallel_size;  ///< missing: as TP, Megatron's default
  bool sequence_parallel = false;
  bool account_for_embedding_in_pipeline_split = false;
  bool account_for_loss_in_pipeline_split = false;
  /// Layers by chunk in Megatron's words (schedule/pipeline_layout.h); missing: dealt evenly.
  std::optional<std::string> pipeline_model_parallel_layout;
  /// Missing: what Megatron runs, 1F1B or with several chunks a stage interleaved.
  std::optional<PipelineSchedule> pipeline_schedule;
  /// Of interleaved; missing: as many micro-batches as stages.
  std::optional<int> microbatch_group_size_per_vp_stage;
};
template <>
struct Fields<ParallelismSpec>;

struct OverlapSpec {
  bool tp_comm_overlap = false;
  std::optional<std::string> tp_comm_overlap_table;  ///< hardware/tp_overlap/NAME.yaml
  bool overlap_p2p_comm = false;
  bool overlap_grad_reduce = false;
  bool overlap_param_gather = false;
  bool defer_embedding_wgrad_compute = false;
  int wgrad_deferral_limit = 0;  ///< micro-batches kept; 0: all of them
  /// A micro-batch's forward beside another's backward, layer by layer, so that the exchange of
  /// tokens of one runs beside kernels of the other (Megatron's combined 1F1B).
  bool overlap_moe_expert_parallel_comm = false;
  /// There, weight gradients of a layer after its input gradients have gone on their way.
  bool delay_wgrad_compute = false;
};
template <>
struct Fields<OverlapSpec>;

/// How the state of data-parallel ranks is dealt among them (model/sharding.h has what each
/// means).
enum class Sharding {
  ddp,
  zero1,
  zero1_tensors,
  zero1_sums,
  zero2,
  zero3,
  fsdp1,
  fsdp2,
  megatron_fsdp,
  xla_fsdp
};

template <>
struct EnumNames<Sharding> {
  static constexpr std::array rows{
      std::pair{std::string_view("ddp"), Sharding::ddp},
      std::pair{std::string_view("zero1"), Sharding::zero1},
      std::pair{std::string_view("zero1_tensors"), Sharding::zero1_tensors},
      std::pair{std::string_view("zero1_sums"), Sharding::zero1_sums},
      std::pair{std::string_view("zero2"), Sharding::zero2},
      std::pair{std::string_view("zero3"), Sharding::zero3},
      std::pair{std::string_view("fsdp1"), Sharding::fsdp1},
      std::pair{std::string_view("fsdp2"), Sharding::fsdp2},
      std::pair{std::string_view("megatron_fsdp"), Sharding::megatron_fsdp},
      std::pair{std::string_view("xla_fsdp"), Sharding::xla_fsdp}};
};

struct ShardingSpec {
  std::optional<Sharding> strategy;  ///< missing: zero1 with a distributed optimizer, else ddp
  /// Groups of ranks that each hold all of the state (HSDP), in torchtitan's words.
  int data_parallel_replicate_degree = 1;
  /// Parameters are dropped after a forward and gathered again for the backward; missing: so
  /// without pipeline stages, as torchtitan does it.
  std::optional<bool> reshard_after_forward;

  friend bool operator==(const ShardingSpec&, const ShardingSpec&) = default;
};
template <>
struct Fields<ShardingSpec>;

/// Which kernels bring tokens to their experts: NCCL collectives, or a library of its own.
enum class TokenDispatcher { allgather, alltoall, flex };

template <>
struct EnumNames<TokenDispatcher> {
  static constexpr std::array rows{
      std::pair{std::string_view("allgather"), TokenDispatcher::allgather},
      std::pair{std::string_view("alltoall"), TokenDispatcher::alltoall},
      std::pair{std::string_view("flex"), TokenDispatcher::flex}};
};

/// What tokens' choices of experts follow: all experts alike, exactly or at random, or a law of
/// loads of which few experts have much.
enum class RoutingLaw { balanced, random, power_law };

template <>
struct EnumNames<RoutingLaw> {
  static constexpr std::array rows{std::pair{std::string_view("balanced"), RoutingLaw::balanced},
                                   std::pair{std::string_view("random"), RoutingLaw::random},
                                   std::pair{std::string_view("power_law"), RoutingLaw::power_law}};
};

/// How tokens are spread over experts: by a law, or by loads that a run had. One of them.
struct RoutingSpec {
  std::optional<RoutingLaw> law;
  std::optional<double> exponent;  ///< of the power law
  std::optional<int> seed;         ///< of which experts have much by it; missing: 0
  /// Tokens of each expert, in any unit, in the order of experts.
  std::optional<std::vector<double>> histogram;
  /// A file of the same: a line of comma-separated numbers for each layer. Relative to the
  /// scenario's folder; read into `loads`.
  std::optional<std::string> histogram_file;

  /// Of each layer that is known, what its experts have; empty without a histogram.
  std::vector<std::vector<double>> loads;
};
template <>
struct Fields<RoutingSpec>;

/// How tokens find their experts, in Megatron's words. Without a capacity factor none is dropped.
struct MoeSpec {
  TokenDispatcher moe_token_dispatcher_type = TokenDispatcher::alltoall;
  ExchangeLibrary moe_flex_dispatcher_backend = ExchangeLibrary::deepep;
  std::optional<int> moe_flex_dispatcher_num_sms;  ///< missing: the library's own
  bool moe_router_fusion = false;
  bool moe_permute_fusion = true;
  bool moe_grouped_gemm = true;  ///< false: one expert after the other (SequentialMLP)
  /// Where the precision has kernels for it (Recipe::fuses_experts), a gated FC1, its activation
  /// and the quantization of what that puts out are one, and so is the way back; all experts of a
  /// rank are one launch, also of casts and weight gradients (Transformer Engine with
  /// NVTE_CUTEDSL_FUSED_GROUPED_MLP).
  bool use_transformer_engine_op_fuser = false;
  /// Rows are padded for quantized experts by choices that are added to the router's, not by
  /// copies.
  bool moe_router_padding_for_quantization = false;
  std::optional<double> moe_expert_capacity_factor;
  bool moe_pad_expert_input_to_capacity = false;
  /// Rows that a rank's experts together take, over the mean: buffers of that size, so that the
  /// host need not know how many came.
  std::optional<double> moe_expert_rank_capacity_factor;
  /// Rows of the busiest rank over the mean of its EP group, in each layer and micro-batch;
  /// missing: as uniformly random routing makes it (moe_router_force_load_balancing).
  std::optional<double> moe_load_imbalance;
  std::optional<RoutingSpec> routing;  ///< in its place
  /// Shared experts beside the exchange of tokens, not before it.
  bool moe_shared_expert_overlap = false;

  /// Whether the host launches what experts do without knowing how many rows came; otherwise it
  /// waits for their number, and no CUDA graph holds those kernels.
  [[nodiscard]] bool sizes_known() const {
    return moe_pad_expert_input_to_capacity || moe_expert_rank_capacity_factor;
  }
};
template <>
struct Fields<MoeSpec>;

/// All that decides which work a training step is, whatever it runs on.
struct Recipe {
  ModelSpec model;
  SoftwareSpec software;
  std::optional<TpOverlapTable> tp_overlap;
  TrainingSpec training;
  ParallelismSpec parallelism;
  OverlapSpec overlap;
  OptimizerSpec optimizer;
  ShardingSpec sharding;
  MoeSpec moe;
  OffloadSpec offload{};
  std::optional<LoraSpec> lora{};                         ///< missing: all weights are trained
  std::optional<PackedSequencesSpec> packed_sequences{};  ///< missing: one document a sequence
  Recompute recompute = Recompute::none;
  std::vector<RecomputeModule> recompute_modules{RecomputeModule::core_attn};
  int recompute_every_nth_layer = 1;  ///< of full recompute, counted through the model
  bool cuda_graphs = false;
  bool cuda_launch_blocking = false;  ///< each kernel ends before the next is launched
  /// In place of the row of `training.precision`, for one that is in no table.
  std::optional<PrecisionRow> own_precision{};

  /// Whether communication of TP runs beside weight gradients, by user buffers.
  [[nodiscard]] bool overlaps_weight_gradients() const {
    return overlap.tp_comm_overlap && tp_overlap && !tp_overlap->symmetric();
  }
  [[nodiscard]] int tp() const { return parallelism.tensor_model_parallel_size; }
  [[nodiscard]] int pp() const { return parallelism.pipeline_model_parallel_size; }
  [[nodiscard]] int vp() const { return parallelism.virtual_pipeline_model_parallel_size; }
  /// What is dealt over stages and chunks: layers, and embedding and loss where they count as one.
  [[nodiscard]] int dealt_layers() const {
    return model.num_layers + (parallelism.account_for_embedding_in_pipeline_split ? 1 : 0) +
           (parallelism.account_for_loss_in_pipeline_split ? 1 : 0);
  }
  [[nodiscard]] int cp() const { return parallelism.context_parallel_size; }
  [[nodiscard]] int ep() const { return parallelism.expert_model_parallel_size; }
  [[nodiscard]] int etp() const { return parallelism.expert_tensor_parallel_size.value_or(tp()); }
  [[nodiscard]] const PrecisionRow& precision() const {
    return own_precision ? *own_precision : row_of(training.precision);
  }
  /// Fused kernels of attention take 16 bits and less.
  [[nodiscard]] AttentionKernel attention() const {
    return precision().activation.bytes() > 2 ? AttentionKernel::unfused : software.attention.value;
  }
  [[nodiscard]] Sharding shards() const {
    return sharding.strategy.value_or(optimizer.distributed ? Sharding::zero1 : Sharding::ddp);
  }
  /// How well its software is known, for what it runs.
  [[nodiscard]] StackKnowledge knowledge() const {
    return model.has_experts() ? StackKnowledge::mixture : software.knowledge();
  }
  /// Whether a policy says what of a layer is kept.
  [[nodiscard]] bool keeps_by_policy() const { return !is_of_megatron(recompute); }
  /// Whether selective recompute takes in a module.
  [[nodiscard]] bool recomputes(RecomputeModule module) const {
    return recompute == Recompute::selective &&
           std::find(recompute_modules.begin(), recompute_modules.end(), module) !=
               recompute_modules.end();
  }
  /// Whether experts of quantized layers are computed by kernels that activate and quantize, too.
  /// Adapters stand between the products and their activation.
  [[nodiscard]] bool fuses_experts() const {
    return moe.use_transformer_engine_op_fuser && precision().layers.fused_rows_multiple &&
           model.activation == Activation::swiglu && !lora;
  }
  /// Whether the output layer's weight gradient of a micro-batch waits for the flush: that of the
  /// first `wgrad_deferral_limit` micro-batches, or of all where the limit is 0.
  [[nodiscard]] bool defers_weight_gradient(int micro_batch) const {
    return overlap.defer_embedding_wgrad_compute &&
           (overlap.wgrad_deferral_limit == 0 || micro_batch < overlap.wgrad_deferral_limit);
  }
  /// How many of `micro_batches` do.
  [[nodiscard]] int deferred_weight_gradients(int micro_batches) const {
    if (!overlap.defer_embedding_wgrad_compute) return 0;
    return overlap.wgrad_deferral_limit == 0
               ? micro_batches
               : std::min(overlap.wgrad_deferral_limit, micro_batches);
  }
  /// Whether the embedding and the output layer are on two stages.
  [[nodiscard]] bool ends_apart() const {
    return pp() > 1 &&
           !(parallelism.pipeline_schedule && ends_meet(*parallelism.pipeline_schedule));
  }
  /// Whether two stages hold the table of word embeddings: that of the output layer as its weights,
  /// or to predict more tokens than the next one.
  [[nodiscard]] bool holds_table_twice() const {
    return ends_apart() && (model.share_embeddings_and_output_weights || model.mtp_num_layers > 0);
  }
  /// Whether weights that every rank of a tensor-parallel group has whole are trained, on tokens of
  /// its own.
  [[nodiscard]] bool reduces_norm_gradients() const {
    return tp() > 1 && parallelism.sequence_parallel && !lora;
  }
  /// Tokens of one micro-batch that a tensor-parallel group works on.
  [[nodiscard]] std::int64_t tokens() const {
    return training.seq_length * training.micro_batch_size / cp();
  }
};

}  // namespace simtrain
