#include <array>

#include <fmt/format.h>

#include "sim/import/deepspeed/deepspeed.h"
#include "sim/import/scenario/scenario_text.h"
#include "sim/import/terms/term_findings.h"
#include "sim/import/yaml/yaml_recipe.h"

namespace simtrain {
namespace {

using T = RecipeTerms;

constexpr std::array kNanotronKeys{
    KeyRow{"model.model_config.num_hidden_layers", &T::num_layers},
    KeyRow{"model.model_config.hidden_size", &T::hidden_size},
    KeyRow{"model.model_config.intermediate_size", &T::ffn_hidden_size},
    KeyRow{"model.model_config.num_attention_heads", &T::num_attention_heads},
    KeyRow{"model.model_config.num_key_value_heads", &T::num_query_groups},
    KeyRow{"model.model_config.head_dim", &T::kv_channels},
    KeyRow{"model.model_config.vocab_size", &T::vocab_size},
    KeyRow{"model.model_config.hidden_act", &T::activation},
    KeyRow{"model.model_config.tie_word_embeddings", &T::share_embeddings_and_output_weights},
    KeyRow{"model.model_config.is_llama_config", &T::gated_linear_unit},
    KeyRow{"model.model_config.is_qwen2_config", &T::add_qkv_bias},
    KeyRow{"model.model_config.moe_config", Refused{"experts of nanotron are not imported"}},
    KeyRow{"model.model_config.moe_num_experts",
           Refused{"experts of nanotron are not imported", "1"}},
    KeyRow{"model.model_config.attention_bias", &T::attention_bias},
    KeyRow{"model.model_config.sliding_window_size", &T::window_size},
    KeyRow{"model.model_config._use_doc_masking", kPackedDocuments},
    KeyRow{"model.model_config._*", kSoftware},
    KeyRow{"model.model_config.max_position_embeddings", kRange},
    KeyRow{"model.model_config.use_cache", kOutside},
    KeyRow{"model.model_config.bos_token_id", kOutside},
    KeyRow{"model.model_config.eos_token_id", kOutside},
    KeyRow{"model.model_config.pad_token_id", kOutside},
    KeyRow{"model.model_config.pretraining_tp", kOutside},
    KeyRow{"model.model_config.initializer_range", kLearned},
    KeyRow{"model.model_config.rms_norm_eps", kLearned},
    KeyRow{"model.model_config.rope_*", kLearned},
    KeyRow{"model.model_config.no_rope_layer", kLearned},
    KeyRow{"model.model_config.z_loss*", kLearned},
    KeyRow{"model.make_vocab_size_divisible_by", &T::make_vocab_size_divisible_by},
    KeyRow{"model.dtype", &T::precision},
    KeyRow{"model.ddp_bucket_cap_mb", &T::bucket_cap_mb},
    KeyRow{"model.init_method.*", kLearned},
    KeyRow{"tokens.sequence_length", &T::seq_length},
    KeyRow{"tokens.micro_batch_size", &T::micro_batch_size},
    KeyRow{"tokens.batch_accumulation_per_replica", &T::gradient_accumulation_steps},
    KeyRow{"tokens.train_steps", &T::train_iters},
    KeyRow{"tokens.*", kOutside},
    KeyRow{"parallelism.dp", &T::data_parallel_shard_degree},
    KeyRow{"parallelism.tp", &T::tensor_model_parallel_size},
    KeyRow{"parallelism.pp", &T::pipeline_model_parallel_size},
    KeyRow{"parallelism.context_parallel_size", &T::context_parallel_size},
    KeyRow{"parallelism.expert_parallel_size", &T::expert_model_parallel_size},
    KeyRow{"parallelism.pp_engine", Refused{"this pipeline schedule is not modelled; --override "
                                            "parallelism.pp_engine=1f1b takes another",
                                            "1f1b"}},
    KeyRow{"parallelism.tp_mode", &T::sequence_parallel},
    KeyRow{"parallelism.tp_linear_async_communication",
           NotSimulated{"collectives of TP that run beside GEMMs in nanotron's way"}},
    KeyRow{"parallelism.recompute_layer", &T::recompute},
    KeyRow{"parallelism.*", kOutside},
    KeyRow{"optimizer.zero_stage", &T::sharding},
    KeyRow{"optimizer.accumulate_grad_in_fp32", &T::grad_reduce_in_fp32},
    KeyRow{"optimizer.optimizer_factory.name",
           Refused{"AdamW is simulated; --override optimizer.optimizer_factory.name=adamW takes it",
                   "adamW"}},
    KeyRow{"optimizer.*", kLearned},
    KeyRow{"checkpoints.*", kOutside},
    KeyRow{"data_stages*", kOutside},
    KeyRow{"general.*", kOutside},
    KeyRow{"logging.*", kOutside},
    KeyRow{"profiler*", kOutside},
    KeyRow{"tokenizer.*", kOutside},
    KeyRow{"s3_upload*", kOutside},
};

/// The GPUs of the job are the product of its degrees; of another number of nodes, DP is another.
void settle_ranks(RecipeTerms& terms) {
  if (!terms.data_parallel_shard_degree) return;
  double gpus = static_cast<double>(terms.data_parallel_shard_degree->value);
  for (const WholeTerm& term : {terms.tensor_model_parallel_size,
                                terms.pipeline_model_parallel_size, terms.context_parallel_size}) {
    if (term) gpus *= static_cast<double>(term->value);
  }
  if (gpus >= 1 && gpus <= 1e9)
    terms.world_size =
        Given<std::int64_t>{static_cast<std::int64_t>(gpus), "parallelism, dp x tp x pp", false,
                            terms.data_parallel_shard_degree->place};
  terms.data_parallel_shard_degree.reset();
}

void add_nanotron_defaults(RecipeTerms& terms, const std::string& path) {
  const std::string whose = "nanotron's default";
  if (!holds(terms.gated_linear_unit) && !holds(terms.add_qkv_bias))
    throw InputError({path}, "model.model_config",
                     "is of no Llama or Qwen 2 (is_llama_config: true), which are imported");
  terms.gated_linear_unit.reset();
  if (terms.attention_bias && holds(terms.add_qkv_bias)) terms.add_qkv_bias = terms.attention_bias;
  terms.attention_bias.reset();
  settle_ranks(terms);
  if (terms.sharding && terms.sharding->value != "0" && terms.sharding->value != "1")
    throw InputError(terms.sharding->place, terms.sharding->origin, "is no 0 or 1");
  default_to(terms.overlap_grad_reduce, true, "PyTorch's hooks");
  settle_zero_stage(terms);
  if (!terms.grad_reduce_in_fp32) default_to(terms.grad_reduce_in_fp32, true, whose);
  terms.grad_reduce_dtype.reset();
  default_to(terms.activation, "silu", whose);
  default_to(terms.normalization, "RMSNorm", whose);
  default_to(terms.position_embedding_type, "rope", whose);
  default_to(terms.add_bias_linear, false, whose);
  default_to(terms.hidden_dropout, 0, whose);
  default_to(terms.make_vocab_size_divisible_by, 1, whose);
}

bool is_nanotron(std::string_view text) {
  return has_top_key(text, "tokens") && has_top_key(text, "parallelism") &&
         has_top_key(text, "model");
}

ImportedRecipe read_nanotron(const ImportFile& file, const RecipeRequest& request,
                             const DataFolder& data) {
  YamlNode tree = load_yaml_recipe(file, request);
  // An evaluation has degrees of its own.
  const bool evaluates = std::erase_if(tree.entries, [](const YamlEntry& entry) {
                           return entry.key == "lighteval";
                         }) > 0;
  reword(tree, "parallelism.tp_mode", {{"REDUCE_SCATTER", "true"}, {"ALL_REDUCE", "false"}});
  reword(tree, "parallelism.recompute_layer", {{"true", "full"}, {"false", "none"}});
  reword(tree, "parallelism.pp_engine", {{"1F1B", "1f1b"}});
  RecipeReading reading = read_recipe(tree, kNanotronKeys, KeyStyle::dotted);
  if (evaluates) ++reading.ignored[std::string(kOutside.why)]["lighteval"];
  add_nanotron_defaults(reading.terms, file.path);
  return imported_scenario("nanotron configuration", reading, file, request, data);
}

}  // namespace

const RecipeFormat kNanotron{"nanotron",
                             "nanotron configuration: YAML with model, tokens and parallelism",
                             is_nanotron, read_nanotron};

}  // namespace simtrain
