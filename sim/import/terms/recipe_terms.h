#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "sim/core/input/yaml_tree.h"

namespace simtrain {

/// A value that a recipe gives, and by which of its keys.
template <class T>
struct Given {
  T value{};
  std::string origin;    ///< the foreign key, or whose default it is
  bool assumed = false;  ///< the recipe itself is silent
  SourcePlace place;
};

using WholeTerm = std::optional<Given<std::int64_t>>;
using RealTerm = std::optional<Given<double>>;
using FlagTerm = std::optional<Given<bool>>;
using WordTerm = std::optional<Given<std::string>>;
using TreeTerm = std::optional<Given<YamlNode>>;

/// What training frameworks set about a step, in the words of Megatron Core. Every format's key
/// table fills these; the scenario is made of them and of nothing else. What a recipe leaves unset
/// is empty, until the format fills in its framework's default.
struct RecipeTerms {
  WordTerm name;
  // the model
  WordTerm model_class;  ///< of frameworks that know models by name, whose shape is the default
  WholeTerm num_layers;
  WholeTerm hidden_size;
  WholeTerm ffn_hidden_size;
  WholeTerm num_attention_heads;
  FlagTerm group_query_attention;  ///< false: num_query_groups has no meaning
  WholeTerm num_query_groups;
  WholeTerm kv_channels;
  WordTerm tokenizer;        ///< its kind, or the model on a hub that it is of
  WordTerm tokenizer_model;  ///< of a kind that reads a file: which one
  WholeTerm vocab_size;      ///< before padding
  WholeTerm make_vocab_size_divisible_by;
  WholeTerm padded_vocab_size;
  WordTerm activation;
  FlagTerm gated_linear_unit;
  FlagTerm squared_relu;
  FlagTerm quick_geglu;
  RealTerm activation_func_clamp_value;
  WordTerm normalization;
  FlagTerm layernorm_1p;
  WordTerm position_embedding_type;
  RealTerm rotary_percent;
  FlagTerm share_embeddings_and_output_weights;
  FlagTerm untie_embeddings_and_output_weights;
  RealTerm hidden_dropout;
  // the blocks of its layers
  FlagTerm multi_latent_attention;
  WholeTerm q_lora_rank;  ///< 0: queries are projected from hidden states
  WholeTerm kv_lora_rank;
  WholeTerm qk_head_dim;
  WholeTerm qk_pos_emb_head_dim;
  WholeTerm v_head_dim;
  FlagTerm qk_layernorm;
  FlagTerm add_bias_linear;
  FlagTerm add_qkv_bias;
  WordTerm softmax_type;
  WordTerm window_size;  ///< keys that a query sees, or a pair: those before it and behind
  FlagTerm use_window;   ///< of Hugging Face; false: window_size has no meaning
  TreeTerm window_attn_skip_freq;  ///< every N-th layer without a window, or 1 (with) and 0
  TreeTerm attention_types;        ///< of Hugging Face: a word for each layer
  WordTerm decoder_block;          ///< of MaxText: the code of its layers
  WordTerm experimental_attention_variant;  ///< gated_delta_net, dsa
  WholeTerm dsa_indexer_n_heads;
  WholeTerm dsa_indexer_head_dim;
  WholeTerm dsa_indexer_topk;
  TreeTerm indexer_types;          ///< of Hugging Face: full, or shared with the layer before
  TreeTerm dsa_indexer_freq;       ///< 1: layers that choose keys, 0: those that take them
  TreeTerm linear_attention_freq;  ///< every N-th layer without it, or 1 (with) and 0
  WholeTerm linear_num_key_heads;
  WholeTerm linear_num_value_heads;
  WholeTerm linear_key_head_dim;
  WholeTerm linear_value_head_dim;
  WholeTerm linear_conv_kernel_dim;
  FlagTerm attention_output_gate;
  WholeTerm max_window_layers;  ///< of Hugging Face: the first layers, which have no window
  WholeTerm mtp_num_layers;
  FlagTerm is_hybrid_model;
  WordTerm hybrid_override_pattern;
  RealTerm hybrid_attention_ratio;  ///< shares of the layers where no pattern says which
  RealTerm hybrid_mlp_ratio;
  WholeTerm mamba_num_heads;
  WholeTerm mamba_head_dim;
  WholeTerm mamba_state_dim;
  WholeTerm mamba_num_groups;
  FlagTerm attention_bias;  ///< of Hugging Face: of queries, keys, values and attention's output
  FlagTerm mlp_bias;        ///< of Hugging Face
  // its experts
  WholeTerm num_moe_experts;
  WholeTerm moe_router_topk;
  WholeTerm moe_ffn_hidden_size;
  WholeTerm moe_shared_expert_intermediate_size;
  FlagTerm moe_shared_expert_gate;
  WholeTerm moe_latent_size;
  WholeTerm moe_router_num_groups;
  WholeTerm moe_router_group_topk;
  WordTerm moe_router_score_function;
  FlagTerm moe_router_pre_softmax;
  TreeTerm moe_layer_freq;       ///< every N-th layer from the first, or 0 and 1 for each layer
  WholeTerm moe_layer_step;      ///< of Hugging Face: the last of each N layers
  TreeTerm moe_dense_layers;     ///< of Hugging Face: layers without experts, from 0
  WholeTerm moe_first_dense;     ///< of Hugging Face: the first layers, which have no experts
  WholeTerm moe_shared_experts;  ///< of Hugging Face: how many there are, each as wide as others
  // training
  WordTerm precision;  ///< bf16, bf16-mixed, 32, ...
  FlagTerm bf16;
  FlagTerm fp16;
  WordTerm fp8;         ///< e4m3, hybrid, true, ...
  WordTerm fp8_recipe;  ///< delayed, tensorwise, mxfp8, ...
  WordTerm fp4;         ///< e2m1
  WordTerm fp4_recipe;  ///< nvfp4
  FlagTerm first_last_layers_bf16;
  WholeTerm num_layers_at_start_in_bf16;
  WholeTerm num_layers_at_end_in_bf16;
  FlagTerm fp8_params;
  WholeTerm seq_length;
  WholeTerm micro_batch_size;
  FlagTerm micro_batch_shrinks;  ///< where a replica has fewer samples than a micro-batch
  WholeTerm global_batch_size;
  WholeTerm gradient_accumulation_steps;  ///< micro-batches of a step
  WholeTerm local_batch_size;             ///< samples of one data-parallel replica in a step
  RealTerm per_device_batch_size;         ///< samples of a micro-batch over the GPUs of the job
  WordTerm rampup_batch_size;  ///< first batch, increment and samples over which it grows
  WordTerm train_iters;        ///< how long the run is; no number: not given
  WordTerm train_samples;
  WordTerm exit_interval;
  // parallelism
  WholeTerm tensor_model_parallel_size;
  WholeTerm pipeline_model_parallel_size;
  WholeTerm virtual_pipeline_model_parallel_size;
  WholeTerm layers_per_virtual_stage;
  WholeTerm microbatch_group_size_per_vp_stage;
  WordTerm pipeline_model_parallel_layout;
  WholeTerm num_layers_in_first_pipeline_stage;
  WholeTerm num_layers_in_last_pipeline_stage;
  WordTerm pipeline_schedule;  ///< by the name of the scenario
  WholeTerm context_parallel_size;
  WholeTerm expert_model_parallel_size;
  WholeTerm expert_tensor_parallel_size;
  FlagTerm sequence_parallel;
  FlagTerm account_for_embedding_in_pipeline_split;
  FlagTerm account_for_loss_in_pipeline_split;
  // overlap
  FlagTerm tp_comm_overlap;
  TreeTerm tp_comm_overlap_cfg;  ///< a table, or the name of one
  FlagTerm overlap_p2p_comm;
  FlagTerm overlap_grad_reduce;
  FlagTerm overlap_param_gather;
  FlagTerm defer_embedding_wgrad_compute;
  WholeTerm wgrad_deferral_limit;
  // how tokens find their experts
  WordTerm moe_token_dispatcher_type;
  WordTerm moe_flex_dispatcher_backend;
  FlagTerm moe_enable_deepep;
  WholeTerm moe_flex_dispatcher_num_sms;
  WholeTerm moe_deepep_num_sms;
  WholeTerm moe_hybridep_num_sms;
  FlagTerm moe_grouped_gemm;
  FlagTerm use_transformer_engine_op_fuser;
  FlagTerm moe_router_fusion;
  FlagTerm moe_permute_fusion;
  FlagTerm moe_router_padding_for_quantization;
  WordTerm moe_expert_capacity_factor;  ///< below 0: none
  FlagTerm moe_pad_expert_input_to_capacity;
  WordTerm moe_expert_rank_capacity_factor;
  FlagTerm moe_shared_expert_overlap;
  FlagTerm overlap_moe_expert_parallel_comm;
  FlagTerm delay_wgrad_compute;
  // optimizer
  WordTerm optimizer;
  WordTerm optimizer_dtype;
  FlagTerm use_distributed_optimizer;
  WordTerm grad_reduce_dtype;
  FlagTerm grad_reduce_in_fp32;
  FlagTerm grad_reduce_in_bf16;
  FlagTerm use_precision_aware_optimizer;
  FlagTerm store_param_remainders;
  WordTerm main_params_dtype;
  WordTerm exp_avg_dtype;
  WordTerm exp_avg_sq_dtype;
  RealTerm bucket_cap_mb;
  WholeTerm bucket_size;  ///< elements
  // how data-parallel ranks share state
  WordTerm sharding;        ///< by our name
  WordTerm fsdp_library;    ///< of NeMo 2: megatron, pytorch
  FlagTerm use_torch_fsdp;  ///< of NeMo 1
  FlagTerm use_megatron_fsdp;
  FlagTerm use_torch_fsdp2;
  WordTerm data_parallel_sharding_strategy;  ///< of whichever of them is used
  WordTerm fsdp_grad_reduce_dtype;           ///< of NeMo 1
  WordTerm outer_dp_sharding_strategy;       ///< of Megatron-FSDP, over the replicas
  WholeTerm data_parallel_replicate_degree;
  WholeTerm data_parallel_shard_degree;
  FlagTerm shards_within_node;  ///< the replicas are the nodes
  FlagTerm reshard_after_forward;
  // what is kept on hosts
  FlagTerm cpu_offloading;
  WholeTerm cpu_offloading_num_layers;
  FlagTerm fine_grained_activation_offloading;
  WordTerm offload_modules;
  FlagTerm optimizer_cpu_offload;
  RealTerm optimizer_offload_fraction;
  FlagTerm overlap_cpu_optimizer_d2h_h2d;
  FlagTerm offload_param;
  FlagTerm offload_state;  ///< of PyTorch's FSDP: parameters, gradients and optimizer state
  // the rest of the step
  WordTerm recompute;                   ///< by our name
  WholeTerm recompute_every_nth_layer;  ///< of full
  WordTerm recompute_granularity;
  WordTerm recompute_method;
  WholeTerm recompute_num_layers;
  WordTerm recompute_modules;
  FlagTerm moe_layer_recompute;
  FlagTerm enable_cuda_graph;
  WordTerm cuda_graph_impl;
  WordTerm cuda_graph_scope;
  // fine-tuning
  WordTerm peft_scheme;  ///< which adapters are trained beside frozen weights
  WholeTerm peft_dim;
  WordTerm peft_target_modules;
  // the job
  WholeTerm num_nodes;
  WholeTerm gpus_per_node;
  WholeTerm world_size;
};

/// Gives a term that the recipe is silent about its framework's default.
template <class T>
void default_to(std::optional<Given<T>>& term, std::type_identity_t<T> value,
                const std::string& whose) {
  if (!term) term = Given<T>{std::move(value), whose, true, {}};
}

}  // namespace simtrain
