#pragma once

#include "sim/core/input/yaml_reader.h"
#include "sim/workload/model/recipe.h"

namespace simtrain {

template <>
struct Fields<TrainingSpec> {
  template <class Visitor>
  static void visit(Visitor& v, TrainingSpec& spec) {
    v("precision", spec.precision);
    v.optional("fp8_params", spec.fp8_params);
    v.optional("num_layers_at_start_in_bf16", spec.num_layers_at_start_in_bf16, Limits{0, 1e6});
    v.optional("num_layers_at_end_in_bf16", spec.num_layers_at_end_in_bf16, Limits{0, 1e6});
    v("seq_length", spec.seq_length, Limits{1, 1e8});
    v("micro_batch_size", spec.micro_batch_size, Limits{1, 1e6});
    v("global_batch_size", spec.global_batch_size, Limits{1, 1e8});
  }
};

template <>
struct Fields<ParallelismSpec> {
  template <class Visitor>
  static void visit(Visitor& v, ParallelismSpec& spec) {
    v("tensor_model_parallel_size", spec.tensor_model_parallel_size, Limits{1, 1e6});
    v("pipeline_model_parallel_size", spec.pipeline_model_parallel_size, Limits{1, 1e6});
    v.optional("virtual_pipeline_model_parallel_size", spec.virtual_pipeline_model_parallel_size,
               Limits{1, 1e6});
    v.optional("context_parallel_size", spec.context_parallel_size, Limits{1, 1e6});
    v.optional("expert_model_parallel_size", spec.expert_model_parallel_size, Limits{1, 1e6});
    v.optional("expert_tensor_parallel_size", spec.expert_tensor_parallel_size, Limits{1, 1e6});
    v("sequence_parallel", spec.sequence_parallel);
    v.optional("account_for_embedding_in_pipeline_split",
               spec.account_for_embedding_in_pipeline_split);
    v.optional("account_for_loss_in_pipeline_split", spec.account_for_loss_in_pipeline_split);
    v.optional("pipeline_model_parallel_layout", spec.pipeline_model_parallel_layout);
    v.optional("pipeline_schedule", spec.pipeline_schedule);
    v.optional("microbatch_group_size_per_vp_stage", spec.microbatch_group_size_per_vp_stage,
               Limits{1, 1e6});
  }
};

template <>
struct Fields<OverlapSpec> {
  template <class Visitor>
  static void visit(Visitor& v, OverlapSpec& spec) {
    v("tp_comm_overlap", spec.tp_comm_overlap);
    v.optional("tp_comm_overlap_table", spec.tp_comm_overlap_table);
    v("overlap_p2p_comm", spec.overlap_p2p_comm);
    v("overlap_grad_reduce", spec.overlap_grad_reduce);
    v("overlap_param_gather", spec.overlap_param_gather);
    v.optional("defer_embedding_wgrad_compute", spec.defer_embedding_wgrad_compute);
    v.optional("wgrad_deferral_limit", spec.wgrad_deferral_limit, kCountOrNone);
    v.optional("overlap_moe_expert_parallel_comm", spec.overlap_moe_expert_parallel_comm);
    v.optional("delay_wgrad_compute", spec.delay_wgrad_compute);
  }
};

template <>
struct Fields<OptimizerSpec> {
  template <class Visitor>
  static void visit(Visitor& v, OptimizerSpec& spec) {
    v("distributed", spec.distributed);
    v("grad_reduce_dtype", spec.grad_reduce_dtype);
    v("bucket_size_mb", spec.bucket_size_mb, Limits{0.001, 1e9});
    v.optional("use_precision_aware_optimizer", spec.use_precision_aware_optimizer);
    v.optional("store_param_remainders", spec.store_param_remainders);
    v.optional("main_params_dtype", spec.main_params_dtype);
    v.optional("exp_avg_dtype", spec.exp_avg_dtype);
    v.optional("exp_avg_sq_dtype", spec.exp_avg_sq_dtype);
  }
};

template <>
struct Fields<ShardingSpec> {
  template <class Visitor>
  static void visit(Visitor& v, ShardingSpec& spec) {
    v.optional("strategy", spec.strategy);
    v.optional("data_parallel_replicate_degree", spec.data_parallel_replicate_degree,
               Limits{1, 1e6});
    v.optional("reshard_after_forward", spec.reshard_after_forward);
  }
};

template <>
struct Fields<LoraSpec> {
  template <class Visitor>
  static void visit(Visitor& v, LoraSpec& spec) {
    v("rank", spec.rank, Limits{1, 1e5});
    v.optional("target_modules", spec.target_modules);
  }
};

template <>
struct Fields<DocumentsSpec> {
  template <class Visitor>
  static void visit(Visitor& v, DocumentsSpec& spec) {
    v("length", spec.length, Limits{1, 1e8});
    v("share", spec.share, kShare);
  }
};

template <>
struct Fields<PackedSequencesSpec> {
  template <class Visitor>
  static void visit(Visitor& v, PackedSequencesSpec& spec) {
    v.optional("mean_document", spec.mean_document, Limits{1, 1e8});
    v.optional("documents", spec.documents);
  }
};

template <>
struct Fields<OffloadSpec> {
  template <class Visitor>
  static void visit(Visitor& v, OffloadSpec& spec) {
    v.optional("cpu_offloading", spec.cpu_offloading);
    v.optional("cpu_offloading_num_layers", spec.cpu_offloading_num_layers, Limits{0, 1e6});
    v.optional("fine_grained_activation_offloading", spec.fine_grained_activation_offloading);
    v.optional("offload_modules", spec.offload_modules);
    v.optional("optimizer_cpu_offload", spec.optimizer_cpu_offload);
    v.optional("optimizer_offload_fraction", spec.optimizer_offload_fraction, kShare);
    v.optional("overlap_cpu_optimizer_d2h_h2d", spec.overlap_cpu_optimizer_d2h_h2d);
    v.optional("offload_param", spec.offload_param);
  }
};

template <>
struct Fields<RoutingSpec> {
  template <class Visitor>
  static void visit(Visitor& v, RoutingSpec& spec) {
    v.optional("law", spec.law);
    v.optional("exponent", spec.exponent, Limits{0, 100});
    v.optional("seed", spec.seed, kCountOrNone);
    v.optional("histogram", spec.histogram, Limits{0, 1e18});
    v.optional("histogram_file", spec.histogram_file);
  }
};

template <>
struct Fields<MoeSpec> {
  template <class Visitor>
  static void visit(Visitor& v, MoeSpec& spec) {
    v.optional("moe_token_dispatcher_type", spec.moe_token_dispatcher_type);
    v.optional("moe_flex_dispatcher_backend", spec.moe_flex_dispatcher_backend);
    v.optional("moe_flex_dispatcher_num_sms", spec.moe_flex_dispatcher_num_sms, Limits{1, 1000});
    v.optional("moe_router_fusion", spec.moe_router_fusion);
    v.optional("moe_permute_fusion", spec.moe_permute_fusion);
    v.optional("moe_grouped_gemm", spec.moe_grouped_gemm);
    v.optional("use_transformer_engine_op_fuser", spec.use_transformer_engine_op_fuser);
    v.optional("moe_router_padding_for_quantization", spec.moe_router_padding_for_quantization);
    v.optional("moe_expert_capacity_factor", spec.moe_expert_capacity_factor, Limits{0.1, 1000});
    v.optional("moe_pad_expert_input_to_capacity", spec.moe_pad_expert_input_to_capacity);
    v.optional("moe_expert_rank_capacity_factor", spec.moe_expert_rank_capacity_factor,
               Limits{1, 1000});
    v.optional("moe_load_imbalance", spec.moe_load_imbalance, Limits{1, 1000});
    v.optional("routing", spec.routing);
    v.optional("moe_shared_expert_overlap", spec.moe_shared_expert_overlap);
  }
};

}  // namespace simtrain
