#include "sim/import/megatron/megatron_keys.h"

#include <algorithm>
#include <array>
#include <vector>

#include "sim/import/job/sharding_keys.h"
#include "sim/import/terms/core_rows.h"

namespace simtrain {
namespace {

using T = RecipeTerms;

constexpr Ignored kDerived{"follows from other arguments"};
constexpr std::string_view kNoEncoder = "models with an encoder are not modelled";

constexpr std::array kMegatronKeys{
    KeyRow{"num_layers", &T::num_layers},
    KeyRow{"encoder_num_layers", &T::num_layers},
    KeyRow{"hidden_size", &T::hidden_size},
    KeyRow{"ffn_hidden_size", &T::ffn_hidden_size},
    KeyRow{"num_attention_heads", &T::num_attention_heads},
    KeyRow{"group_query_attention", &T::group_query_attention},
    KeyRow{"num_query_groups", &T::num_query_groups},
    KeyRow{"kv_channels", &T::kv_channels},
    KeyRow{"tokenizer_type", &T::tokenizer},
    KeyRow{"tokenizer_model", &T::tokenizer_model},
    KeyRow{"vocab_size", &T::vocab_size},
    KeyRow{"padded_vocab_size", &T::padded_vocab_size},
    KeyRow{"make_vocab_size_divisible_by", &T::make_vocab_size_divisible_by},
    KeyRow{"swiglu", &T::gated_linear_unit},
    KeyRow{"squared_relu", &T::squared_relu},
    KeyRow{"quick_geglu", &T::quick_geglu},
    KeyRow{"normalization", &T::normalization},
    KeyRow{"apply_layernorm_1p", &T::layernorm_1p},
    KeyRow{"position_embedding_type", &T::position_embedding_type},
    KeyRow{"rotary_percent", &T::rotary_percent},
    KeyRow{"untie_embeddings_and_output_weights", &T::untie_embeddings_and_output_weights},
    KeyRow{"hidden_dropout", &T::hidden_dropout},
    KeyRow{"num_experts", &T::num_moe_experts},
    KeyRow{"bf16", &T::bf16},
    KeyRow{"fp16", &T::fp16},
    KeyRow{"fp8", &T::fp8},
    KeyRow{"fp8_recipe", &T::fp8_recipe},
    KeyRow{"fp4", &T::fp4},
    KeyRow{"fp4_recipe", &T::fp4_recipe},
    KeyRow{"fp8_param_gather", &T::fp8_params},
    KeyRow{"seq_length", &T::seq_length},
    KeyRow{"encoder_seq_length", &T::seq_length},
    KeyRow{"micro_batch_size", &T::micro_batch_size},
    KeyRow{"global_batch_size", &T::global_batch_size},
    KeyRow{"rampup_batch_size", &T::rampup_batch_size},
    KeyRow{"train_iters", &T::train_iters},
    KeyRow{"train_samples", &T::train_samples},
    KeyRow{"exit_interval", &T::exit_interval},
    KeyRow{"tensor_model_parallel_size", &T::tensor_model_parallel_size},
    KeyRow{"pipeline_model_parallel_size", &T::pipeline_model_parallel_size},
    KeyRow{"num_virtual_stages_per_pipeline_rank", &T::virtual_pipeline_model_parallel_size},
    KeyRow{"virtual_pipeline_model_parallel_size", &T::virtual_pipeline_model_parallel_size},
    KeyRow{"num_layers_per_virtual_pipeline_stage", &T::layers_per_virtual_stage},
    KeyRow{"microbatch_group_size_per_virtual_pipeline_stage",
           &T::microbatch_group_size_per_vp_stage},
    KeyRow{"microbatch_group_size_per_vp_stage", &T::microbatch_group_size_per_vp_stage},
    KeyRow{"context_parallel_size", &T::context_parallel_size},
    KeyRow{"expert_model_parallel_size", &T::expert_model_parallel_size},
    KeyRow{"expert_tensor_parallel_size", &T::expert_tensor_parallel_size},
    KeyRow{"sequence_parallel", &T::sequence_parallel},
    KeyRow{"tp_comm_overlap", &T::tp_comm_overlap},
    KeyRow{"tp_comm_overlap_cfg", &T::tp_comm_overlap_cfg},
    KeyRow{"overlap_p2p_comm", &T::overlap_p2p_comm},
    KeyRow{"overlap_grad_reduce", &T::overlap_grad_reduce},
    KeyRow{"overlap_param_gather", &T::overlap_param_gather},
    KeyRow{"defer_embedding_wgrad_compute", &T::defer_embedding_wgrad_compute},
    KeyRow{"wgrad_deferral_limit", &T::wgrad_deferral_limit},
    KeyRow{"use_distributed_optimizer", &T::use_distributed_optimizer},
    KeyRow{"accumulate_allreduce_grads_in_fp32", &T::grad_reduce_in_fp32},
    KeyRow{"grad_reduce_in_bf16", &T::grad_reduce_in_bf16},
    KeyRow{"ddp_bucket_size", &T::bucket_size},
    KeyRow{"recompute_granularity", &T::recompute_granularity},
    KeyRow{"recompute_method", &T::recompute_method},
    KeyRow{"recompute_num_layers", &T::recompute_num_layers},
    KeyRow{"recompute_modules", &T::recompute_modules},
    KeyRow{"enable_cuda_graph", &T::enable_cuda_graph},
    KeyRow{"cuda_graph_impl", &T::cuda_graph_impl},
    KeyRow{"cuda_graph_scope", &T::cuda_graph_scope},
    KeyRow{"nnodes", &T::num_nodes},
    KeyRow{"nproc_per_node", &T::gpus_per_node},
    KeyRow{"world_size", &T::world_size},
};

constexpr std::array kOtherMegatronKeys{
    KeyRow{"use_torch_fsdp2", &T::use_torch_fsdp2},
    KeyRow{"torch_fsdp2_reshard_after_forward", &T::reshard_after_forward},
    KeyRow{"use_custom_fsdp", &T::use_megatron_fsdp},
    KeyRow{"use_megatron_fsdp", &T::use_megatron_fsdp},
    KeyRow{"data_parallel_sharding_strategy", &T::data_parallel_sharding_strategy},
    KeyRow{"outer_dp_sharding_strategy", &T::outer_dp_sharding_strategy},
    KeyRow{"num_distributed_optimizer_instances", &T::data_parallel_replicate_degree},
    KeyRow{"use_nccl_ub", kUserBuffers},
    KeyRow{"nccl_ub", kUserBuffers},
    KeyRow{"fsdp_double_buffer", kFsdpBuffers},
    KeyRow{"fsdp_manual_registration", kFsdpBuffers},
    KeyRow{"suggested_communication_unit_size", kFsdpBuffers},
    KeyRow{"init_model_with_meta_device", kOutside},
    KeyRow{"zero_stage", &T::sharding},
    KeyRow{"deepspeed_config", Ignored{"read itself, as DeepSpeed's configuration"}},
    KeyRow{"deepspeed", Ignored{"which stage of ZeRO it runs is given by its configuration"}},
    KeyRow{"no_pipeline_parallel", kDerived},
    KeyRow{"ds_sequence_parallel_size",
           Refused{"sequences that are exchanged by heads are not modelled", "1"}},
    KeyRow{"deepspeed_activation_checkpointing",
           Ignored{"which library recomputes; --checkpoint-activations says that it does"}},
    KeyRow{"decoder_num_layers", Refused{kNoEncoder}},
    KeyRow{"decoder_seq_length", Refused{kNoEncoder}},
    KeyRow{"audio_encoder_model", Refused{kNoEncoder}},
    KeyRow{"vision_model_type", Refused{kNoEncoder}},
    KeyRow{"encoder_tp", Refused{kNoEncoder}},
    KeyRow{"encoder_tensor_model_parallel_size", Refused{kNoEncoder}},
    KeyRow{"encoder_pipeline_model_parallel_size", Refused{kNoEncoder}},
    KeyRow{"export_kd_teacher_load", NotSimulated{"the teacher, which runs forward beside"}},
    KeyRow{"heterogeneous_layers_config_path", Refused{"layers that differ are not modelled"}},
    KeyRow{"first_last_layers_bf16", &T::first_last_layers_bf16},
    KeyRow{"num_layers_at_start_in_bf16", &T::num_layers_at_start_in_bf16},
    KeyRow{"num_layers_at_end_in_bf16", &T::num_layers_at_end_in_bf16},
    KeyRow{"decoder_first_pipeline_num_layers", &T::num_layers_in_first_pipeline_stage},
    KeyRow{"decoder_last_pipeline_num_layers", &T::num_layers_in_last_pipeline_stage},
    KeyRow{"pipeline_model_parallel_split_rank", Refused{kNoEncoder}},
    KeyRow{"use_tp_pp_dp_mapping",
           Refused{"ranks in another order than tp-cp-dp-pp are not modelled", "", true}},
    KeyRow{"hierarchical_context_parallel_sizes", Refused{kOtherContext.why, "", true}},
    KeyRow{"cp_comm_type", kOtherContext},
    KeyRow{"ddp_num_buckets",
           NotSimulated{"a number of gradient buckets; they are of the usual size"}},
    KeyRow{"optimizer", Refused{"Adam is simulated; --override optimizer=adam takes it", "adam"}},
    KeyRow{"cpu_offloading", &T::cpu_offloading},
    KeyRow{"cpu_offloading_num_layers", &T::cpu_offloading_num_layers},
    KeyRow{"fine_grained_activation_offloading", &T::fine_grained_activation_offloading},
    KeyRow{"offload_modules", &T::offload_modules},
    KeyRow{"optimizer_cpu_offload", &T::optimizer_cpu_offload},
    KeyRow{"cpu_optimizer", &T::optimizer_cpu_offload},  // Megatron-DeepSpeed's word
    KeyRow{"optimizer_offload_fraction", &T::optimizer_offload_fraction},
    KeyRow{"overlap_cpu_optimizer_d2h_h2d", &T::overlap_cpu_optimizer_d2h_h2d},
    KeyRow{"use_precision_aware_optimizer", &T::use_precision_aware_optimizer},
    KeyRow{"store_param_remainders", &T::store_param_remainders},
    KeyRow{"main_params_dtype", &T::main_params_dtype},
    KeyRow{"exp_avg_dtype", &T::exp_avg_dtype},
    KeyRow{"exp_avg_sq_dtype", &T::exp_avg_sq_dtype},
    KeyRow{"activations_checkpoint_method", &T::recompute_method},
    KeyRow{"activations_checkpoint_num_layers", &T::recompute_num_layers},
    KeyRow{"num_key_value_heads", &T::num_query_groups},
    KeyRow{"moe_expert_parallel_size", &T::expert_model_parallel_size},
    KeyRow{"glu_activation", &T::activation},
    KeyRow{"geglu", &T::quick_geglu},  // GELU in a gated unit too
    KeyRow{"activation_func", &T::activation},
    KeyRow{"gated_linear_unit", &T::gated_linear_unit},
    KeyRow{"pad_vocab_size_to", &T::padded_vocab_size},
    KeyRow{"pp_partition_method", Ignored{"with 'embedding' both ends count as a layer each"}},
    KeyRow{"attention_head_type", Ignored{"multiquery is one group of queries"}},
    KeyRow{"retro_add_retriever", Refused{"retrieval is not modelled"}},
    KeyRow{"main_grads_dtype", &T::grad_reduce_dtype},
    KeyRow{"no_position_embedding", Ignored{"no longer counts: position_embedding_type does"}},
    KeyRow{"max_position_embeddings", Ignored{"how far positions may go, not how many there are"}},
    KeyRow{"data_parallel_size", kDerived},
    KeyRow{"batch_p2p_comm", kDerived},
    KeyRow{"params_dtype", kDerived},
    KeyRow{"transformer_impl", kSoftware},
    KeyRow{"attention_backend", kSoftware},
    KeyRow{"use_flash_attn", kSoftware},
    KeyRow{"use_mcore_models", kSoftware},
    KeyRow{"cross_entropy_*", kSoftware},
    KeyRow{"tp_only_amax_red", kSoftware},
    KeyRow{"fp8_*",
           Ignored{"delayed scaling is simulated with Transformer Engine's usual history"}},
    KeyRow{"lr*", kLearned},
    KeyRow{"min_lr", kLearned},
    KeyRow{"weight_decay*", kLearned},
    KeyRow{"adam_*", kLearned},
    KeyRow{"clip_grad", kLearned},
    KeyRow{"init_method*", kLearned},
    KeyRow{"seed", kLearned},
    KeyRow{"norm_epsilon", kLearned},
    KeyRow{"rotary_base", kLearned},
    KeyRow{"attention_dropout", Ignored{"of the attention kernel, which is simulated without"}},
    KeyRow{"train_*", kOutside},
    KeyRow{"dist_ckpt_*", kOutside},
    KeyRow{"ckpt_*", kOutside},
    KeyRow{"async_*", kOutside},
    KeyRow{"no_bias_gelu_fusion", kSoftware},
    KeyRow{"no_gradient_accumulation_fusion", kSoftware},
    KeyRow{"no_masked_softmax_fusion", kSoftware},
    KeyRow{"no_persist_layer_norm", kSoftware},
    KeyRow{"apply_rope_fusion", kSoftware},
    KeyRow{"attention_softmax_in_fp32", kSoftware},
    KeyRow{"timing_log_level", kOutside},
    KeyRow{"eval_*", kOutside},
    KeyRow{"log_*", kOutside},
    KeyRow{"save*", kOutside},
    KeyRow{"load*", kOutside},
    KeyRow{"tensorboard_*", kOutside},
    KeyRow{"wandb_*", kOutside},
    KeyRow{"data_*", kOutside},
    KeyRow{"tokenizer_*", kOutside},
    KeyRow{"vocab_file", kOutside},
    KeyRow{"merge_file", kOutside},
    KeyRow{"mock_data", kOutside},
    KeyRow{"split", kOutside},
    KeyRow{"num_workers", kOutside},
    KeyRow{"distributed_*", kOutside},
    KeyRow{"master_*", kOutside},
    KeyRow{"node_rank", kOutside},
    KeyRow{"rdzv_*", kOutside},
    KeyRow{"exit_*", kOutside},
    KeyRow{"manual_gc*", Ignored{"garbage collection is not modelled"}},
};

constexpr std::array<MegatronOption, 19> kOptions{
    {{"fp8_format", "fp8", "", true},
     {"fp4_format", "fp4", "", true},
     {"checkpoint_activations", "recompute_granularity", "full"},
     {"checkpoint_num_layers", "recompute_num_layers", ""},
     {"topk", "moe_router_topk", ""},
     {"moe_train_capacity_factor", "moe_expert_capacity_factor", ""},
     {"expert_interval", "moe_layer_freq", ""},
     {"model_parallel_size", "tensor_model_parallel_size", ""},
     {"batch_size", "micro_batch_size", ""},
     {"torch_fsdp2_no_reshard_after_forward", "torch_fsdp2_reshard_after_forward", "false", true},
     {"bucket_size", "ddp_bucket_size", ""},
     {"num_nodes", "nnodes", ""},
     {"gpus_per_node", "nproc_per_node", ""},
     {"recompute_activations", "recompute_granularity", "selective"},
     {"no_overlap_p2p_communication", "overlap_p2p_comm", "false", true},
     {"overlap_p2p_communication", "overlap_p2p_comm", "true"},
     {"no_rope_fusion", "apply_rope_fusion", "false"},
     {"disable_bias_linear", "add_bias_linear", "false", true},
     {"use_rotary_position_embeddings", "position_embedding_type", "rope"}}};

}  // namespace

std::span<const KeyRow> megatron_keys() {
  static const CoreRows core("");
  static const std::vector<KeyRow> rows = [] {
    std::vector<KeyRow> all(kMegatronKeys.begin(), kMegatronKeys.end());
    all.insert(all.end(), core.rows().begin(), core.rows().end());
    all.insert(all.end(), kOtherMegatronKeys.begin(), kOtherMegatronKeys.end());
    return all;
  }();
  return rows;
}

const MegatronOption* megatron_option(std::string_view option) {
  const auto found = std::find_if(kOptions.begin(), kOptions.end(),
                                  [&](const MegatronOption& row) { return row.option == option; });
  return found == kOptions.end() ? nullptr : &*found;
}

const MegatronOption* written_option(std::string_view dest, std::string_view value) {
  const auto found = std::find_if(kOptions.begin(), kOptions.end(), [&](const MegatronOption& row) {
    return row.written && row.dest == dest && (row.value.empty() || row.value == value);
  });
  return found == kOptions.end() ? nullptr : &*found;
}

}  // namespace simtrain
