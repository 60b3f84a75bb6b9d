#include "sim/import/nemo/nemo2.h"

#include <array>
#include <vector>

#include "sim/import/job/adapter_keys.h"
#include "sim/import/job/sharding_keys.h"
#include "sim/import/scenario/scenario_text.h"
#include "sim/import/terms/core_rows.h"
#include "sim/import/terms/overlap_table.h"
#include "sim/import/yaml/yaml_recipe.h"

namespace simtrain {
namespace {

using T = RecipeTerms;

constexpr std::array kNemo2Keys{
    KeyRow{"name", &T::name},
    KeyRow{"model.config._target_", &T::model_class},
    KeyRow{"model.config.num_layers", &T::num_layers},
    KeyRow{"model.config.hidden_size", &T::hidden_size},
    KeyRow{"model.config.ffn_hidden_size", &T::ffn_hidden_size},
    KeyRow{"model.config.num_attention_heads", &T::num_attention_heads},
    KeyRow{"model.config.num_query_groups", &T::num_query_groups},
    KeyRow{"model.config.kv_channels", &T::kv_channels},
    KeyRow{"model.config.vocab_size", &T::vocab_size},
    KeyRow{"model.config.make_vocab_size_divisible_by", &T::make_vocab_size_divisible_by},
    KeyRow{"model.config.normalization", &T::normalization},
    KeyRow{"model.config.position_embedding_type", &T::position_embedding_type},
    KeyRow{"model.config.rotary_percent", &T::rotary_percent},
    KeyRow{"model.config.activation_func", &T::activation},
    KeyRow{"model.config.gated_linear_unit", &T::gated_linear_unit},
    KeyRow{"model.config.share_embeddings_and_output_weights",
           &T::share_embeddings_and_output_weights},
    KeyRow{"model.config.hidden_dropout", &T::hidden_dropout},
    KeyRow{"model.config.num_moe_experts", &T::num_moe_experts},
    KeyRow{"model.config.cpu_offloading", &T::cpu_offloading},
    KeyRow{"model.config.cpu_offloading_num_layers", &T::cpu_offloading_num_layers},
    KeyRow{"model.config.fine_grained_activation_offloading",
           &T::fine_grained_activation_offloading},
    KeyRow{"model.config.offload_modules", &T::offload_modules},
    KeyRow{"model.config.seq_length", &T::seq_length},
    KeyRow{"model.config.recompute_granularity", &T::recompute_granularity},
    KeyRow{"model.config.recompute_method", &T::recompute_method},
    KeyRow{"model.config.recompute_num_layers", &T::recompute_num_layers},
    KeyRow{"model.config.recompute_modules", &T::recompute_modules},
    KeyRow{"model.config.enable_cuda_graph", &T::enable_cuda_graph},
    KeyRow{"model.config.cuda_graph_impl", &T::cuda_graph_impl},
    KeyRow{"model.config.cuda_graph_scope", &T::cuda_graph_scope},
    KeyRow{"model.config.cross_entropy_*", kSoftware},
    KeyRow{"model.config.gradient_accumulation_fusion", kSoftware},
    KeyRow{"model.tokenizer.*", kOutside},
    KeyRow{"data.seq_length", &T::seq_length},
    KeyRow{"data.micro_batch_size", &T::micro_batch_size},
    KeyRow{"data.global_batch_size", &T::global_batch_size},
    KeyRow{"data.rampup_batch_size", &T::rampup_batch_size},
    KeyRow{"trainer.max_steps", &T::train_iters},
    KeyRow{"data.packed_sequence_specs.*", kPackedDocuments},
    KeyRow{"data.*", kOutside},
    KeyRow{"trainer.num_nodes", &T::num_nodes},
    KeyRow{"trainer.devices", &T::gpus_per_node},
    KeyRow{"trainer.plugins.precision", &T::precision},
    KeyRow{"trainer.plugins.fp8", &T::fp8},
    KeyRow{"trainer.plugins.fp8_recipe", &T::fp8_recipe},
    KeyRow{"trainer.plugins.fp4", &T::fp4},
    KeyRow{"trainer.plugins.fp4_recipe", &T::fp4_recipe},
    KeyRow{"trainer.plugins.first_last_layers_bf16", &T::first_last_layers_bf16},
    KeyRow{"trainer.plugins.num_layers_at_start_in_bf16", &T::num_layers_at_start_in_bf16},
    KeyRow{"trainer.plugins.num_layers_at_end_in_bf16", &T::num_layers_at_end_in_bf16},
    KeyRow{"trainer.plugins.fp8_params", &T::fp8_params},
    KeyRow{"trainer.plugins.fp8_param_gather", &T::fp8_params},
    KeyRow{"trainer.plugins.grad_reduce_in_fp32", &T::grad_reduce_in_fp32},
    KeyRow{"trainer.plugins.*", Ignored{"the types of the usual BF16 or FP8 training are assumed"}},
    KeyRow{"trainer.strategy.tensor_model_parallel_size", &T::tensor_model_parallel_size},
    KeyRow{"trainer.strategy.pipeline_model_parallel_size", &T::pipeline_model_parallel_size},
    KeyRow{"trainer.strategy.virtual_pipeline_model_parallel_size",
           &T::virtual_pipeline_model_parallel_size},
    KeyRow{"trainer.strategy.microbatch_group_size_per_vp_stage",
           &T::microbatch_group_size_per_vp_stage},
    KeyRow{"trainer.strategy.context_parallel_size", &T::context_parallel_size},
    KeyRow{"trainer.strategy.expert_model_parallel_size", &T::expert_model_parallel_size},
    KeyRow{"trainer.strategy.expert_tensor_parallel_size", &T::expert_tensor_parallel_size},
    KeyRow{"trainer.strategy.sequence_parallel", &T::sequence_parallel},
    KeyRow{"trainer.strategy.account_for_embedding_in_pipeline_split",
           &T::account_for_embedding_in_pipeline_split},
    KeyRow{"trainer.strategy.account_for_loss_in_pipeline_split",
           &T::account_for_loss_in_pipeline_split},
    KeyRow{"trainer.strategy.pipeline_model_parallel_layout", &T::pipeline_model_parallel_layout},
    KeyRow{"trainer.strategy.num_layers_in_first_pipeline_stage",
           &T::num_layers_in_first_pipeline_stage},
    KeyRow{"trainer.strategy.num_layers_in_last_pipeline_stage",
           &T::num_layers_in_last_pipeline_stage},
    KeyRow{"trainer.strategy.fsdp", &T::fsdp_library},
    KeyRow{"trainer.strategy.ddp.data_parallel_sharding_strategy",
           &T::data_parallel_sharding_strategy},
    KeyRow{"trainer.strategy.ddp.outer_dp_sharding_strategy", &T::outer_dp_sharding_strategy},
    KeyRow{"trainer.strategy.ddp.num_distributed_optimizer_instances",
           &T::data_parallel_replicate_degree},
    KeyRow{"trainer.strategy.num_distributed_optimizer_instances",
           &T::data_parallel_replicate_degree},
    KeyRow{"trainer.strategy.ddp.use_megatron_fsdp", &T::use_megatron_fsdp},
    KeyRow{"trainer.strategy.ddp.use_custom_fsdp", &T::use_megatron_fsdp},
    KeyRow{"trainer.strategy.ddp.nccl_ub", kUserBuffers},
    KeyRow{"trainer.strategy.ddp.fsdp_double_buffer", kFsdpBuffers},
    KeyRow{"trainer.strategy.ddp.use_distributed_optimizer", &T::use_distributed_optimizer},
    KeyRow{"trainer.strategy.ddp.grad_reduce_in_fp32",
           Ignored{"the precision plugin's value is the one that counts"}},
    KeyRow{"trainer.callbacks[MegatronCommOverlapCallback].tp_comm_overlap", &T::tp_comm_overlap},
    KeyRow{"trainer.callbacks[MegatronCommOverlapCallback].tp_comm_overlap_cfg",
           &T::tp_comm_overlap_cfg},
    KeyRow{"trainer.callbacks[MegatronCommOverlapCallback].overlap_p2p_comm", &T::overlap_p2p_comm},
    KeyRow{"trainer.callbacks[MegatronCommOverlapCallback].overlap_grad_reduce",
           &T::overlap_grad_reduce},
    KeyRow{"trainer.callbacks[MegatronCommOverlapCallback].overlap_param_gather",
           &T::overlap_param_gather},
    KeyRow{"trainer.callbacks[MegatronCommOverlapCallback].bucket_size", &T::bucket_size},
    KeyRow{"trainer.callbacks[MegatronCommOverlapCallback].defer_embedding_wgrad_compute",
           &T::defer_embedding_wgrad_compute},
    KeyRow{"trainer.callbacks[MegatronCommOverlapCallback].wgrad_deferral_limit",
           &T::wgrad_deferral_limit},
    KeyRow{"trainer.strategy.ddp.overlap_grad_reduce", &T::overlap_grad_reduce},
    KeyRow{"trainer.strategy.ddp.overlap_param_gather", &T::overlap_param_gather},
    KeyRow{"trainer.strategy.ddp.bucket_size", &T::bucket_size},
    KeyRow{"trainer.callbacks[MegatronCommOverlapCallback].overlap_moe_expert_parallel_comm",
           &T::overlap_moe_expert_parallel_comm},
    KeyRow{"trainer.callbacks[MegatronCommOverlapCallback].delay_wgrad_compute",
           &T::delay_wgrad_compute},
    KeyRow{"trainer.callbacks[MegatronTokenDropCallback].moe_expert_capacity_factor",
           &T::moe_expert_capacity_factor},
    KeyRow{"trainer.callbacks[MegatronTokenDropCallback].moe_pad_expert_input_to_capacity",
           &T::moe_pad_expert_input_to_capacity},
    KeyRow{"trainer.callbacks[MegatronCommOverlapCallback].*",
           Ignored{"a detail of overlap that is not modelled"}},
    KeyRow{"trainer.callbacks[*", Ignored{"this callback has no part in what is simulated"}},
    KeyRow{"trainer.*", kOutside},
    KeyRow{"optim.config.use_distributed_optimizer", &T::use_distributed_optimizer},
    KeyRow{"optim.config.optimizer",
           Refused{"Adam is simulated; --override optim.config.optimizer=adam takes it", "adam"}},
    KeyRow{"optim.config.use_precision_aware_optimizer", &T::use_precision_aware_optimizer},
    KeyRow{"optim.config.store_param_remainders", &T::store_param_remainders},
    KeyRow{"optim.config.main_params_dtype", &T::main_params_dtype},
    KeyRow{"optim.config.exp_avg_dtype", &T::exp_avg_dtype},
    KeyRow{"optim.config.exp_avg_sq_dtype", &T::exp_avg_sq_dtype},
    KeyRow{"optim.*", kLearned},
    KeyRow{"log.*", kOutside},
    KeyRow{"resume.*", kOutside},
};

bool is_nemo2(std::string_view text) {
  return has_top_key(text, "trainer") && text.find("_target_:") != std::string_view::npos &&
         (text.find("nemo.collections.llm") != std::string_view::npos ||
          text.find("nemo.lightning") != std::string_view::npos);
}

/// What MegatronCommOverlapCallback sets where it is there without other arguments.
void add_callback_defaults(RecipeTerms& terms) {
  const std::string callback = "MegatronCommOverlapCallback's default";
  default_to(terms.overlap_p2p_comm, true, callback);
  default_to(terms.overlap_grad_reduce, true, callback);
  default_to(terms.overlap_param_gather, true, callback);
  default_to(terms.bucket_size, std::int64_t{128} << 20, callback);
}

/// What callbacks of mixtures set where they are there without other arguments.
void add_expert_callbacks(const std::string& text, RecipeTerms& terms) {
  const std::string drop = "MegatronTokenDropCallback";
  if (text.find(drop) != std::string::npos) {
    default_to(terms.moe_expert_capacity_factor, "1.0", drop + "'s default");
    default_to(terms.moe_pad_expert_input_to_capacity, true, drop + "'s default");
  }
  const std::string deepep = "DeepEPCallback";
  if (text.find(deepep) == std::string::npos) return;
  terms.moe_token_dispatcher_type.reset();  // it sets another
  default_to(terms.moe_enable_deepep, true, deepep);
}

}  // namespace

RecipeReading nemo2_reading(const YamlNode& tree) {
  RecipeReading reading = read_recipe(tree, nemo2_keys(), KeyStyle::dotted);
  RecipeTerms& terms = reading.terms;
  take_none(tree, "model.config.q_lora_rank", terms.q_lora_rank);
  take_none(tree, "model.config.mtp_num_layers", terms.mtp_num_layers);
  default_to(terms.use_distributed_optimizer, true, "NeMo 2's default");
  default_to(terms.grad_reduce_in_fp32, true, "default of NeMo 2's precision plugin");
  if (terms.fp8) default_to(terms.fp8_params, true, "default of NeMo 2's FP8 plugin");
  settle_tp_overlap(terms);
  add_adapter_defaults(lora_class_defaults(), terms);
  return reading;
}

namespace {

ImportedRecipe read_nemo2(const ImportFile& file, const RecipeRequest& request,
                          const DataFolder& data) {
  YamlNode tree = load_yaml_recipe(file, request);
  for (const char* owner : {"model.config", "trainer.strategy"})
    take_layout(tree, std::string(owner) + ".pipeline_model_parallel_layout");
  RecipeReading reading = nemo2_reading(tree);
  RecipeTerms& terms = reading.terms;
  add_expert_callbacks(file.text, terms);
  if (file.text.find("MegatronCommOverlapCallback") != std::string::npos)
    add_callback_defaults(terms);
  return imported_scenario("NeMo 2 run configuration", reading, file, request, data);
}

}  // namespace

std::span<const KeyRow> nemo2_keys() {
  static const CoreRows core("model.config.");
  static const std::vector<KeyRow> rows = [] {
    std::vector<KeyRow> all(kNemo2Keys.begin(), kNemo2Keys.end());
    all.insert(all.end(), core.rows().begin(), core.rows().end());
    all.insert(all.end(), kPeftKeys.begin(), kPeftKeys.end());
    return all;
  }();
  return rows;
}

const RecipeFormat kNemo2{"nemo-2", "NeMo 2 run configuration: YAML with _target_ of nemo classes",
                          is_nemo2, read_nemo2};

}  // namespace simtrain
