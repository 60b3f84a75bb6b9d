#include "sim/import/megatron/megatron_bridge.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "sim/core/input/scalar_text.h"
#include "sim/import/job/adapter_keys.h"
#include "sim/import/job/sharding_keys.h"
#include "sim/import/megatron/megatron_tree.h"
#include "sim/import/scenario/scenario_text.h"
#include "sim/import/terms/core_rows.h"
#include "sim/import/terms/overlap_table.h"
#include "sim/import/yaml/yaml_recipe.h"

namespace simtrain {
namespace {

using T = RecipeTerms;

constexpr std::array kBridgeKeys{
    KeyRow{"model._target_", &T::model_class},
    KeyRow{"model.num_layers", &T::num_layers},
    KeyRow{"model.hidden_size", &T::hidden_size},
    KeyRow{"model.ffn_hidden_size", &T::ffn_hidden_size},
    KeyRow{"model.num_attention_heads", &T::num_attention_heads},
    KeyRow{"model.num_query_groups", &T::num_query_groups},
    KeyRow{"model.kv_channels", &T::kv_channels},
    KeyRow{"model.vocab_size", &T::padded_vocab_size},
    KeyRow{"model.make_vocab_size_divisible_by", &T::make_vocab_size_divisible_by},
    KeyRow{"model.normalization", &T::normalization},
    KeyRow{"model.layernorm_zero_centered_gamma", &T::layernorm_1p},
    KeyRow{"model.position_embedding_type", &T::position_embedding_type},
    KeyRow{"model.rotary_percent", &T::rotary_percent},
    KeyRow{"model.activation_func", &T::activation},
    KeyRow{"model.gated_linear_unit", &T::gated_linear_unit},
    KeyRow{"model.share_embeddings_and_output_weights", &T::share_embeddings_and_output_weights},
    KeyRow{"model.hidden_dropout", &T::hidden_dropout},
    KeyRow{"model.num_moe_experts", &T::num_moe_experts},
    KeyRow{"model.cpu_offloading", &T::cpu_offloading},
    KeyRow{"model.cpu_offloading_num_layers", &T::cpu_offloading_num_layers},
    KeyRow{"model.fine_grained_activation_offloading", &T::fine_grained_activation_offloading},
    KeyRow{"model.offload_modules", &T::offload_modules},
    KeyRow{"model.seq_length", &T::seq_length},
    KeyRow{"model.tensor_model_parallel_size", &T::tensor_model_parallel_size},
    KeyRow{"model.pipeline_model_parallel_size", &T::pipeline_model_parallel_size},
    KeyRow{"model.virtual_pipeline_model_parallel_size", &T::virtual_pipeline_model_parallel_size},
    KeyRow{"model.microbatch_group_size_per_vp_stage", &T::microbatch_group_size_per_vp_stage},
    KeyRow{"model.context_parallel_size", &T::context_parallel_size},
    KeyRow{"model.cp_comm_type", kOtherContext},
    KeyRow{"model.expert_model_parallel_size", &T::expert_model_parallel_size},
    KeyRow{"model.expert_tensor_parallel_size", &T::expert_tensor_parallel_size},
    KeyRow{"model.sequence_parallel", &T::sequence_parallel},
    KeyRow{"model.recompute_granularity", &T::recompute_granularity},
    KeyRow{"model.recompute_method", &T::recompute_method},
    KeyRow{"model.recompute_num_layers", &T::recompute_num_layers},
    KeyRow{"model.recompute_modules", &T::recompute_modules},
    KeyRow{"model.enable_cuda_graph", &T::enable_cuda_graph},
    KeyRow{"model.cuda_graph_impl", &T::cuda_graph_impl},
    KeyRow{"model.cuda_graph_scope", &T::cuda_graph_scope},
    KeyRow{"model.cross_entropy_*", kSoftware},
    KeyRow{"model.gradient_accumulation_fusion", kSoftware},
    KeyRow{"tokenizer.vocab_size", &T::vocab_size},
    KeyRow{"tokenizer.tokenizer_type", &T::tokenizer},
    KeyRow{"tokenizer.*", kOutside},
    KeyRow{"train.micro_batch_size", &T::micro_batch_size},
    KeyRow{"train.global_batch_size", &T::global_batch_size},
    KeyRow{"train.rampup_batch_size", &T::rampup_batch_size},
    KeyRow{"train.train_iters", &T::train_iters},
    KeyRow{"train.train_samples", &T::train_samples},
    KeyRow{"train.exit_interval", &T::exit_interval},
    KeyRow{"train.*", kOutside},
    KeyRow{"dataset.seq_length", &T::seq_length},
    KeyRow{"dataset.sequence_length", &T::seq_length},
    KeyRow{"dataset.packed_sequence_specs.*", kPackedDocuments},
    KeyRow{"dataset.*", kOutside},
    KeyRow{"mixed_precision", &T::precision},
    KeyRow{"ddp.use_distributed_optimizer", &T::use_distributed_optimizer},
    KeyRow{"ddp.overlap_grad_reduce", &T::overlap_grad_reduce},
    KeyRow{"ddp.overlap_param_gather", &T::overlap_param_gather},
    KeyRow{"ddp.bucket_size", &T::bucket_size},
    KeyRow{"ddp.use_megatron_fsdp", &T::use_megatron_fsdp},
    KeyRow{"ddp.use_custom_fsdp", &T::use_megatron_fsdp},
    KeyRow{"ddp.data_parallel_sharding_strategy", &T::data_parallel_sharding_strategy},
    KeyRow{"ddp.outer_dp_sharding_strategy", &T::outer_dp_sharding_strategy},
    KeyRow{"ddp.num_distributed_optimizer_instances", &T::data_parallel_replicate_degree},
    KeyRow{"ddp.nccl_ub", kUserBuffers},
    KeyRow{"ddp.fsdp_double_buffer", kFsdpBuffers},
    KeyRow{"ddp.grad_reduce_in_fp32", Ignored{"mixed_precision's value is the one that counts"}},
    KeyRow{"dist.use_torch_fsdp2", &T::use_torch_fsdp2},
    KeyRow{"dist.use_megatron_fsdp", &T::use_megatron_fsdp},
    KeyRow{"dist.num_distributed_optimizer_instances", &T::data_parallel_replicate_degree},
    KeyRow{"dist.*", kOutside},
    KeyRow{"comm_overlap.tp_comm_overlap", &T::tp_comm_overlap},
    KeyRow{"comm_overlap.tp_comm_overlap_cfg", &T::tp_comm_overlap_cfg},
    KeyRow{"comm_overlap.overlap_p2p_comm", &T::overlap_p2p_comm},
    KeyRow{"comm_overlap.overlap_grad_reduce", &T::overlap_grad_reduce},
    KeyRow{"comm_overlap.overlap_param_gather", &T::overlap_param_gather},
    KeyRow{"comm_overlap.bucket_size", &T::bucket_size},
    KeyRow{"comm_overlap.defer_embedding_wgrad_compute", &T::defer_embedding_wgrad_compute},
    KeyRow{"comm_overlap.wgrad_deferral_limit", &T::wgrad_deferral_limit},
    KeyRow{"comm_overlap.overlap_moe_expert_parallel_comm", &T::overlap_moe_expert_parallel_comm},
    KeyRow{"comm_overlap.delay_wgrad_compute", &T::delay_wgrad_compute},
    KeyRow{"optimizer.use_distributed_optimizer", &T::use_distributed_optimizer},
    KeyRow{"optimizer.optimizer_cpu_offload", &T::optimizer_cpu_offload},
    KeyRow{"optimizer.optimizer_offload_fraction", &T::optimizer_offload_fraction},
    KeyRow{"optimizer.overlap_cpu_optimizer_d2h_h2d", &T::overlap_cpu_optimizer_d2h_h2d},
    KeyRow{"optimizer.optimizer",
           Refused{"Adam is simulated; --override optimizer.optimizer=adam takes it", "adam"}},
    KeyRow{"optimizer.use_precision_aware_optimizer", &T::use_precision_aware_optimizer},
    KeyRow{"optimizer.store_param_remainders", &T::store_param_remainders},
    KeyRow{"optimizer.main_params_dtype", &T::main_params_dtype},
    KeyRow{"optimizer.exp_avg_dtype", &T::exp_avg_dtype},
    KeyRow{"optimizer.exp_avg_sq_dtype", &T::exp_avg_sq_dtype},
    KeyRow{"optimizer.*", kLearned},
    KeyRow{"scheduler.*", kLearned},
    KeyRow{"rng.*", kLearned},
    KeyRow{"rerun_state_machine.*", kOutside},
    KeyRow{"logger.*", kOutside},
    KeyRow{"checkpoint.*", kOutside},
    KeyRow{"profiling.*", kOutside},
    KeyRow{"validation.*", kOutside},
    KeyRow{"ft.*", kOutside},
    KeyRow{"straggler.*", kOutside},
    KeyRow{"nvrx_straggler.*", kOutside},
};

/// The same keys where mixed_precision is written out instead of a recipe's name.
constexpr std::array kPrecisionKeys{
    KeyRow{"mixed_precision.bf16", &T::bf16},
    KeyRow{"mixed_precision.fp8", &T::fp8},
    KeyRow{"mixed_precision.fp8_recipe", &T::fp8_recipe},
    KeyRow{"mixed_precision.fp4", &T::fp4},
    KeyRow{"mixed_precision.fp4_recipe", &T::fp4_recipe},
    KeyRow{"mixed_precision.first_last_layers_bf16", &T::first_last_layers_bf16},
    KeyRow{"mixed_precision.num_layers_at_start_in_bf16", &T::num_layers_at_start_in_bf16},
    KeyRow{"mixed_precision.num_layers_at_end_in_bf16", &T::num_layers_at_end_in_bf16},
    KeyRow{"mixed_precision.fp8_param", &T::fp8_params},
    KeyRow{"mixed_precision.fp8_param_gather", &T::fp8_params},
    KeyRow{"mixed_precision.grad_reduce_in_fp32", &T::grad_reduce_in_fp32},
    KeyRow{"mixed_precision.*", Ignored{"the types of the usual BF16 or FP8 training are assumed"}},
};

/// The line before the configuration that Megatron-Bridge prints at start, and how the line behind
/// it starts.
constexpr std::string_view kTaskHead = "------- Task Configuration -------";
constexpr std::string_view kTaskEnd = "------";

bool is_console_log(std::string_view text) { return text.find(kTaskHead) != text.npos; }

/// The configuration in a console log, with as many empty lines before it as the log has, so that
/// places are the log's. What a launcher puts before each line goes; lines without it are others'.
std::string task_configuration(std::string_view text) {
  std::string out;
  std::optional<std::string_view> before;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t head = line.find(kTaskHead);
    if (before && line.starts_with(*before)) {
      line.remove_prefix(before->size());
      if (line.starts_with(kTaskEnd)) break;
      out += line;
    } else if (!before && head != line.npos) {
      before = line.substr(0, head);
    }
    out += '\n';
  }
  return out;
}

bool is_bridge(std::string_view text) {
  return is_console_log(text) || (has_top_key(text, "model") && has_top_key(text, "train"));
}

/// Words of a recipe's name, and Megatron's name of the recipe.
constexpr std::array kPrecisionWords{
    std::pair<std::string_view, std::string_view>{"mxfp8", "mxfp8"},
    std::pair<std::string_view, std::string_view>{"nvfp4", "nvfp4"},
    std::pair<std::string_view, std::string_view>{"delayed", "delayed"},
    std::pair<std::string_view, std::string_view>{"current", "tensorwise"},
    std::pair<std::string_view, std::string_view>{"subchannel", "blockwise"}};

/// A recipe's name: bf16_mixed, bf16_with_fp8_delayed_scaling_mixed, bf16_with_mxfp8_mixed, ...
void read_precision_name(RecipeTerms& terms) {
  if (!terms.precision) return;
  const Given<std::string>& given = *terms.precision;
  const auto fp8_by = [&](const std::string& recipe) {
    terms.fp8 = given;
    terms.fp8_recipe = given;
    terms.fp8_recipe->value = recipe;
  };
  for (const auto& [word, recipe] : kPrecisionWords) {
    if (given.value.find(word) == std::string::npos) continue;
    fp8_by(std::string(recipe));
    // Current scaling keeps the first and the last layer in BF16.
    if (recipe == "tensorwise") default_to(terms.first_last_layers_bf16, true, given.origin);
    if (recipe == "delayed" || recipe == "tensorwise")
      default_to(terms.fp8_params, true, given.origin + ": fp8_param_gather of that recipe");
    return;
  }
  if (given.value.find("fp8") != std::string::npos) fp8_by(given.value);
}

/// What CommOverlapConfig sets where it is there without other arguments.
void add_overlap_defaults(RecipeTerms& terms) {
  const std::string config = "CommOverlapConfig's default";
  default_to(terms.overlap_p2p_comm, true, config);
  default_to(terms.overlap_grad_reduce, true, config);
  default_to(terms.overlap_param_gather, true, config);
  default_to(terms.bucket_size, std::int64_t{128} << 20, config);
}

ImportedRecipe read_bridge(const ImportFile& file, const RecipeRequest& request,
                           const DataFolder& data) {
  const bool console = is_console_log(file.text);
  YamlNode tree = load_yaml_recipe(
      console ? ImportFile{file.path, task_configuration(file.text)} : file, request);
  take_layout(tree, "model.pipeline_model_parallel_layout");
  RecipeReading reading = bridge_reading(tree, without_value(request));
  // Keys over those of a recipe: all else is the named model's.
  RecipeTerms& terms = reading.terms;
  if (request.model && !terms.num_layers && !terms.model_class) {
    terms.model_class = Given<std::string>{*request.model, "--model", false, {file.path}};
    const std::string usual = "usual in Megatron-Bridge's recipes, of which these are overrides";
    default_to(terms.overlap_grad_reduce, true, usual);
    default_to(terms.overlap_param_gather, true, usual);
  }
  return imported_scenario("Megatron-Bridge configuration", reading, file, request, data);
}

}  // namespace

