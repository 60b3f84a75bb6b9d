#include <array>

#include <fmt/format.h>

#include "sim/core/input/number_text.h"
#include "sim/import/job/adapter_keys.h"
#include "sim/import/megatron/megatron_tree.h"
#include "sim/import/model/named_model.h"
#include "sim/import/scenario/scenario_text.h"
#include "sim/import/terms/term_findings.h"
#include "sim/import/yaml/hydra.h"
#include "sim/import/yaml/yaml_recipe.h"

namespace simtrain {
namespace {

using T = RecipeTerms;

constexpr Ignored kFsdpDetail{"a detail of FSDP, which is simulated as PyTorch has it"};
constexpr Ignored kTemplateVariables{"put in where they are used"};

constexpr Refused kOtherShape{
    "another shape than the named model's is not imported; --set model_overrides=... would do with "
    "--override \"~KEY\""};

constexpr std::array kFoundryKeys{
    KeyRow{"max_seq_len", &T::seq_length},
    KeyRow{"train_loader.dataset.max_seq_len", &T::seq_length},
    KeyRow{"global_train_batch_size", &T::global_batch_size},
    KeyRow{"device_train_microbatch_size", &T::micro_batch_size},
    KeyRow{"device_train_grad_accum", &T::gradient_accumulation_steps},
    KeyRow{"precision", &T::precision},
    KeyRow{"model.pretrained_model_name_or_path", &T::model_class},
    KeyRow{"model.d_model", &T::hidden_size},
    KeyRow{"model.n_layers", &T::num_layers},
    KeyRow{"model.n_heads", &T::num_attention_heads},
    KeyRow{"model.vocab_size", &T::padded_vocab_size},
    KeyRow{"model.ffn_config.ffn_hidden_size", &T::ffn_hidden_size},
    KeyRow{"model.ffn_config.ffn_type",
           Refused{"this FFN of LLM Foundry is not imported", "mptmlp"}},
    KeyRow{"model.ffn_config.mlp_type", &T::gated_linear_unit},
    KeyRow{"model.ffn_config.moe_num_experts", &T::num_moe_experts},
    KeyRow{"model.ffn_config.moe_top_k", &T::moe_router_topk},
    KeyRow{"model.ffn_config.moe_world_size", &T::expert_model_parallel_size},
    KeyRow{"model.ffn_config.ffn_act_fn.name", &T::activation},
    KeyRow{"model.attn_config.kv_n_heads", &T::num_query_groups},
    KeyRow{"model.attn_config.rope", &T::position_embedding_type},
    KeyRow{"model.attn_config.qk_ln", &T::qk_layernorm},
    KeyRow{"model.attn_config.sliding_window_size", &T::window_size},
    KeyRow{"model.attn_config.alibi", NotSimulated{"biases of scores by distance (ALiBi)"}},
    KeyRow{"model.attn_config.clip_qkv", NotSimulated{"queries, keys and values that are clipped"}},
    KeyRow{"model.attn_config.attn_impl", kSoftware},
    KeyRow{"model.attn_config.attn_type", kSoftware},
    KeyRow{"model.norm_type", &T::normalization},
    KeyRow{"model.tie_word_embeddings", &T::share_embeddings_and_output_weights},
    KeyRow{"model.no_bias", &T::add_bias_linear},
    KeyRow{"model.resid_pdrop", &T::hidden_dropout},
    KeyRow{"model.fc_type", kSoftware},
    KeyRow{"model.loss_fn", kSoftware},
    KeyRow{"model.max_seq_len", kRange},
    KeyRow{"model.config_overrides.max_seq_len", kRange},
    KeyRow{"model.config_overrides.num_hidden_layers", kOtherShape},
    KeyRow{"model.config_overrides.hidden_size", kOtherShape},
    KeyRow{"model.config_overrides.intermediate_size", kOtherShape},
    KeyRow{"model.config_overrides.num_attention_heads", kOtherShape},
    KeyRow{"model.config_overrides.num_key_value_heads", kOtherShape},
    KeyRow{"model.block_overrides", NotSimulated{"blocks that are unlike the others"}},
    KeyRow{"model.peft_config.peft_type", &T::peft_scheme},
    KeyRow{"model.peft_config.r", &T::peft_dim},
    KeyRow{"model.peft_config.target_modules", &T::peft_target_modules},
    KeyRow{"model.peft_config.*", kLearned},
    KeyRow{"model.*", kOutside},
    KeyRow{"peft_config.peft_type", &T::peft_scheme},
    KeyRow{"peft_config.r", &T::peft_dim},
    KeyRow{"peft_config.target_modules", &T::peft_target_modules},
    KeyRow{"peft_config.*", kLearned},
    KeyRow{"fsdp_config.sharding_strategy", &T::data_parallel_sharding_strategy},
    KeyRow{"fsdp_config.mixed_precision", &T::fsdp_grad_reduce_dtype},
    KeyRow{"fsdp_config.activation_checkpointing", &T::recompute},
    KeyRow{"fsdp_config.activation_checkpointing_target",
           Refused{"recomputation of some modules only is not imported; --set recompute=full, or "
                   "selective with recompute_modules, would do with --override "
                   "\"~fsdp_config.activation_checkpointing_target\""}},
    KeyRow{
        "fsdp_config.activation_checkpointing_reentrant",
        Refused{
            "whole layers run again then: --set hardware.recompute_early_stop=false says so, with "
            "--override fsdp_config.activation_checkpointing_reentrant=false",
            "false"}},
    KeyRow{"fsdp_config.activation_cpu_offload", kNoOffload},
    KeyRow{"fsdp_config.cpu_offload", &T::offload_state},
    KeyRow{"fsdp_config.*", kFsdpDetail},
    KeyRow{"tp_config", Refused{"tensor parallelism of Composer is not imported"}},
    KeyRow{"optimizer.name",
           Refused{"AdamW is simulated; --override optimizer.name=decoupled_adamw takes it",
                   "decoupled_adamw"}},
    KeyRow{"optimizer.*", kLearned},
    KeyRow{"scheduler.*", kLearned},
    KeyRow{"algorithms.*", kLearned},
    KeyRow{"compile_config.*", kSoftware},
    KeyRow{"variables.*", kTemplateVariables},
    KeyRow{"tokenizer.*", kOutside},
    KeyRow{"train_loader.dataset.packing_ratio", kPackedDocuments},
    KeyRow{"train_loader.*", kOutside},
    KeyRow{"eval_*", kOutside},
    KeyRow{"callbacks.*", kOutside},
    KeyRow{"loggers.*", kOutside},
    KeyRow{"save_*", kOutside},
    KeyRow{"load_*", kOutside},
    KeyRow{"max_duration", kOutside},
    KeyRow{"device_eval_*", kOutside},
    KeyRow{"run_name", kOutside},
    KeyRow{"seed", kLearned},
    KeyRow{"progress_bar", kOutside},
    KeyRow{"log_to_console", kOutside},
    KeyRow{"console_log_interval", kOutside},
};

/// Where Composer 0.23 keeps what was `fsdp_config` and `tp_config`.
void move_parallelism(YamlNode& tree) {
  for (const std::string name : {"fsdp", "tp"}) {
    const YamlNode* moved = find_yaml_value(tree, "parallelism_config." + name);
    if (moved == nullptr) continue;
    YamlNode value = *moved;
    set_yaml_value(tree, name + "_config", std::move(value));
  }
  std::erase_if(tree.entries,
                [](const YamlEntry& entry) { return entry.key == "parallelism_config"; });
}

/// The FFN of MPT by its ratio to the hidden size.
void settle_ratio(YamlNode& tree) {
  YamlNode* model = tree.find("model");
  if (model == nullptr) return;
  const YamlNode* ratio = model->find("expansion_ratio");
  const YamlNode* hidden = model->find("d_model");
  if (ratio == nullptr || hidden == nullptr) return;
  const double size =
      number_as<double>(ratio->text).value_or(0) * number_as<double>(hidden->text).value_or(0);
  if (!(size >= 1 && size <= 1e9)) return;
  YamlNode ffn = *ratio;
  ffn.text = fmt::format("{:.0f}", size);
  if (find_yaml_value(tree, "model.ffn_config.ffn_hidden_size") == nullptr)
    set_yaml_value(tree, "model.ffn_config.ffn_hidden_size", std::move(ffn));
  std::erase_if(tree.find("model")->entries,
                [](const YamlEntry& entry) { return entry.key == "expansion_ratio"; });
}

/// Takes the kind of the model away: an MPT by its sizes, or one of Hugging Face by its name.
void settle_kind(YamlNode& tree, const std::string& path) {
  YamlNode* model = tree.find("model");
  if (model == nullptr || model->kind != YamlNode::Kind::map)
    throw InputError({path}, "model", "must be a map of keys");
  const YamlNode* name = model->find("name");
  if (name == nullptr) return;
  if (name->text != "mpt_causal_lm" && name->text != "hf_causal_lm")
    throw InputError(name->place, "model.name",
                     fmt::format("'{}' is not modelled; mpt_causal_lm and hf_causal_lm are",
                                 plain_text(name->text.substr(0, 80))));
  if (text_at(tree, "model.attn_config.attn_type") == "multiquery_attention") {
    YamlNode one = *name;
    one.text = "1";
    set_yaml_value(tree, "model.attn_config.kv_n_heads", std::move(one));
  }
  std::erase_if(tree.find("model")->entries,
                [](const YamlEntry& entry) { return entry.key == "name"; });
}

void settle_foundry_tree(YamlNode& tree, const std::string& path) {
  move_parallelism(tree);
  settle_ratio(tree);
  settle_kind(tree, path);
  reword(tree, "device_train_microbatch_size", {{"auto", ""}});
  reword(tree, "device_train_grad_accum", {{"auto", ""}});
  reword(tree, "model.no_bias", {{"true", "false"}, {"false", "true"}});
  reword(tree, "model.attn_config.rope", {{"true", "rope"}, {"false", ""}});
  reword(tree, "model.attn_config.sliding_window_size", {{"-1", ""}});
  reword(tree, "model.norm_type",
         {{"low_precision_layernorm", "layernorm"}, {"low_precision_rmsnorm", "rmsnorm"}});
  if (const YamlNode* kind = find_yaml_value(tree, "model.ffn_config.ffn_type");
      kind != nullptr && kind->text == "mptglu")
    set_yaml_value(tree, "model.ffn_config.mlp_type", scalar_node("glu", kind->place));
  reword(tree, "model.ffn_config.mlp_type", {{"glu", "true"}, {"mlp", "false"}});
  reword(tree, "model.ffn_config.ffn_type",
         {{"mptglu", "mptmlp"},
          {"te_ln_mlp", "mptmlp"},
          {"mb_moe", "mptmlp"},
          {"mb_dmoe", "mptmlp"},
          {"torch_dmoe", "mptmlp"}});
  reword(tree, "fsdp_config.activation_checkpointing", {{"true", "full"}, {"false", "none"}});
  reword(tree, "fsdp_config.mixed_precision", {{"PURE", "bf16"}, {"DEFAULT", "fp32"}});
}

/// Words of FSDP1: whether parameters stay to the backward, and whether nodes are replicas.
struct FirstFsdpWay {
  std::string_view word;
  bool reshards;
  bool within_node;
};
constexpr std::array<FirstFsdpWay, 4> kWays{{{"FULL_SHARD", true, false},
                                             {"SHARD_GRAD_OP", false, false},
                                             {"HYBRID_SHARD", true, true},
                                             {"_HYBRID_SHARD_ZERO2", false, true}}};

void settle_composer_sharding(RecipeTerms& terms, bool sharded) {
  if (!sharded) {
    default_to(terms.sharding, "ddp", "no fsdp_config");
    return;
  }
  default_to(terms.data_parallel_sharding_strategy, "FULL_SHARD", "Composer's default");
  const Given<std::string>& word = *terms.data_parallel_sharding_strategy;
  if (word.value == "NO_SHARD") {
    terms.sharding = Given<std::string>{"ddp", word.origin, word.assumed, word.place};
    return;
  }
  for (const FirstFsdpWay& way : kWays) {
    if (way.word != word.value) continue;
    terms.sharding = Given<std::string>{"fsdp1", word.origin, word.assumed, word.place};
    terms.reshard_after_forward = Given<bool>{way.reshards, word.origin, word.assumed, word.place};
    if (way.within_node) terms.shards_within_node = Given<bool>{true, word.origin, false, {}};
    return;
  }
  throw InputError(word.place, word.origin,
                   fmt::format("'{}' is not modelled; FULL_SHARD, SHARD_GRAD_OP, HYBRID_SHARD, "
                               "_HYBRID_SHARD_ZERO2 or NO_SHARD would do",
                               plain_text(word.value.substr(0, 80))));
}

void add_foundry_defaults(RecipeTerms& terms, bool sharded) {
  const std::string mpt = "MPT's default";
  settle_composer_sharding(terms, sharded);
  default_to(terms.micro_batch_shrinks, true, "Composer");
  if (sharded) default_to(terms.fsdp_grad_reduce_dtype, "fp32", "Composer's default");
  if (terms.fsdp_grad_reduce_dtype) terms.grad_reduce_dtype = terms.fsdp_grad_reduce_dtype;
  default_to(terms.overlap_grad_reduce, true, "PyTorch reduces beside the backward");
  default_to(terms.bucket_cap_mb, 25, "PyTorch's default of DDP");
  if (terms.precision && terms.precision->value.find("fp8") != std::string::npos)
    terms.fp8 = terms.precision;
  add_adapter_defaults({8, "q_proj,v_proj", "PEFT's default"}, terms);
  if (terms.model_class) return;
  default_to(terms.normalization, "layernorm", mpt);
  default_to(terms.activation, "gelu", mpt);
  default_to(terms.gated_linear_unit, false, "mptmlp is not gated");
  default_to(terms.share_embeddings_and_output_weights, true, mpt);
  default_to(terms.add_bias_linear, true, mpt);
  default_to(terms.hidden_dropout, 0, mpt);
}

/// A run of MosaicML's platform, which holds the configuration.
bool is_platform_run(std::string_view text) {
  return has_top_key(text, "parameters") && !has_top_key(text, "model") &&
         text.find("global_train_batch_size:") != std::string_view::npos;
}

/// OLMo calls its batch as LLM Foundry does, and its model otherwise.
bool is_olmo(std::string_view text) {
  return text.find("weight_tying:") != std::string_view::npos ||
         text.find("block_type:") != std::string_view::npos;
}

bool is_llm_foundry(std::string_view text) {
  return (has_top_key(text, "model") && has_top_key(text, "global_train_batch_size") &&
          !is_olmo(text)) ||
         is_platform_run(text);
}

/// The configuration, and the GPUs that a run asks for.
YamlNode foundry_tree(const ImportFile& file, const RecipeRequest& request, WholeTerm& gpus) {
  if (!is_platform_run(file.text)) return load_yaml_recipe(file, request);
  const YamlNode run = load_yaml_text(file.text, file.path);
  for (const std::string_view key : {"gpu_num", "compute.gpus"}) {
    const YamlNode* given = find_yaml_value(run, key);
    const auto count = given != nullptr ? number_as<std::int64_t>(given->text) : std::nullopt;
    if (count && *count > 0)
      gpus = Given<std::int64_t>{*count, std::string(key), false, given->place};
  }
  YamlNode tree = *run.find("parameters");
  if (tree.kind != YamlNode::Kind::map)
    throw InputError(tree.place, "parameters", "must be a map of keys");
  apply_overrides(tree, request.overrides);
  return tree;
}

ImportedRecipe read_llm_foundry(const ImportFile& file, const RecipeRequest& request,
                                const DataFolder& data) {
  WholeTerm gpus;
  YamlNode tree = foundry_tree(file, request, gpus);
  settle_foundry_tree(tree, file.path);
  const YamlNode* fsdp = tree.find("fsdp_config");
  const bool sharded = fsdp != nullptr && fsdp->kind == YamlNode::Kind::map;
  RecipeReading reading = read_recipe(tree, kFoundryKeys, KeyStyle::dotted);
  if (gpus) reading.terms.world_size = gpus;
  require_named_model(reading.terms, request);
  add_foundry_defaults(reading.terms, sharded);
  return imported_scenario("LLM Foundry configuration", reading, file, request, data);
}

}  // namespace

const RecipeFormat kLlmFoundry{"llm-foundry",
                               "LLM Foundry configuration: YAML with model and "
                               "global_train_batch_size",
                               is_llm_foundry, read_llm_foundry};

}  // namespace simtrain
