#include "sim/import/model/block_shape.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/core/input/number_text.h"
#include "sim/core/input/text_parts.h"
#include "sim/import/model/layer_shape.h"

namespace simtrain {
namespace {

/// A size of a map of sizes, and its value where a recipe leaves it to Megatron Core.
struct SizeTerm {
  std::string_view key;
  WholeTerm RecipeTerms::*term;
  std::int64_t usual;
};
constexpr std::array<SizeTerm, 5> kLatentSizes{
    {{"q_lora_rank", &RecipeTerms::q_lora_rank, 512},
     {"kv_lora_rank", &RecipeTerms::kv_lora_rank, 512},
     {"qk_head_dim", &RecipeTerms::qk_head_dim, 128},
     {"qk_pos_emb_head_dim", &RecipeTerms::qk_pos_emb_head_dim, 64},
     {"v_head_dim", &RecipeTerms::v_head_dim, 128}}};

constexpr std::array<SizeTerm, 5> kDeltaSizes{
    {{"linear_num_key_heads", &RecipeTerms::linear_num_key_heads, 16},
     {"linear_num_value_heads", &RecipeTerms::linear_num_value_heads, 32},
     {"linear_key_head_dim", &RecipeTerms::linear_key_head_dim, 128},
     {"linear_value_head_dim", &RecipeTerms::linear_value_head_dim, 128},
     {"linear_conv_kernel_dim", &RecipeTerms::linear_conv_kernel_dim, 4}}};

/// Those of DeepSeek-V3.2, which Megatron Core leaves to the recipe.
constexpr std::array<SizeTerm, 3> kIndexerSizes{
    {{"dsa_indexer_n_heads", &RecipeTerms::dsa_indexer_n_heads, 64},
     {"dsa_indexer_head_dim", &RecipeTerms::dsa_indexer_head_dim, 128},
     {"dsa_indexer_topk", &RecipeTerms::dsa_indexer_topk, 2048}}};

/// Sizes as a map, of which one that is 0 is left out.
template <std::size_t Count>
Finding sizes_of(const std::string& key, const RecipeTerms& terms,
                 const std::array<SizeTerm, Count>& sizes, const std::string& head) {
  std::vector<std::string> values;
  std::vector<std::string> origins;
  std::vector<std::string_view> silent;
  values.reserve(Count);
  origins.reserve(Count + 1);
  silent.reserve(Count);
  if (!head.empty()) origins.push_back(head);
  bool assumed = false;
  for (const SizeTerm& size : sizes) {
    const WholeTerm& term = terms.*size.term;
    const std::int64_t value = term ? term->value : size.usual;
    if (value > 0) values.push_back(fmt::format("{}: {}", size.key, value));
    if (term && !term->assumed) origins.push_back(term->origin);
    if (!term) silent.push_back(size.key);
    assumed = assumed || !term || term->assumed;
  }
  std::string origin = fmt::format("{}", fmt::join(origins, ", "));
  if (!silent.empty())
    origin += fmt::format("; Megatron Core's default of {}", fmt::join(silent, ", "));
  return {key, fmt::format("{{{}}}", fmt::join(values, ", ")), origin, assumed};
}

/// Twice the hidden size, in heads.
std::int64_t usual_mamba_heads(const RecipeTerms& terms) {
  const std::int64_t head = terms.mamba_head_dim ? terms.mamba_head_dim->value : 64;
  const std::int64_t hidden = terms.hidden_size ? terms.hidden_size->value : 0;
  return 2 * hidden / std::max<std::int64_t>(1, head);
}

Finding mamba_of(const RecipeTerms& terms) {
  const std::array<SizeTerm, 4> sizes{
      {{"mamba_num_heads", &RecipeTerms::mamba_num_heads, usual_mamba_heads(terms)},
       {"mamba_head_dim", &RecipeTerms::mamba_head_dim, 64},
       {"mamba_state_dim", &RecipeTerms::mamba_state_dim, 128},
       {"mamba_num_groups", &RecipeTerms::mamba_num_groups, 8}}};
  return sizes_of("mamba", terms, sizes, terms.hybrid_override_pattern->origin);
}

void add_flag(std::vector<Finding>& shape, const std::string& key, const FlagTerm& term) {
  if (term) shape.push_back({key, term->value ? "true" : "false", term->origin, term->assumed});
}

void add_softmax(std::vector<Finding>& shape, const RecipeTerms& terms) {
  if (!terms.softmax_type) return;
  const Given<std::string>& given = *terms.softmax_type;
  const auto names = all_names<SoftmaxType>();
  if (std::find(names.begin(), names.end(), given.value) == names.end())
    throw InputError(given.place, given.origin,
                     fmt::format("'{}' is not modelled; one of {} would do",
                                 plain_text(given.value.substr(0, 80)), fmt::join(names, ", ")));
  shape.push_back({"softmax_type", given.value, given.origin, given.assumed});
}

/// "(127, 0)", "127,0", "128": its numbers; empty where it has others.
std::vector<std::int64_t> numbers_of_window(std::string text) {
  std::erase_if(text,
                [](char c) { return c == ' ' || c == '(' || c == ')' || c == '[' || c == ']'; });
  std::vector<std::int64_t> numbers;
  for (const std::string_view part : split(text, ',')) {
    if (part.empty() && !numbers.empty()) continue;  // (128,)
    const auto number = number_as<std::int64_t>(std::string(part));
    if (!number || numbers.size() == 2) return {};
    numbers.push_back(*number);
  }
  return numbers;
}

/// The block that a recipe names in place of usual attention.
std::optional<BlockKind> variant_of(const RecipeTerms& terms) {
  const WordTerm& variant = terms.experimental_attention_variant;
  if (!variant || variant->value == "false" || variant->value == "None" || variant->value == "null")
    return std::nullopt;
  for (const BlockKind kind : {BlockKind::gated_delta_net, BlockKind::dsa}) {
    if (variant->value == name_of(kind)) return kind;
  }
  throw InputError(variant->place, variant->origin,
                   fmt::format("'{}' is not modelled; gated_delta_net or dsa would do",
                               plain_text(variant->value.substr(0, 80))));
}

}  // namespace

std::string latent_text(const ModelSpec& model) {
  if (!model.multi_latent_attention) return "";
  const LatentAttentionSpec& latent = *model.multi_latent_attention;
  const std::string rank =
      latent.q_lora_rank ? fmt::format("q_lora_rank: {}, ", *latent.q_lora_rank) : "";
  return fmt::format(
      "{{{}kv_lora_rank: {}, qk_head_dim: {}, qk_pos_emb_head_dim: {}, v_head_dim: {}}}", rank,
      latent.kv_lora_rank, latent.qk_head_dim, latent.qk_pos_emb_head_dim, latent.v_head_dim);
}

std::string indexer_text(const ModelSpec& model) {
  if (!model.dsa_indexer) return "";
  const DsaIndexerSpec& indexer = *model.dsa_indexer;
  return fmt::format("{{dsa_indexer_n_heads: {}, dsa_indexer_head_dim: {}, dsa_indexer_topk: {}}}",
                     indexer.dsa_indexer_n_heads, indexer.dsa_indexer_head_dim,
                     indexer.dsa_indexer_topk);
}

std::string mamba_text(const ModelSpec& model) {
  if (!model.mamba) return "";
  const MambaSpec& mamba = *model.mamba;
  return fmt::format(
      "{{mamba_num_heads: {}, mamba_head_dim: {}, mamba_state_dim: {}, mamba_num_groups: {}}}",
      mamba.mamba_num_heads, mamba.mamba_head_dim, mamba.mamba_state_dim, mamba.mamba_num_groups);
}

std::string delta_text(const ModelSpec& model) {
  if (!model.gated_delta_net) return "";
  const GatedDeltaNetSpec& net = *model.gated_delta_net;
  return fmt::format(
      "{{linear_num_key_heads: {}, linear_num_value_heads: {}, linear_key_head_dim: {}, "
      "linear_value_head_dim: {}, linear_conv_kernel_dim: {}}}",
      net.linear_num_key_heads, net.linear_num_value_heads, net.linear_key_head_dim,
      net.linear_value_head_dim, net.linear_conv_kernel_dim);
}

bool is_delta(const RecipeTerms& terms) { return variant_of(terms) == BlockKind::gated_delta_net; }

bool is_sparse(const RecipeTerms& terms) { return variant_of(terms) == BlockKind::dsa; }

bool is_latent(const RecipeTerms& terms) {
  return terms.multi_latent_attention && terms.multi_latent_attention->value;
}

std::optional<std::int64_t> window_keys(const RecipeTerms& terms) {
  if (!terms.window_size || (terms.use_window && !terms.use_window->value)) return std::nullopt;
  const Given<std::string>& given = *terms.window_size;
  const std::vector<std::int64_t> numbers = numbers_of_window(given.value);
  const bool pair = numbers.size() == 2;
  const bool ahead = pair && numbers[1] != 0 && numbers[1] != -1;  // a causal mask hides those
  if (numbers.empty() || ahead || numbers[0] > 1000000000)
    throw InputError(given.place, given.origin,
                     fmt::format("'{}' is no window; the number of keys that a query sees, or how "
                                 "many are before it and 0, as in (127, 0), would do",
                                 plain_text(given.value.substr(0, 80))));
  const std::int64_t keys = numbers[0] + (pair ? 1 : 0);
  return keys > 0 && numbers[0] >= 0 ? std::optional(keys) : std::nullopt;
}

void add_blocks(std::vector<Finding>& shape, const RecipeTerms& terms, bool whole) {
  // The norms of multi-latent attention are of its latents, and part of its block.
  if (!is_latent(terms)) add_flag(shape, "qk_layernorm", terms.qk_layernorm);
  if (whole && !terms.add_bias_linear) {
    shape.push_back({"add_bias_linear", "true", "Megatron's default", true});
  } else {
    add_flag(shape, "add_bias_linear", terms.add_bias_linear);
  }
  add_flag(shape, "add_qkv_bias", terms.add_qkv_bias);
  add_flag(shape, "attention_output_gate", terms.attention_output_gate);
  add_softmax(shape, terms);
  if (const auto keys = window_keys(terms))
    shape.push_back({"window_size", std::to_string(*keys), terms.window_size->origin,
                     terms.window_size->assumed});
  if (is_latent(terms))
    shape.push_back(sizes_of("multi_latent_attention", terms, kLatentSizes,
                             terms.multi_latent_attention->origin));
  if (is_sparse(terms))
    shape.push_back(sizes_of("dsa_indexer", terms, kIndexerSizes,
                             terms.experimental_attention_variant->origin));
  if (is_delta(terms))
    shape.push_back(sizes_of("gated_delta_net", terms, kDeltaSizes,
                             terms.experimental_attention_variant->origin));
  if (has_letter(terms, BlockKind::mamba)) shape.push_back(mamba_of(terms));
  if (terms.mtp_num_layers)
    shape.push_back({"mtp_num_layers", std::to_string(terms.mtp_num_layers->value),
                     terms.mtp_num_layers->origin, terms.mtp_num_layers->assumed});
}

void complete_blocks(RecipeTerms& terms, const ModelSpec& base, const std::string& whose) {
  if (base.window_size) default_to(terms.window_size, std::to_string(*base.window_size), whose);
  if (base.multi_latent_attention) {
    const LatentAttentionSpec& latent = *base.multi_latent_attention;
    default_to(terms.multi_latent_attention, true, whose);
    default_to(terms.q_lora_rank, latent.q_lora_rank.value_or(0), whose);
    default_to(terms.kv_lora_rank, latent.kv_lora_rank, whose);
    default_to(terms.qk_head_dim, latent.qk_head_dim, whose);
    default_to(terms.qk_pos_emb_head_dim, latent.qk_pos_emb_head_dim, whose);
    default_to(terms.v_head_dim, latent.v_head_dim, whose);
  }
  if (base.dsa_indexer) {
    const DsaIndexerSpec& indexer = *base.dsa_indexer;
    default_to(terms.experimental_attention_variant, std::string(name_of(BlockKind::dsa)), whose);
    default_to(terms.dsa_indexer_n_heads, indexer.dsa_indexer_n_heads, whose);
    default_to(terms.dsa_indexer_head_dim, indexer.dsa_indexer_head_dim, whose);
    default_to(terms.dsa_indexer_topk, indexer.dsa_indexer_topk, whose);
  }
  if (base.gated_delta_net) {
    const GatedDeltaNetSpec& net = *base.gated_delta_net;
    default_to(terms.experimental_attention_variant,
               std::string(name_of(BlockKind::gated_delta_net)), whose);
    default_to(terms.linear_num_key_heads, net.linear_num_key_heads, whose);
    default_to(terms.linear_num_value_heads, net.linear_num_value_heads, whose);
    default_to(terms.linear_key_head_dim, net.linear_key_head_dim, whose);
    default_to(terms.linear_value_head_dim, net.linear_value_head_dim, whose);
    default_to(terms.linear_conv_kernel_dim, net.linear_conv_kernel_dim, whose);
  }
  if (base.mamba) {
    default_to(terms.mamba_num_heads, base.mamba->mamba_num_heads, whose);
    default_to(terms.mamba_head_dim, base.mamba->mamba_head_dim, whose);
    default_to(terms.mamba_state_dim, base.mamba->mamba_state_dim, whose);
    default_to(terms.mamba_num_groups, base.mamba->mamba_num_groups, whose);
  }
}

}  // namespace simtrain
