#include "sim/import/plan/scenario_terms.h"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/import/job/sharding_keys.h"
#include "sim/import/terms/overlap_table.h"
#include "sim/import/terms/term_findings.h"

namespace simtrain {
namespace {

/// With commas between them.
template <Named E>
std::string names_of(const std::vector<E>& values) {
  std::vector<std::string_view> names;
  names.reserve(values.size());
  for (const E value : values) names.push_back(name_of(value));
  return fmt::format("{}", fmt::join(names, ","));
}

void give_training(const TrainingSpec& training, RecipeTerms& terms) {
  const std::string key = "training.precision";
  give(terms.bf16, true, key);
  give(terms.precision, "bf16-mixed", key);
  const bool narrow = row_of(training.precision).quantized();
  if (const auto recipe = scaling_recipe(training.precision)) {
    const bool four_bits = training.precision == Precision::nvfp4;
    give(four_bits ? terms.fp4 : terms.fp8, four_bits ? "e2m1" : "hybrid", key);
    give(four_bits ? terms.fp4_recipe : terms.fp8_recipe, std::string(*recipe), key);
  }
  if (narrow) give(terms.fp8_params, training.fp8_params, "training.fp8_params");
  if (narrow && training.num_layers_at_start_in_bf16 + training.num_layers_at_end_in_bf16 > 0) {
    give(terms.first_last_layers_bf16, true, "training.num_layers_at_start_in_bf16");
    give(terms.num_layers_at_start_in_bf16, training.num_layers_at_start_in_bf16,
         "training.num_layers_at_start_in_bf16");
    give(terms.num_layers_at_end_in_bf16, training.num_layers_at_end_in_bf16,
         "training.num_layers_at_end_in_bf16");
  }
  give(terms.seq_length, training.seq_length, "training.seq_length");
  give(terms.micro_batch_size, training.micro_batch_size, "training.micro_batch_size");
  give(terms.global_batch_size, training.global_batch_size, "training.global_batch_size");
}

void give_parallelism(const Recipe& recipe, RecipeTerms& terms) {
  const ParallelismSpec& plan = recipe.parallelism;
  const std::string p = "parallelism.";
  give(terms.tensor_model_parallel_size, recipe.tp(), p + "tensor_model_parallel_size");
  give(terms.pipeline_model_parallel_size, recipe.pp(), p + "pipeline_model_parallel_size");
  give(terms.context_parallel_size, recipe.cp(), p + "context_parallel_size");
  if (plan.pipeline_model_parallel_layout) {
    give(terms.pipeline_model_parallel_layout, *plan.pipeline_model_parallel_layout,
         p + "pipeline_model_parallel_layout");
  } else if (recipe.vp() > 1) {
    give(terms.virtual_pipeline_model_parallel_size, recipe.vp(),
         p + "virtual_pipeline_model_parallel_size");
  }
  if (plan.microbatch_group_size_per_vp_stage)
    give(terms.microbatch_group_size_per_vp_stage, *plan.microbatch_group_size_per_vp_stage,
         p + "microbatch_group_size_per_vp_stage");
  if (recipe.tp() > 1)
    give(terms.sequence_parallel, plan.sequence_parallel, p + "sequence_parallel");
  if (plan.account_for_embedding_in_pipeline_split)
    give(terms.account_for_embedding_in_pipeline_split, true,
         p + "account_for_embedding_in_pipeline_split");
  if (plan.account_for_loss_in_pipeline_split)
    give(terms.account_for_loss_in_pipeline_split, true, p + "account_for_loss_in_pipeline_split");
  if (!recipe.model.has_experts()) return;
  give(terms.expert_model_parallel_size, recipe.ep(), p + "expert_model_parallel_size");
  // What is usual where nothing is said differs by framework.
  if (plan.expert_tensor_parallel_size || recipe.tp() > 1)
    give(terms.expert_tensor_parallel_size, recipe.etp(), p + "expert_tensor_parallel_size");
}

void give_overlap(const Recipe& recipe, RecipeTerms& terms) {
  const OverlapSpec& overlap = recipe.overlap;
  const std::string o = "overlap.";
  give(terms.tp_comm_overlap, overlap.tp_comm_overlap, o + "tp_comm_overlap");
  const bool usual = overlap.tp_comm_overlap_table == usual_overlap_table(recipe.software);
  if (overlap.tp_comm_overlap && recipe.tp_overlap && !usual)
    give(terms.tp_comm_overlap_cfg, overlap_configuration(*recipe.tp_overlap),
         o + "tp_comm_overlap_table");
  give(terms.overlap_p2p_comm, overlap.overlap_p2p_comm, o + "overlap_p2p_comm");
  give(terms.overlap_grad_reduce, overlap.overlap_grad_reduce, o + "overlap_grad_reduce");
  give(terms.overlap_param_gather, overlap.overlap_param_gather, o + "overlap_param_gather");
  if (!overlap.defer_embedding_wgrad_compute) return;
  give(terms.defer_embedding_wgrad_compute, true, o + "defer_embedding_wgrad_compute");
  give(terms.wgrad_deferral_limit, overlap.wgrad_deferral_limit, o + "wgrad_deferral_limit");
}

void give_state_types(const OptimizerSpec& optimizer, RecipeTerms& terms) {
  const std::string o = "optimizer.";
  if (optimizer.use_precision_aware_optimizer)
    give(terms.use_precision_aware_optimizer, true, o + "use_precision_aware_optimizer");
  if (!optimizer.store_param_remainders)
    give(terms.store_param_remainders, false, o + "store_param_remainders");
  const auto give_type = [&](WordTerm& term, StateType type, const char* key) {
    if (type != StateType::fp32) give(term, std::string(name_of(type)), o + key);
  };
  give_type(terms.main_params_dtype, optimizer.main_params_dtype, "main_params_dtype");
  give_type(terms.exp_avg_dtype, optimizer.exp_avg_dtype, "exp_avg_dtype");
  give_type(terms.exp_avg_sq_dtype, optimizer.exp_avg_sq_dtype, "exp_avg_sq_dtype");
}

void give_optimizer(const Recipe& recipe, RecipeTerms& terms) {
  const OptimizerSpec& optimizer = recipe.optimizer;
  give(terms.use_distributed_optimizer, optimizer.distributed, "optimizer.distributed");
  const bool wide = optimizer.grad_reduce_dtype == DataType::fp32;
  if (wide || optimizer.grad_reduce_dtype == DataType::bf16) {
    give(terms.grad_reduce_in_fp32, wide, "optimizer.grad_reduce_dtype");
    give(terms.grad_reduce_in_bf16, !wide, "optimizer.grad_reduce_dtype");
  }
  give_state_types(optimizer, terms);
  const double elements = optimizer.bucket_size_mb * 1e6 / (wide ? 4 : 2);
  give(terms.bucket_size, std::llround(elements), "optimizer.bucket_size_mb");
}

void give_sharding(const Recipe& recipe, RecipeTerms& terms) {
  const std::string key = "sharding.strategy";
  const Sharding strategy = recipe.shards();
  if (strategy == Sharding::fsdp2) give(terms.use_torch_fsdp2, true, key);
  if (strategy == Sharding::zero2 || strategy == Sharding::megatron_fsdp) {
    give(terms.use_megatron_fsdp, true, key);
    give(terms.data_parallel_sharding_strategy, std::string(megatron_fsdp_word(strategy)), key);
  }
  if (recipe.sharding.data_parallel_replicate_degree > 1)
    give(terms.data_parallel_replicate_degree, recipe.sharding.data_parallel_replicate_degree,
         "sharding.data_parallel_replicate_degree");
  if (recipe.sharding.reshard_after_forward)
    give(terms.reshard_after_forward, *recipe.sharding.reshard_after_forward,
         "sharding.reshard_after_forward");
}

void give_dispatch(const MoeSpec& moe, RecipeTerms& terms) {
  const std::string m = "moe.";
  give(terms.moe_token_dispatcher_type, std::string(name_of(moe.moe_token_dispatcher_type)),
       m + "moe_token_dispatcher_type");
  if (moe.moe_token_dispatcher_type == TokenDispatcher::flex) {
    give(terms.moe_flex_dispatcher_backend, std::string(name_of(moe.moe_flex_dispatcher_backend)),
         m + "moe_flex_dispatcher_backend");
    if (moe.moe_flex_dispatcher_num_sms)
      give(moe.moe_flex_dispatcher_backend == ExchangeLibrary::hybridep ? terms.moe_hybridep_num_sms
                                                                        : terms.moe_deepep_num_sms,
           *moe.moe_flex_dispatcher_num_sms, m + "moe_flex_dispatcher_num_sms");
  }
  give(terms.moe_grouped_gemm, moe.moe_grouped_gemm, m + "moe_grouped_gemm");
  if (moe.use_transformer_engine_op_fuser)
    give(terms.use_transformer_engine_op_fuser, true, m + "use_transformer_engine_op_fuser");
  give(terms.moe_router_fusion, moe.moe_router_fusion, m + "moe_router_fusion");
  give(terms.moe_permute_fusion, moe.moe_permute_fusion, m + "moe_permute_fusion");
  if (moe.moe_router_padding_for_quantization)
    give(terms.moe_router_padding_for_quantization, true,
         m + "moe_router_padding_for_quantization");
  if (moe.moe_expert_capacity_factor) {
    give(terms.moe_expert_capacity_factor, fmt::format("{}", *moe.moe_expert_capacity_factor),
         m + "moe_expert_capacity_factor");
    give(terms.moe_pad_expert_input_to_capacity, moe.moe_pad_expert_input_to_capacity,
         m + "moe_pad_expert_input_to_capacity");
  }
  if (moe.moe_expert_rank_capacity_factor)
    give(terms.moe_expert_rank_capacity_factor,
         fmt::format("{}", *moe.moe_expert_rank_capacity_factor),
         m + "moe_expert_rank_capacity_factor");
  if (moe.moe_shared_expert_overlap)
    give(terms.moe_shared_expert_overlap, true, m + "moe_shared_expert_overlap");
}

/// Megatron's is of one stage or of several chunks a stage.
void give_exchange_overlap(const Recipe& recipe, RecipeTerms& terms) {
  const OverlapSpec& overlap = recipe.overlap;
  if (!overlap.overlap_moe_expert_parallel_comm || (recipe.pp() > 1 && recipe.vp() == 1)) return;
  give(terms.overlap_moe_expert_parallel_comm, true, "overlap.overlap_moe_expert_parallel_comm");
  if (overlap.delay_wgrad_compute)
    give(terms.delay_wgrad_compute, true, "overlap.delay_wgrad_compute");
}

void give_offload(const OffloadSpec& offload, RecipeTerms& terms) {
  const std::string o = "offload.";
  if (offload.cpu_offloading) {
    give(terms.cpu_offloading, true, o + "cpu_offloading");
    give(terms.cpu_offloading_num_layers, offload.cpu_offloading_num_layers,
         o + "cpu_offloading_num_layers");
  }
  if (offload.fine_grained_activation_offloading) {
    give(terms.fine_grained_activation_offloading, true, o + "fine_grained_activation_offloading");
    give(terms.offload_modules, names_of(offload.offload_modules), o + "offload_modules");
  }
  if (!offload.optimizer_cpu_offload) return;
  give(terms.optimizer_cpu_offload, true, o + "optimizer_cpu_offload");
  give(terms.optimizer_offload_fraction, offload.optimizer_offload_fraction,
       o + "optimizer_offload_fraction");
  if (offload.offload_param) give(terms.offload_state, true, o + "offload_param");
  if (offload.overlap_cpu_optimizer_d2h_h2d)
    give(terms.overlap_cpu_optimizer_d2h_h2d, true, o + "overlap_cpu_optimizer_d2h_h2d");
}

void give_recompute(const Recipe& recipe, RecipeTerms& terms) {
  const std::string key = "recompute";
  if (recipe.recompute == Recompute::full) {
    give(terms.recompute_granularity, "full", key);
    give(terms.recompute_method, "uniform", key);
    give(terms.recompute_num_layers, 1, key);
  }
  if (recipe.recompute != Recompute::selective) return;
  give(terms.recompute_granularity, "selective", key);
  give(terms.recompute_modules, names_of(recipe.recompute_modules), "recompute_modules");
}

void give_adapters(const LoraSpec& lora, RecipeTerms& terms) {
  give(terms.peft_scheme, "LoRA", "lora.rank");
  give(terms.peft_dim, lora.rank, "lora.rank");
  give(terms.peft_target_modules, names_of(lora.target_modules), "lora.target_modules");
}

}  // namespace

RecipeTerms scenario_terms(const Scenario& scenario) {
  const Recipe& recipe = scenario.recipe;
  RecipeTerms terms;
  give(terms.name, scenario.name, "name");
  add_model_terms(recipe.model, terms);
  give_training(recipe.training, terms);
  give_parallelism(recipe, terms);
  give_overlap(recipe, terms);
  give_optimizer(recipe, terms);
  give_sharding(recipe, terms);
  if (recipe.model.has_experts()) give_dispatch(recipe.moe, terms);
  give_exchange_overlap(recipe, terms);
  give_offload(recipe.offload, terms);
  give_recompute(recipe, terms);
  if (recipe.lora) give_adapters(*recipe.lora, terms);
  if (recipe.cuda_graphs) give(terms.cuda_graph_impl, "local", "cuda_graphs");
  give(terms.num_nodes, scenario.placement.nodes, "cluster.nodes");
  give(terms.gpus_per_node, scenario.cluster.node.gpus, "cluster.name");
  return terms;
}

}  // namespace simtrain
