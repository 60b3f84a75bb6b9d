#include "sim/import/nemo/nemo1.h"

#include <array>
#include <vector>

#include "sim/core/input/scalar_text.h"
#include "sim/import/job/adapter_keys.h"
#include "sim/import/model/layer_pattern.h"
#include "sim/import/model/named_model.h"
#include "sim/import/scenario/scenario_text.h"
#include "sim/import/terms/core_rows.h"
#include "sim/import/yaml/interpolation.h"
#include "sim/import/yaml/yaml_recipe.h"

namespace simtrain {
namespace {

using T = RecipeTerms;

constexpr Ignored kScaling{"delayed scaling is simulated with Transformer Engine's usual history"};

constexpr std::array kModelKeys{
    KeyRow{"model.num_layers", &T::num_layers},
    KeyRow{"model.hidden_size", &T::hidden_size},
    KeyRow{"model.ffn_hidden_size", &T::ffn_hidden_size},
    KeyRow{"model.num_attention_heads", &T::num_attention_heads},
    KeyRow{"model.num_query_groups", &T::num_query_groups},
    KeyRow{"model.kv_channels", &T::kv_channels},
    KeyRow{"model.tokenizer.type", &T::tokenizer},
    KeyRow{"model.tokenizer.*", kOutside},
    KeyRow{"model.override_vocab_size", &T::padded_vocab_size},
    KeyRow{"model.vocab_size", &T::vocab_size},
    KeyRow{"model.make_vocab_size_divisible_by", &T::make_vocab_size_divisible_by},
    KeyRow{"model.activation", &T::activation},
    KeyRow{"model.normalization", &T::normalization},
    KeyRow{"model.position_embedding_type", &T::position_embedding_type},
    KeyRow{"model.rotary_percentage", &T::rotary_percent},
    KeyRow{"model.share_embeddings_and_output_weights", &T::share_embeddings_and_output_weights},
    KeyRow{"model.num_moe_experts", &T::num_moe_experts},
    KeyRow{"model.mamba_ssm_ngroups", &T::mamba_num_groups},
    KeyRow{"model.max_position_embeddings", kRange},
    KeyRow{"model.seq_len_interpolation_factor", kRange},
    KeyRow{"model.rotary_base", kLearned},
    KeyRow{"model.scale_positional_embedding", kLearned},
    KeyRow{"model.init_method_std", kLearned},
    KeyRow{"model.use_scaled_init_method", kLearned},
    KeyRow{"model.hidden_dropout", &T::hidden_dropout},
    KeyRow{"model.attention_dropout", kLearned},
    KeyRow{"model.ffn_dropout", kLearned},
    KeyRow{"model.layernorm_epsilon", kLearned},
    KeyRow{"model.apply_query_key_layer_scaling", kLearned},
    KeyRow{"model.grad_clip_*", kLearned},
    KeyRow{"model.seed", kLearned},
    KeyRow{"model.do_layer_norm_weight_decay", kLearned},
    KeyRow{"model.bias", &T::add_bias_linear},
    KeyRow{"model.qkv_bias", &T::add_qkv_bias},
    KeyRow{"model.transformer_block_type", Refused{"blocks with other norms", "pre_ln"}},
};

constexpr std::array kStepKeys{
    KeyRow{"name", &T::name},
    KeyRow{"trainer.num_nodes", &T::num_nodes},
    KeyRow{"trainer.devices", &T::gpus_per_node},
    KeyRow{"trainer.precision", &T::precision},
    KeyRow{"model.encoder_seq_length", &T::seq_length},
    KeyRow{"model.data.seq_length", &T::seq_length},
    KeyRow{"model.micro_batch_size", &T::micro_batch_size},
    KeyRow{"model.global_batch_size", &T::global_batch_size},
    KeyRow{"model.rampup_batch_size", &T::rampup_batch_size},
    KeyRow{"trainer.max_steps", &T::train_iters},
    KeyRow{"model.tensor_model_parallel_size", &T::tensor_model_parallel_size},
    KeyRow{"model.pipeline_model_parallel_size", &T::pipeline_model_parallel_size},
    KeyRow{"model.virtual_pipeline_model_parallel_size", &T::virtual_pipeline_model_parallel_size},
    KeyRow{"model.context_parallel_size", &T::context_parallel_size},
    KeyRow{"model.expert_model_parallel_size", &T::expert_model_parallel_size},
    KeyRow{"model.expert_tensor_parallel_size", &T::expert_tensor_parallel_size},
    KeyRow{"model.sequence_parallel", &T::sequence_parallel},
    KeyRow{"model.fp8", &T::fp8},
    KeyRow{"model.fp8_params", &T::fp8_params},
    KeyRow{"model.ub_tp_comm_overlap", &T::tp_comm_overlap},
    KeyRow{"model.ub_tp_comm_overlap_cfg", &T::tp_comm_overlap_cfg},
    KeyRow{"model.overlap_p2p_comm", &T::overlap_p2p_comm},
    KeyRow{"model.defer_embedding_wgrad_compute", &T::defer_embedding_wgrad_compute},
    KeyRow{"model.wgrad_deferral_limit", &T::wgrad_deferral_limit},
    KeyRow{"model.activations_checkpoint_granularity", &T::recompute_granularity},
    KeyRow{"model.activations_checkpoint_method", &T::recompute_method},
    KeyRow{"model.activations_checkpoint_num_layers", &T::recompute_num_layers},
    KeyRow{"model.enable_cuda_graph", &T::enable_cuda_graph},
    KeyRow{"model.optim.name", &T::optimizer},
    KeyRow{"model.optim.dtype", &T::optimizer_dtype},
    KeyRow{"model.optim.grad_sync_dtype", &T::grad_reduce_dtype},
    KeyRow{"model.optim.bucket_cap_mb", &T::bucket_cap_mb},
    KeyRow{"model.optim.ddp_bucket_size", &T::bucket_size},
    KeyRow{"model.optim.overlap_grad_sync", &T::overlap_grad_reduce},
    KeyRow{"model.optim.overlap_param_sync", &T::overlap_param_gather},
    KeyRow{"model.fsdp", &T::use_torch_fsdp},
    KeyRow{"model.fsdp_sharding_strategy", &T::data_parallel_sharding_strategy},
    KeyRow{"model.fsdp_grad_reduce_dtype", &T::fsdp_grad_reduce_dtype},
    KeyRow{"model.peft.peft_scheme", &T::peft_scheme},
    KeyRow{"model.peft.lora_tuning.adapter_dim", &T::peft_dim},
    KeyRow{"model.peft.lora_tuning.target_modules", &T::peft_target_modules},
    KeyRow{"model.data.train_ds.packed_sequence", kPackedDocuments},
    KeyRow{"model.cpu_offloading", &T::cpu_offloading},
    KeyRow{"model.cpu_offloading_num_layers", &T::cpu_offloading_num_layers},
    KeyRow{"model.num_micro_batches_with_partial_activation_checkpoints",
           Refused{"recomputation of some micro-batches only is not modelled", "", true}},
    KeyRow{"model.activations_checkpoint_layers_per_pipeline",
           Refused{"recomputation of some stages only is not modelled", "", true}},
};

constexpr std::array kOtherNemo1Keys{
    KeyRow{"model.precision", Ignored{"given by trainer.precision and megatron_amp_O2"}},
    KeyRow{"model.megatron_amp_O2", Ignored{"parameters and gradient buffers in BF16 are assumed"}},
    KeyRow{"model.optim.*", kLearned},
    KeyRow{"model.fp8_*", kScaling},
    KeyRow{"model.reduce_amax", kSoftware},
    KeyRow{"model.tp_only_amax_red", kSoftware},
    KeyRow{"model.use_emha", kSoftware},
    KeyRow{"model.use_flash_attention", kSoftware},
    KeyRow{"model.transformer_engine", kSoftware},
    KeyRow{"model.mcore_gpt", kSoftware},
    KeyRow{"model.cross_entropy_loss_fusion", kSoftware},
    KeyRow{"model.gradient_accumulation_fusion", kSoftware},
    KeyRow{"model.bias_activation_fusion", kSoftware},
    KeyRow{"model.bias_dropout_add_fusion", kSoftware},
    KeyRow{"model.masked_softmax_fusion", kSoftware},
    KeyRow{"model.apply_rope_fusion", kSoftware},
    KeyRow{"model.batch_p2p_comm", Ignored{"follows from overlap_p2p_comm"}},
    KeyRow{"model.gc_interval", Ignored{"garbage collection is not modelled"}},
    KeyRow{"model.nsys_profile.*", kOutside},
    KeyRow{"model.peft.*", kLearned},
    KeyRow{"model.data.*", kOutside},
    KeyRow{"trainer.*", kOutside},
    KeyRow{"exp_manager.*", kOutside},
    KeyRow{"run.*", kOutside},
    KeyRow{"hydra.*", kOutside},
    KeyRow{"restore_from_path", kOutside},
    KeyRow{"model.restore_from_path", kOutside},
    KeyRow{"model.resume_from_checkpoint", kOutside},
};

bool is_nemo1(std::string_view text) {
  return has_top_key(text, "model") && has_top_key(text, "trainer");
}

/// Griffin's configuration says of its layers only that they may run again on their own.
void refuse_recurrent_layers(const YamlNode& tree) {
  constexpr std::string_view kOfGriffin = "model.activations_checkpoint_recurrent";
  if (const YamlNode* given = find_yaml_value(tree, kOfGriffin))
    throw InputError(given->place, std::string(kOfGriffin),
                     "is of a model with recurrent blocks (RG-LRU), which are not modelled; "
                     "--override \"~model.activations_checkpoint_recurrent\" takes attention in "
                     "all layers");
}

/// A configuration of fine-tuning may leave the shape to the checkpoint that it starts from, and
/// the length of sequences to the data.
void settle_fine_tuning(const YamlNode& tree, RecipeTerms& terms) {
  constexpr std::string_view kLength = "model.data.train_ds.max_seq_length";
  const YamlNode* length = find_yaml_value(tree, kLength);
  if (length != nullptr && !terms.seq_length) {
    const YamlNode value = resolved(tree, std::string(kLength), *length);
    terms.seq_length = Given<std::int64_t>{scalar_integer(value, std::string(kLength), {1, 1e12}),
                                           std::string(kLength), false, length->place};
  }
  for (const char* key : {"model.restore_from_path", "restore_from_path"}) {
    const YamlNode* checkpoint = find_yaml_value(tree, key);
    if (checkpoint == nullptr || terms.num_layers || terms.model_class) continue;
    if (const auto model = model_named_in(checkpoint->text))
      terms.model_class = Given<std::string>{*model, key, false, checkpoint->place};
  }
}

ImportedRecipe read_nemo1(const ImportFile& file, const RecipeRequest& request,
                          const DataFolder& data) {
  const YamlNode tree = load_yaml_recipe(file, request);
  refuse_recurrent_layers(tree);
  RecipeReading reading = read_recipe(tree, nemo1_keys(), KeyStyle::dotted, without_value(request));
  settle_fine_tuning(tree, reading.terms);
  add_nemo1_defaults(reading.terms);
  return imported_scenario("NeMo 1 configuration", reading, file, request, data);
}

}  // namespace

std::span<const KeyRow> nemo1_keys() {
  static const CoreRows core("model.");
  static const std::vector<KeyRow> rows = [] {
    std::vector<KeyRow> all(kModelKeys.begin(), kModelKeys.end());
    all.insert(all.end(), core.rows().begin(), core.rows().end());
    all.insert(all.end(), kStepKeys.begin(), kStepKeys.end());
    all.insert(all.end(), kOtherNemo1Keys.begin(), kOtherNemo1Keys.end());
    return all;
  }();
  return rows;
}

void take_model_precision(const YamlNode& tree, const std::string& origin, RecipeTerms& terms) {
  const YamlNode* precision = find_yaml_value(tree, "model.precision");
  if (precision != nullptr && precision->kind == YamlNode::Kind::scalar && !terms.precision)
    terms.precision = Given<std::string>{precision->text, origin, false, precision->place};
}

void add_nemo1_defaults(RecipeTerms& terms) {
  const std::string nemo = "NeMo 1's default";
  if (terms.num_layers || terms.hidden_size) {  // else they are those of a model by its name
    default_to(terms.normalization, "layernorm1p", nemo);
    default_to(terms.share_embeddings_and_output_weights, true, nemo);
    default_to(terms.activation, "gelu", nemo);
    default_to(terms.hidden_dropout, 0.1, nemo);
    default_to(terms.add_bias_linear, true, nemo);
  }
  default_to(terms.overlap_p2p_comm, false, nemo);
  add_adapter_defaults({32, "attention_qkv", nemo}, terms);
  if (const auto& groups = terms.mamba_num_groups)
    settle_hybrid_layers(terms, Given<std::string>{"", groups->origin, false, groups->place});
  if (terms.optimizer && terms.optimizer->value == "mcore_distributed_optim") {
    terms.bucket_cap_mb.reset();  // of Apex: Megatron's DDP counts elements
    default_to(terms.grad_reduce_dtype, "fp32", "default of mcore_distributed_optim");
  }
  const bool apex = terms.optimizer && terms.optimizer->value == "distributed_fused_adam";
  if (!apex) return;
  if (!terms.bucket_size) default_to(terms.bucket_cap_mb, 100, "Apex's default");
  if (!terms.optimizer_dtype)
    default_to(terms.grad_reduce_dtype, "fp32", "Apex's default: the type of the optimizer, fp32");
}

const RecipeFormat kNemo1{"nemo-1", "NeMo 1 configuration: YAML with model and trainer", is_nemo1,
                          read_nemo1};

}  // namespace simtrain