RecipeReading bridge_reading(const YamlNode& tree, WithoutValue unset) {
  const YamlNode* precision = tree.find("mixed_precision");
  const bool written_out = precision != nullptr && precision->kind == YamlNode::Kind::map;
  RecipeReading reading = read_recipe(tree, bridge_keys(written_out), KeyStyle::dotted, unset);
  RecipeTerms& terms = reading.terms;
  take_none(tree, "model.q_lora_rank", terms.q_lora_rank);
  take_none(tree, "model.mtp_num_layers", terms.mtp_num_layers);
  if (!terms.bf16 && !written_out)
    default_to(terms.precision, "bf16_mixed", "bf16_mixed, which Megatron-Bridge's recipes have");
  read_precision_name(terms);
  const YamlNode* overlap = tree.find("comm_overlap");
  if (overlap != nullptr && overlap->kind == YamlNode::Kind::map) add_overlap_defaults(terms);
  default_to(terms.use_distributed_optimizer, true, "Megatron-Bridge's default");
  default_to(terms.grad_reduce_in_fp32, true, "Megatron-Bridge's default");
  settle_tp_overlap(terms);
  add_adapter_defaults(lora_class_defaults(), terms);
  return reading;
}

std::vector<KeyRow> bridge_keys(bool precision_map) {
  static const CoreRows core("model.");
  std::vector<KeyRow> rows;
  rows.reserve(kBridgeKeys.size() + kPrecisionKeys.size() + core.rows().size() + kPeftKeys.size());
  for (const KeyRow& row : kBridgeKeys) {
    if (!precision_map || row.key != "mixed_precision") rows.push_back(row);
  }
  rows.insert(rows.end(), kPrecisionKeys.begin(), kPrecisionKeys.end());
  rows.insert(rows.end(), core.rows().begin(), core.rows().end());
  rows.insert(rows.end(), kPeftKeys.begin(), kPeftKeys.end());
  return rows;
}

const RecipeFormat kMegatronBridge{"megatron-bridge",
                                   "Megatron-Bridge configuration: YAML with model and train "
                                   "(run_config.yaml), or a console log with the task's",
                                   is_bridge, read_bridge};

}  // namespace simtrain
