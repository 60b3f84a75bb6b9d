#include "sim/import/maxtext/maxtext.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/core/files/yaml_file.h"
#include "sim/import/hugging_face/hugging_face_experts.h"
#include "sim/import/maxtext/base_shape.h"
#include "sim/import/maxtext/maxtext_command.h"
#include "sim/import/maxtext/mesh_axes.h"
#include "sim/import/megatron/command_line.h"
#include "sim/import/megatron/megatron_tree.h"
#include "sim/import/model/model_match.h"
#include "sim/import/model/named_model.h"
#include "sim/import/scenario/scenario_text.h"
#include "sim/import/shell/shell_script.h"
#include "sim/import/terms/term_findings.h"
#include "sim/import/yaml/hydra.h"
#include "sim/import/yaml/yaml_recipe.h"
#include "sim/workload/model/recipe.h"

namespace simtrain {
namespace {

using T = RecipeTerms;

constexpr Ignored kOfXla{"of the software stack (--software), which XLA compiles"};

constexpr std::array kMaxTextKeys{
    KeyRow{"model_name", &T::model_class},
    KeyRow{"per_device_batch_size", &T::per_device_batch_size},
    KeyRow{"gradient_accumulation_steps", &T::gradient_accumulation_steps},
    KeyRow{"max_target_length", &T::seq_length},
    KeyRow{"remat_policy", &T::recompute},
    KeyRow{"quantization", &T::fp8},
    KeyRow{"dtype", &T::precision},
    KeyRow{"weight_dtype",
           Refused{"weights of other types than FP32 are not modelled", "float32", true}},
    KeyRow{"base_emb_dim", &T::hidden_size},
    KeyRow{"base_num_decoder_layers", &T::num_layers},
    KeyRow{"base_num_query_heads", &T::num_attention_heads},
    KeyRow{"base_num_kv_heads", &T::num_query_groups},
    KeyRow{"base_mlp_dim", &T::ffn_hidden_size},
    KeyRow{"head_dim", &T::kv_channels},
    KeyRow{"mlp_activations", &T::activation},
    KeyRow{"decoder_block", &T::decoder_block},
    KeyRow{"vocab_size", &T::padded_vocab_size},
    KeyRow{"logits_via_embedding", &T::share_embeddings_and_output_weights},
    KeyRow{"num_experts", &T::num_moe_experts},
    KeyRow{"num_experts_per_tok", &T::moe_router_topk},
    KeyRow{"base_moe_mlp_dim", &T::moe_ffn_hidden_size},
    KeyRow{"use_qk_norm", &T::qk_layernorm},
    KeyRow{"sliding_window_size", &T::window_size},
    KeyRow{"q_lora_rank", &T::q_lora_rank},
    KeyRow{"kv_lora_rank", &T::kv_lora_rank},
    KeyRow{"qk_nope_head_dim", &T::qk_head_dim},
    KeyRow{"qk_rope_head_dim", &T::qk_pos_emb_head_dim},
    KeyRow{"v_head_dim", &T::v_head_dim},
    KeyRow{"first_num_dense_layers", &T::moe_first_dense},
    KeyRow{"routed_score_func", &T::moe_router_score_function},
    KeyRow{"shared_experts", &T::moe_shared_experts},
    KeyRow{"mtp_num_layers", &T::mtp_num_layers},
    KeyRow{"use_post_attn_norm", NotSimulated{"norms behind attention and FFN"}},
    KeyRow{"use_post_ffw_norm", NotSimulated{"norms behind attention and FFN"}},
    KeyRow{"attn_logits_soft_cap", NotSimulated{"caps of attention's and the output's values"}},
    KeyRow{"final_logits_soft_cap", NotSimulated{"caps of attention's and the output's values"}},
    KeyRow{"capacity_factor", &T::moe_expert_capacity_factor},
    KeyRow{"mu_dtype", &T::exp_avg_dtype},
    KeyRow{"opt_type", Refused{"Adam is simulated; --override opt_type=adamw takes it", "adamw"}},
    KeyRow{"optimizer_memory_host_offload", kNoOffload},
    KeyRow{"parameter_memory_host_offload", kNoOffload},
    KeyRow{"use_dpo", Refused{"pre-training is simulated", "", true}},
    KeyRow{"use_sft", Refused{"pre-training is simulated", "", true}},
    KeyRow{"logits_dot_in_fp32", NotSimulated{"the output layer in FP32"}},
    KeyRow{"global_parameter_scale", Ignored{"is in the sizes of the model"}},
    KeyRow{"num_slices", Ignored{"follows from the sizes of the dcn mesh"}},
    KeyRow{"attention", kOfXla},
    KeyRow{"scan_layers", kOfXla},
    KeyRow{"use_iota_embed", kOfXla},
    KeyRow{"megablox", kOfXla},
    KeyRow{"sparse_matmul", &T::moe_grouped_gemm},
    KeyRow{"hardware", kOfXla},
    KeyRow{"max_segments_per_seq", kOfXla},
    KeyRow{"fused_*", kOfXla},
    KeyRow{"base_config", Ignored{"taken in where it is there; else MaxText's own is assumed"}},
    KeyRow{"learning_rate*", kLearned},
    KeyRow{"adam_*", kLearned},
    KeyRow{"warmup_steps_fraction", kLearned},
    KeyRow{"gradient_clipping_threshold", kLearned},
    KeyRow{"enable_dropout", kLearned},
    KeyRow{"enable_*", kOutside},
    KeyRow{"async_checkpointing", kOutside},
    KeyRow{"checkpoint_*", kOutside},
    KeyRow{"dataset_*", kOutside},
    KeyRow{"tokenizer_*", kOutside},
    KeyRow{"monitor_*", kOutside},
    KeyRow{"save_*", kOutside},
    KeyRow{"profile*", kOutside},
    KeyRow{"skip_first_n_steps_for_profiler", kOutside},
    KeyRow{"steps", kOutside},
    KeyRow{"run_name", kOutside},
    KeyRow{"base_output_directory", kOutside},
    KeyRow{"reuse_example_batch", kOutside},
    KeyRow{"gcs_metrics", kOutside},
    KeyRow{"hf_*", kOutside},
};

/// Policies of MaxText that have another word in a scenario.
struct RematPolicy {
  std::string_view policy;
  std::string_view recompute;
};
constexpr std::array kOtherWords{RematPolicy{"minimal", "checkpoint_dots"},
                                 RematPolicy{"minimal_with_context", "minimal_flash"},
                                 RematPolicy{"save_dot_except_logits", "none"}};

/// All policies that are simulated: those whose word a scenario has too, then the others.
std::vector<std::string_view> known_policies() {
  std::vector<std::string_view> known{name_of(Recompute::full), name_of(Recompute::none)};
  for (const auto& [name, way] : EnumNames<Recompute>::rows) {
    if (is_of_maxtext(way)) known.push_back(name);
  }
  for (const RematPolicy& row : kOtherWords) known.push_back(row.policy);
  return known;
}

void settle_policy(RecipeTerms& terms) {
  default_to(terms.recompute, "full", kMaxTextBase);
  Given<std::string>& given = *terms.recompute;
  const std::vector<std::string_view> known = known_policies();
  if (std::find(known.begin(), known.end(), given.value) == known.end())
    throw InputError(given.place, given.origin,
                     fmt::format("'{}' is not modelled; --override remat_policy=full takes "
                                 "another, as do {}",
                                 plain_text(given.value.substr(0, 80)),
                                 fmt::join(known.begin() + 1, known.end(), ", ")));
  for (const RematPolicy& row : kOtherWords) {
    if (row.policy == given.value) {
      given.value = row.recompute;
      return;
    }
  }
}

/// Words of `quantization`, and Megatron's of the recipe for FP8.
constexpr std::array kQuantizations{
    std::pair<std::string_view, std::string_view>{"fp8", "delayed"},
    std::pair<std::string_view, std::string_view>{"nanoo_fp8", "delayed"},
    std::pair<std::string_view, std::string_view>{"te_fp8_delayedscaling", "delayed"},
    std::pair<std::string_view, std::string_view>{"te_fp8_currentscaling", "tensorwise"},
    std::pair<std::string_view, std::string_view>{"te_mxfp8", "mxfp8"},
    std::pair<std::string_view, std::string_view>{"te_nvfp4", "nvfp4"}};

void settle_quantization(RecipeTerms& terms) {
  if (!terms.fp8) return;
  const Given<std::string> given = *terms.fp8;
  const auto row = std::find_if(kQuantizations.begin(), kQuantizations.end(),
                                [&](const auto& one) { return one.first == given.value; });
  terms.fp8_recipe = given;  // another word is refused by its name
  if (row != kQuantizations.end()) terms.fp8_recipe->value = row->second;
}

/// What the code of a block does that no key says.
struct DecoderBlock {
  std::string_view name;
  bool is_gpt3 = false;  ///< norms with a mean, biases, learned positions
  int full_every = 0;    ///< the last of so many layers has no window; 0: no layer has one
  int layers = 1;        ///< that one of base_num_decoder_layers is
  bool qk_norm = false;
  bool latent = false;  ///< multi-latent attention, first layers without experts, shared experts
};
constexpr std::array kDecoderBlocks{
    DecoderBlock{"default"},
    DecoderBlock{"llama2"},
    DecoderBlock{"mistral"},
    DecoderBlock{"mixtral"},
    DecoderBlock{"qwen2"},
    DecoderBlock{"qwen3"},
    DecoderBlock{"qwen3_moe"},
    DecoderBlock{"gpt3", true},
    DecoderBlock{"gemma"},
    DecoderBlock{.name = "gemma2", .full_every = 2, .layers = 2},
    DecoderBlock{.name = "gemma3", .full_every = 6, .qk_norm = true},
    DecoderBlock{.name = "deepseek", .latent = true}};

/// The row of a block; null where there is none.
const DecoderBlock* decoder_block(std::string_view name) {
  const auto* const row = std::find_if(kDecoderBlocks.begin(), kDecoderBlocks.end(),
                                       [&](const DecoderBlock& one) { return one.name == name; });
  return row == kDecoderBlocks.end() ? nullptr : row;
}

/// Windows of Gemma's layers, of which one of the file may be two; no other block's keys give any.
void settle_decoder_layers(RecipeTerms& terms, const DecoderBlock& block,
                           const std::string& whose) {
  if (block.full_every == 0) terms.window_size.reset();
  if (terms.window_size) {
    YamlNode every;
    every.kind = YamlNode::Kind::scalar;
    every.text = std::to_string(block.full_every);
    terms.window_attn_skip_freq = Given<YamlNode>{std::move(every), whose, false, {}};
  }
  if (terms.num_layers && block.layers > 1 && terms.num_layers->value < 100000) {
    terms.num_layers->value *= block.layers;
    terms.num_layers->origin += fmt::format(" x {}, as {} has them", block.layers, block.name);
  }
  if (block.qk_norm) default_to(terms.qk_layernorm, true, whose);
}

/// DeepSeek's layers, which Hugging Face's configurations state in the same way.
void settle_latent_layers(RecipeTerms& terms, const std::string& whose) {
  default_to(terms.multi_latent_attention, true, whose);
  default_to(terms.q_lora_rank, 0, kMaxTextBase);
  terms.num_query_groups.reset();
  terms.kv_channels.reset();
  settle_hugging_face_experts(terms, TypeExperts::some, whose, "");
}

/// The shape that the keys of a model's file give, by the code that they are for.
void settle_decoder(RecipeTerms& terms) {
  if (terms.activation && terms.activation->value.ends_with(",linear")) {
    terms.activation->value.erase(terms.activation->value.find(','));
    default_to(terms.gated_linear_unit, true, terms.activation->origin);
    if (terms.activation->value == "gelu") {
      terms.activation->value = "swiglu";
      terms.activation->origin += kGatedGelu;
    }
  } else if (terms.activation) {
    default_to(terms.gated_linear_unit, false, terms.activation->origin);
  }
  if (!terms.decoder_block) return terms.window_size.reset();
  const Given<std::string>& given = *terms.decoder_block;
  const DecoderBlock* row = decoder_block(given.value);
  if (row == nullptr)
    throw InputError(given.place, given.origin,
                     fmt::format("'{}' is not modelled; --override decoder_block=llama2 takes "
                                 "layers of its sizes",
                                 plain_text(given.value.substr(0, 80))));
  settle_decoder_layers(terms, *row, given.origin);
  if (row->latent) settle_latent_layers(terms, given.origin);
  if (!row->is_gpt3) return;
  default_to(terms.normalization, "LayerNorm", given.origin);
  default_to(terms.position_embedding_type, "learned_absolute", given.origin);
  default_to(terms.add_bias_linear, true, given.origin);
}

/// The file of a model whose layers are of none of these kinds is that of its name, with the
/// activation of its code.
void settle_own_file(RecipeTerms& terms, const std::string& path) {
  if (!terms.decoder_block || decoder_block(terms.decoder_block->value) != nullptr) return;
  const Given<std::string> file{
      std::filesystem::path(path).stem().string(), "the file's name", false, {path}};
  const Given<std::string> model = terms.model_class.value_or(file);
  if (!named_model(model.value)) return;
  terms.model_class = model;
  terms.decoder_block.reset();
  terms.activation.reset();
}

/// Experts whose products are not sparse: each token goes through all of them, or, with a capacity,
/// through buffers of as many rows.
void settle_dense_products(RecipeTerms& terms, const DataFolder& data) {
  const FlagTerm sparse = terms.moe_grouped_gemm;
  terms.moe_grouped_gemm.reset();
  const auto named = terms.model_class ? named_model(terms.model_class->value) : std::nullopt;
  if (!sparse || sparse->value || !names_mixture({{"model", named.value_or(""), ""}}, terms, data))
    return;
  if (!terms.moe_expert_capacity_factor)
    throw InputError(sparse->place, sparse->origin,
                     "is false, so that each token goes through all experts, which is not "
                     "modelled; --override sparse_matmul=true takes grouped products, --override "
                     "+capacity_factor=F buffers");
  default_to(terms.moe_pad_expert_input_to_capacity, true, sparse->origin);
}

void add_maxtext_defaults(RecipeTerms& terms) {
  default_to(terms.mtp_num_layers, 0, kMaxTextBase);
  default_to(terms.sharding, "xla_fsdp", "XLA partitions what MaxText shards");
  default_to(terms.precision, "bfloat16", kMaxTextBase);
  default_to(terms.grad_reduce_dtype, "fp32", "MaxText keeps weights and gradients in FP32");
  default_to(terms.overlap_grad_reduce, true, "XLA reduces beside the backward");
  default_to(terms.gradient_accumulation_steps, 1, kMaxTextBase);
  default_to(terms.per_device_batch_size, 12, kMaxTextBase);
  default_to(terms.seq_length, 2048, kMaxTextBase);
  default_to(terms.moe_token_dispatcher_type, "alltoall", "XLA exchanges tokens so");
  default_to(terms.moe_grouped_gemm, true, "MaxText's default, megablox");
  if (terms.model_class) return;
  default_to(terms.gated_linear_unit, true, kMaxTextBase);
  default_to(terms.normalization, "RMSNorm", kMaxTextBase);
  default_to(terms.position_embedding_type, "rope", kMaxTextBase);
  default_to(terms.share_embeddings_and_output_weights, false, kMaxTextBase);
  default_to(terms.add_bias_linear, false, kMaxTextBase);
  default_to(terms.hidden_dropout, 0, kMaxTextBase);
}

}  // namespace

bool matters_to_maxtext(std::string_view key) {
  const KeyRow* row = exact_row(kMaxTextKeys, key);
  return row == nullptr || !std::holds_alternative<Ignored>(row->meaning);
}

RecipeReading read_maxtext(YamlNode tree, const RecipeRequest& request, const ImportFile& file,
                           const DataFolder& data) {
  reword(tree, "opt_type", {{"adam_pax", "adamw"}});
  reword(tree, "capacity_factor", {{"-1", ""}, {"-1.0", ""}});
  RecipeReading axes;
  take_mesh_axes(tree, request, file, data, axes);
  RecipeReading reading = read_recipe(tree, kMaxTextKeys, KeyStyle::dotted);
  RecipeTerms& terms = reading.terms;
  for (WholeTerm RecipeTerms::*const term :
       {&T::tensor_model_parallel_size, &T::context_parallel_size, &T::expert_model_parallel_size,
        &T::data_parallel_replicate_degree, &T::num_nodes})
    terms.*term = axes.terms.*term;
  terms.sequence_parallel = axes.terms.sequence_parallel;
  reading.taken += axes.taken;
  reading.left_out.insert(axes.left_out.begin(), axes.left_out.end());
  if (terms.model_class && terms.model_class->value == "default") terms.model_class.reset();
  settle_own_file(terms, file.path);
  require_named_model(terms, request);
  settle_scale(terms, tree);
  add_base_shape(terms, request);
  settle_dense_products(terms, data);
  settle_policy(terms);
  settle_quantization(terms);
  settle_decoder(terms);
  add_maxtext_defaults(terms);
  return reading;
}

namespace {

constexpr std::array<std::string_view, 6> kMaxtextOwnKeys{
    "per_device_batch_size", "max_target_length",    "ici_fsdp_parallelism",
    "dcn_fsdp_parallelism",  "dcn_data_parallelism", "base_emb_dim"};

bool is_maxtext_yaml(std::string_view text) {
  return std::any_of(kMaxtextOwnKeys.begin(), kMaxtextOwnKeys.end(),
                     [&](std::string_view key) { return has_top_key(text, key); });
}

/// A launch script, which gives keys as words: `per_device_batch_size=4`, or starts MaxText's
/// program with a configuration that has them.
bool is_maxtext_script(std::string_view text) {
  const auto has = [&](std::string_view part) { return text.find(part) != std::string_view::npos; };
  if ((has("MaxText.train ") || has("MaxText/train.py ")) && has(".yml")) return true;
  return std::any_of(kMaxtextOwnKeys.begin(), kMaxtextOwnKeys.end(), [&](std::string_view key) {
    const std::string word = std::string(key) + "=";
    return has(" " + word) || has("\n" + word);
  });
}

bool is_maxtext(std::string_view text) { return is_maxtext_yaml(text) || is_maxtext_script(text); }

ImportedRecipe read_maxtext_file(const ImportFile& file, const RecipeRequest& request,
                                 const DataFolder& data) {
  const bool yaml = is_maxtext_yaml(file.text);
  ShellScript script;
  if (!yaml) script = read_script(file.text, file.path, {.arguments = request.arguments});
  YamlNode tree = yaml ? load_yaml_text(file.text, file.path) : maxtext_tree(script, file, request);
  if (tree.kind != YamlNode::Kind::map)
    throw InputError({file.path}, "", "is no map of keys; a recipe was expected");
  const std::optional<std::string> missing = take_in_bases(tree, file.path, request.defaults);
  apply_overrides(tree, request.overrides);
  RecipeReading reading = read_maxtext(std::move(tree), request, file, data);
  read_environment(script, reading);
  note_unread(script, reading);
  note_other_commands(script, missing, reading);
  return imported_scenario(yaml ? "MaxText configuration" : "MaxText command line", reading, file,
                           request, data);
}

}  // namespace

const RecipeFormat kMaxText{"maxtext",
                            "MaxText configuration: YAML with per_device_batch_size or "
                            "ici_fsdp_parallelism, or a script that gives such keys",
                            is_maxtext, read_maxtext_file};

}  // namespace simtrain
