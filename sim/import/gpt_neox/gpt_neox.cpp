#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "sim/core/input/number_text.h"
#include "sim/import/deepspeed/deepspeed.h"
#include "sim/import/megatron/megatron_tree.h"
#include "sim/import/scenario/scenario_text.h"
#include "sim/import/yaml/hydra.h"
#include "sim/import/yaml/yaml_recipe.h"

namespace simtrain {
namespace {

using T = RecipeTerms;

constexpr std::array kNeoxKeys{
    KeyRow{"num_layers", &T::num_layers},
    KeyRow{"hidden_size", &T::hidden_size},
    KeyRow{"intermediate_size", &T::ffn_hidden_size},
    KeyRow{"mlp_multiple_of", Ignored{"is in the size of the FFN"}},
    KeyRow{"num_attention_heads", &T::num_attention_heads},
    KeyRow{"num_kv_heads", &T::num_query_groups},
    KeyRow{"seq_length", &T::seq_length},
    KeyRow{"max_position_embeddings", kRange},
    KeyRow{"make_vocab_size_divisible_by", &T::make_vocab_size_divisible_by},
    KeyRow{"padded_vocab_size", &T::padded_vocab_size},
    KeyRow{"tokenizer_type", &T::tokenizer},
    KeyRow{"vocab_file", &T::tokenizer_model},
    KeyRow{"sliding_window_width", &T::window_size},
    KeyRow{"gas", &T::gradient_accumulation_steps},
    KeyRow{"activation", &T::activation},
    KeyRow{"norm", &T::normalization},
    KeyRow{"pos_emb", &T::position_embedding_type},
    KeyRow{"rotary_pct", &T::rotary_percent},
    KeyRow{"no_weight_tying", &T::untie_embeddings_and_output_weights},
    KeyRow{"use_bias_in_attn_linear", &T::add_bias_linear},
    KeyRow{"hidden_dropout", &T::hidden_dropout},
    KeyRow{"gpt_j_residual", NotSimulated{"attention and FFN side by side"}},
    KeyRow{"pipe_parallel_size", &T::pipeline_model_parallel_size},
    KeyRow{"model_parallel_size", &T::tensor_model_parallel_size},
    KeyRow{"context_parallel_size", &T::context_parallel_size},
    KeyRow{"sequence_parallel", &T::sequence_parallel},
    KeyRow{"checkpoint_activations", &T::recompute},
    KeyRow{"checkpoint_num_layers", &T::recompute_num_layers},
    KeyRow{"precision", &T::precision},
    KeyRow{"fp32_allreduce", &T::grad_reduce_in_fp32},
    KeyRow{"train_iters", &T::train_iters},
    KeyRow{"moe_num_experts", Refused{"experts of GPT-NeoX are not imported", "1"}},
    KeyRow{"attention_config", kSoftware},
    KeyRow{"attention_softmax_in_fp32", kSoftware},
    KeyRow{"scaled_upper_triang_masked_softmax_fusion", kSoftware},
    KeyRow{"scaled_masked_softmax_fusion", kSoftware},
    KeyRow{"bias_gelu_fusion", kSoftware},
    KeyRow{"rope_fusion", kSoftware},
    KeyRow{"layernorm_fusion", kSoftware},
    KeyRow{"rmsnorm_fusion", kSoftware},
    KeyRow{"partition_activations", NotSimulated{"kept activations that are split over TP"}},
    KeyRow{"init_method*", kLearned},
    KeyRow{"output_layer_init_method", kLearned},
    KeyRow{"min_lr", kLearned},
    KeyRow{"lr_*", kLearned},
    KeyRow{"warmup", kLearned},
    KeyRow{"weight_decay", kLearned},
    KeyRow{"attention_dropout", kLearned},
    KeyRow{"rotary_emb_base", kLearned},
    KeyRow{"rms_norm_epsilon", kLearned},
    KeyRow{"layernorm_epsilon", kLearned},
    KeyRow{"data_*", kOutside},
    KeyRow{"eval_*", kOutside},
    KeyRow{"log_*", kOutside},
    KeyRow{"checkpoint_factor", kOutside},
    KeyRow{"tensorboard_dir", kOutside},
    KeyRow{"save", kOutside},
    KeyRow{"load", kOutside},
    KeyRow{"split", kOutside},
    KeyRow{"distributed_backend", kOutside},
};

/// The FFN of a gated activation is a third of what GPT-NeoX calls its size, four times the hidden
/// size where it is not given, in multiples of mlp_multiple_of (megatron/model/transformer.py).
void settle_gated_size(YamlNode& tree) {
  const YamlNode* activation = tree.find("activation");
  if (activation == nullptr || activation->text != "swiglu") return;
  const SourcePlace place = activation->place;
  const auto number = [&](std::string_view key) {
    return std::clamp<std::int64_t>(number_as<std::int64_t>(text_at(tree, key)).value_or(0), 0,
                                    1'000'000'000);
  };
  const std::int64_t given = number("intermediate_size");
  const std::int64_t whole = given > 0 ? given : 4 * number("hidden_size");
  const std::int64_t of = std::max<std::int64_t>(1, number("mlp_multiple_of"));
  const std::int64_t inner = whole * 2 / 3 / 2;
  if (inner > 0)
    set_yaml_value(tree, "intermediate_size",
                   scalar_node(std::to_string((inner + of - 1) / of * of), place));
}

/// Layers of a kind whose every query sees all keys before it are simulated, by whichever kernel.
void refuse_other_layers(const YamlNode& kinds) {
  for (const YamlNode& item : kinds.items) refuse_other_layers(item);
  constexpr std::array<std::string_view, 3> kKnown{"global", "flash", "all"};
  const bool word = kinds.kind == YamlNode::Kind::scalar && !number_as<std::int64_t>(kinds.text);
  if (!word || std::find(kKnown.begin(), kKnown.end(), kinds.text) != kKnown.end()) return;
  throw InputError(kinds.place, "attention_config",
                   fmt::format("'{}' layers of GPT-NeoX are not imported; --override "
                               "\"~attention_config\" takes attention to all keys",
                               plain_text(kinds.text.substr(0, 80))));
}

/// Keys go by both signs: `pipe-parallel-size` is `pipe_parallel_size`.
void settle_neox_tree(YamlNode& tree) {
  for (YamlEntry& entry : tree.entries) std::replace(entry.key.begin(), entry.key.end(), '-', '_');
  settle_deepspeed_tree(tree);
  settle_gated_size(tree);
  if (const YamlNode* kinds = tree.find("attention_config")) refuse_other_layers(*kinds);
  reword(tree, "precision", {{"bfloat16", "bf16"}, {"float16", "fp16"}, {"float32", "fp32"}});
  reword(tree, "pipe_parallel_size", {{"0", "1"}});
  reword(tree, "model_parallel_size", {{"0", "1"}});
  reword(tree, "checkpoint_activations",
         {{"true", "full"}, {"True", "full"}, {"false", "none"}, {"False", "none"}});
  reword(tree, "pos_emb", {{"rotary", "rope"}, {"learned", "learned_absolute"}});
}

/// What GPT-NeoX takes where its configuration is silent.
void add_neox_defaults(RecipeTerms& terms, const std::string& path) {
  const std::string neox = "GPT-NeoX's default";
  const std::string vocabulary = terms.tokenizer_model ? terms.tokenizer_model->value : "";
  if (vocabulary.ends_with("20B_tokenizer.json")) terms.tokenizer = terms.tokenizer_model;
  default_to(terms.tokenizer, "GPT2BPETokenizer", neox);
  default_to(terms.normalization, "layernorm", neox);
  default_to(terms.activation, "gelu", neox);
  default_to(terms.add_bias_linear, true, neox);
  default_to(terms.hidden_dropout, 0, neox);
  default_to(terms.untie_embeddings_and_output_weights, false, neox);
  if (!terms.precision) terms.precision = Given<std::string>{"fp16", neox, true, {path}};
}

bool is_neox(std::string_view text) {
  for (const std::string_view key : {"pipe_parallel_size", "pipe-parallel-size"}) {
    if (text.find("\"" + std::string(key) + "\"") != std::string_view::npos ||
        has_top_key(text, key))
      return true;
  }
  return false;
}

ImportedRecipe read_neox(const ImportFile& file, const RecipeRequest& request,
                         const DataFolder& data) {
  YamlNode tree = load_yaml_recipe(file, request);
  settle_neox_tree(tree);
  static const std::vector<KeyRow> rows = [] {
    std::vector<KeyRow> all(kNeoxKeys.begin(), kNeoxKeys.end());
    all.insert(all.end(), deepspeed_keys().begin(), deepspeed_keys().end());
    return all;
  }();
  RecipeReading reading = read_recipe(tree, rows, KeyStyle::dotted);
  if (FlagTerm& whole = reading.terms.grad_reduce_in_fp32; whole) {
    if (whole->value)
      reading.terms.grad_reduce_dtype =
          Given<std::string>{"fp32", whole->origin, false, whole->place};
    whole.reset();
  }
  settle_deepspeed(reading.terms);
  add_neox_defaults(reading.terms, file.path);
  return imported_scenario("GPT-NeoX configuration", reading, file, request, data);
}

}  // namespace

const RecipeFormat kGptNeox{"gpt-neox", "GPT-NeoX configuration: YAML with pipe_parallel_size",
                            is_neox, read_neox};

}  // namespace simtrain
