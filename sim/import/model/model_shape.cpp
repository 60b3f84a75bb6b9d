#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "sim/core/input/text_parts.h"
#include "sim/import/model/block_shape.h"
#include "sim/import/model/layer_shape.h"
#include "sim/import/model/mixture_shape.h"
#include "sim/import/model/model_match.h"
#include "sim/import/terms/term_findings.h"

namespace simtrain {
namespace {

std::string text(bool value) { return value ? "true" : "false"; }

/// A number, if the recipe has it.
template <class T>
void add(std::vector<Finding>& shape, const std::string& key, const std::optional<Given<T>>& term) {
  if (term) shape.push_back({key, fmt::format("{}", term->value), term->origin, term->assumed});
}

/// How recipes write the activations that are modelled.
struct ActivationName {
  std::string_view name;
  Activation value;
};
constexpr std::array<ActivationName, 9> kActivations{{{"fast-swiglu", Activation::swiglu},
                                                      {"swiglu", Activation::swiglu},
                                                      {"silu", Activation::swiglu},
                                                      {"squared-relu", Activation::squared_relu},
                                                      {"squared_relu", Activation::squared_relu},
                                                      {"relu2", Activation::squared_relu},
                                                      {"gelu", Activation::gelu},
                                                      {"fast_gelu", Activation::gelu},
                                                      {"fast-gelu", Activation::gelu}}};

/// A sigmoid of 1.702 times its argument, or GELU itself, in place of that of its argument moves as
/// many bytes.
Finding quick_gelu(bool gated, const std::string& origin) {
  return {"activation", gated ? "swiglu" : "gelu",
          fmt::format("{}{}", origin, gated ? kGatedGelu : ": as GELU")};
}

/// Megatron has flags for it, NeMo a word, Megatron-Bridge a function and a flag.
Finding activation(const RecipeTerms& terms) {
  const std::string key = "activation";
  if (terms.activation) {
    const std::string& word = terms.activation->value;
    const auto row = std::find_if(kActivations.begin(), kActivations.end(),
                                  [&](const ActivationName& one) { return one.name == word; });
    const bool gated = terms.gated_linear_unit && terms.gated_linear_unit->value;
    const bool gelu = row != kActivations.end() && row->value == Activation::gelu;
    if (word == "geglu" || word == "fast-geglu" || (gated && gelu))
      return quick_gelu(true, terms.activation->origin);
    if (word == "quick_gelu") return quick_gelu(gated, terms.activation->origin);
    const bool ungated_silu =
        word == "silu" && terms.gated_linear_unit && !terms.gated_linear_unit->value;
    const bool gated_other = gated && word != "silu" && word != "swiglu" && word != "fast-swiglu";
    if (row == kActivations.end() || ungated_silu || gated_other) {
      throw InputError(
          terms.activation->place, terms.activation->origin,
          fmt::format("'{}'{} is not modelled; --set model_overrides.activation=swiglu "
                      "(or squared-relu, gelu) takes the nearest",
                      word, gated_other ? " gated" : ""));
    }
    return {key, std::string(name_of(row->value)), terms.activation->origin,
            terms.activation->assumed};
  }
  if (terms.quick_geglu && terms.quick_geglu->value)
    return quick_gelu(true, terms.quick_geglu->origin);
  if (terms.gated_linear_unit && terms.gated_linear_unit->value)
    return {key, "swiglu", terms.gated_linear_unit->origin, terms.gated_linear_unit->assumed};
  if (terms.squared_relu && terms.squared_relu->value)
    return {key, "squared-relu", terms.squared_relu->origin, terms.squared_relu->assumed};
  return {key, "gelu", "Megatron's default", true};
}

Finding normalization(const RecipeTerms& terms) {
  const std::string key = "normalization";
  const std::string word =
      lower_case(terms.normalization ? terms.normalization->value : "LayerNorm");
  const std::string origin =
      terms.normalization ? terms.normalization->origin : "Megatron's default";
  if (word == "rmsnorm") return {key, "rmsnorm", origin};
  if (word == "layernorm1p") return {key, "layernorm1p", origin};
  if (word != "layernorm") {
    throw InputError(
        terms.normalization->place, origin,
        fmt::format("'{}' is not modelled; --set model_overrides.normalization=rmsnorm "
                    "(or layernorm1p) takes the nearest",
                    plain_text(word)));
  }
  if (terms.layernorm_1p && terms.layernorm_1p->value)
    return {key, "layernorm1p", terms.layernorm_1p->origin};
  return {key, "layernorm1p", origin + ": layernorm, which moves as many bytes", true};
}

/// Heads that divide neither the hidden size, where no head size is given, nor into their groups.
void check_heads(const RecipeTerms& terms) {
  const Given<std::int64_t>& heads = *terms.num_attention_heads;
  if (heads.value < 1) throw InputError(heads.place, heads.origin, "is no count of heads");
  if (!terms.kv_channels && terms.hidden_size && terms.hidden_size->value % heads.value != 0) {
    throw InputError(heads.place, heads.origin,
                     fmt::format("{} heads do not divide the hidden size of {}, and the size of "
                                 "a head is not given",
                                 heads.value, terms.hidden_size->value));
  }
  const bool grouped = !terms.group_query_attention || terms.group_query_attention->value;
  if (!grouped || !terms.num_query_groups) return;
  const Given<std::int64_t>& groups = *terms.num_query_groups;
  if (groups.value < 1 || heads.value % groups.value != 0) {
    throw InputError(
        groups.place, groups.origin,
        fmt::format("{} query groups do not divide the {} heads", groups.value, heads.value));
  }
}

/// Multi-latent attention has keys and values for each head, of sizes of their own.
void add_latent_heads(std::vector<Finding>& shape, const RecipeTerms& terms) {
  const Given<std::int64_t>& heads = *terms.num_attention_heads;
  if (heads.value < 1) throw InputError(heads.place, heads.origin, "is no count of heads");
  add(shape, "num_attention_heads", terms.num_attention_heads);
  shape.push_back({"num_query_groups", std::to_string(heads.value),
                   "one for each head, as multi-latent attention has", false});
  const std::int64_t size = terms.v_head_dim ? terms.v_head_dim->value : 128;
  shape.push_back({"kv_channels", std::to_string(size),
                   "of a value; multi-latent attention has sizes of its own", false});
}

void add_heads(std::vector<Finding>& shape, const RecipeTerms& terms) {
  if (is_latent(terms) && terms.num_attention_heads) return add_latent_heads(shape, terms);
  if (terms.num_attention_heads) check_heads(terms);
  add(shape, "num_attention_heads", terms.num_attention_heads);
  const bool grouped = !terms.group_query_attention || terms.group_query_attention->value;
  if (grouped && terms.num_query_groups) {
    add(shape, "num_query_groups", terms.num_query_groups);
  } else if (terms.num_attention_heads && !terms.model_class) {
    shape.push_back({"num_query_groups", std::to_string(terms.num_attention_heads->value),
                     "not grouped: one for each head", false});
  }
  if (terms.kv_channels) {
    add(shape, "kv_channels", terms.kv_channels);
  } else if (terms.hidden_size && terms.num_attention_heads &&
             terms.num_attention_heads->value > 0) {
    shape.push_back({"kv_channels",
                     std::to_string(terms.hidden_size->value / terms.num_attention_heads->value),
                     "hidden size over heads", false});
  }
}

/// Vocabularies of tokenizers that recipes name without their size.
struct Tokenizer {
  std::string_view name;
  std::int64_t entries;
};
constexpr std::array<Tokenizer, 13> kTokenizers{
    {{"GPT2BPETokenizer", 50257},
     {"Llama2Tokenizer", 32000},
     {"gpt2", 50257},
     {"MistralTokenizer", 32000},
     {"20B_tokenizer.json", 50277},
     {"nemotron_2_256k.model", 256000},
     {"multiMixV8.gpt4o_nc_sd.500000.128k.vocab.json", 131072},
     {"meta-llama/Meta-Llama-3-8B", 128256},
     {"meta-llama/Llama-3.1-8B", 128256},
     {"meta-llama/Llama-3.1-70B", 128256},
     {"meta-llama/Llama-3.1-405B", 128256},
     {"mistralai/Mistral-Large-Instruct-2407", 32768},
     {"mistralai/Mistral-Nemo-Base-2407", 131072}}};

/// How many a tokenizer of that name, or of a file of that name, has; 0 where it is not known.
std::int64_t entries_of(std::string_view name) {
  const auto* const row =
      std::find_if(kTokenizers.begin(), kTokenizers.end(), [&](const Tokenizer& one) {
        return name == one.name || name.ends_with(fmt::format("/{}", one.name));
      });
  return row == kTokenizers.end() ? 0 : row->entries;
}

/// Padded to a multiple of make_vocab_size_divisible_by x TP, as Megatron does.
void add_vocabulary(std::vector<Finding>& shape, const RecipeTerms& terms, std::int64_t tp) {
  if (terms.padded_vocab_size) return add(shape, "vocab_size", terms.padded_vocab_size);
  std::int64_t entries = 0;
  std::string origin;
  if (terms.vocab_size) {
    entries = terms.vocab_size->value;
    origin = terms.vocab_size->origin;
    if (terms.tokenizer && terms.tokenizer->value == "NullTokenizer") {
      ++entries;
      origin += ", and NullTokenizer's end of document";
    }
  } else {
    for (const WordTerm& tokenizer : {terms.tokenizer_model, terms.tokenizer}) {
      if (entries > 0 || !tokenizer) continue;
      entries = entries_of(tokenizer->value);
      origin = fmt::format("{} {}", tokenizer->origin, plain_text(tokenizer->value));
    }
  }
  if (entries == 0) return;
  const std::int64_t by =
      terms.make_vocab_size_divisible_by ? terms.make_vocab_size_divisible_by->value : 128;
  const std::int64_t multiple = std::max<std::int64_t>(1, by) * tp;
  if (multiple > 1000000000) return;
  const std::int64_t padded = (entries + multiple - 1) / multiple * multiple;
  if (padded != entries)
    origin += fmt::format(": {}, padded to a multiple of {} x TP {}", entries, by, tp);
  shape.push_back({"vocab_size", std::to_string(padded), origin, false});
}

void add_rotary(std::vector<Finding>& shape, const RecipeTerms& terms) {
  const std::string word =
      terms.position_embedding_type ? terms.position_embedding_type->value : "learned_absolute";
  const std::string key = "rotary_percent";
  if (word == "rope" || word == "yarn") {
    const double share = terms.rotary_percent ? terms.rotary_percent->value : 1;
    const std::string origin =
        terms.rotary_percent ? terms.rotary_percent->origin : terms.position_embedding_type->origin;
    shape.push_back({key, fmt::format("{}", share), origin, false});
    return;
  }
  const std::string origin =
      terms.position_embedding_type ? terms.position_embedding_type->origin : "Megatron's default";
  shape.push_back(
      {key, "0", fmt::format("{}: {}", origin, plain_text(word)), !terms.position_embedding_type});
}

void add_sharing(std::vector<Finding>& shape, const RecipeTerms& terms) {
  const std::string key = "share_embeddings_and_output_weights";
  if (terms.share_embeddings_and_output_weights) {
    const auto& term = *terms.share_embeddings_and_output_weights;
    shape.push_back({key, text(term.value), term.origin, term.assumed});
  } else if (terms.untie_embeddings_and_output_weights) {
    const auto& term = *terms.untie_embeddings_and_output_weights;
    shape.push_back({key, text(!term.value), term.origin, term.assumed});
  } else {
    shape.push_back({key, "true", "Megatron's default", true});
  }
}

void add_ffn(std::vector<Finding>& shape, const RecipeTerms& terms, bool gated) {
  if (terms.ffn_hidden_size) return add(shape, "ffn_hidden_size", terms.ffn_hidden_size);
  if (!terms.hidden_size) return;
  const std::int64_t hidden = terms.hidden_size->value;
  const std::int64_t size = gated ? hidden * 4 * 2 / 3 / 64 * 64 : 4 * hidden;
  shape.push_back({"ffn_hidden_size", std::to_string(size),
                   gated ? "Megatron's default: 8/3 of the hidden size, in 64s"
                         : "Megatron's default: 4 times the hidden size",
                   true});
}

}  // namespace

std::vector<Finding> shape_of(const ModelSpec& model) {
  return {
      {"num_layers", std::to_string(model.num_layers), ""},
      {"hidden_size", std::to_string(model.hidden_size), ""},
      {"ffn_hidden_size", std::to_string(model.ffn_hidden_size), ""},
      {"num_attention_heads", std::to_string(model.num_attention_heads), ""},
      {"num_query_groups", std::to_string(model.num_query_groups), ""},
      {"kv_channels", std::to_string(model.kv_channels), ""},
      {"vocab_size", std::to_string(model.vocab_size), ""},
      {"activation", std::string(name_of(model.activation)), ""},
      {"activation_func_clamp_value",
       model.activation_func_clamp_value ? fmt::format("{}", *model.activation_func_clamp_value)
                                         : "",
       ""},
      {"normalization", std::string(name_of(model.normalization)), ""},
      {"rotary_percent", fmt::format("{}", model.rotary_percent), ""},
      {"share_embeddings_and_output_weights", text(model.share_embeddings_and_output_weights), ""},
      {"hidden_dropout", fmt::format("{}", model.hidden_dropout), ""},
      {"qk_layernorm", text(model.qk_layernorm), ""},
      {"add_bias_linear", text(model.add_bias_linear), ""},
      {"add_qkv_bias", text(model.add_qkv_bias), ""},
      {"softmax_type", std::string(name_of(model.softmax_type)), ""},
      {"window_size", model.window_size ? std::to_string(*model.window_size) : "", ""},
      {"multi_latent_attention", latent_text(model), ""},
      {"dsa_indexer", indexer_text(model), ""},
      {"attention_output_gate", text(model.attention_output_gate), ""},
      {"gated_delta_net", delta_text(model), ""},
      {"mamba", mamba_text(model), ""},
      {"experts", experts_text(model), ""},
      {"mtp_num_layers", std::to_string(model.mtp_num_layers), ""},
      {"layers", layers_text(model), ""},
      {"hybrid_override_pattern", hybrid_text(model), ""}};
}

std::vector<Finding> shape_of(const RecipeTerms& terms, std::int64_t tp) {
  // A class has its own shape; there only the recipe's own keys count, no default.
  const bool whole = !terms.model_class;
  std::vector<Finding> shape;
  add(shape, "num_layers", terms.num_layers);
  add(shape, "hidden_size", terms.hidden_size);
  std::optional<Finding> act;
  if (whole || terms.activation || terms.gated_linear_unit || terms.squared_relu ||
      terms.quick_geglu)
    act = activation(terms);
  if (whole || terms.ffn_hidden_size) add_ffn(shape, terms, act && act->value == "swiglu");
  add_heads(shape, terms);
  add_vocabulary(shape, terms, tp);
  if (act) shape.push_back(*act);
  if (whole || terms.normalization) shape.push_back(normalization(terms));
  if (whole || terms.position_embedding_type) add_rotary(shape, terms);
  if (whole || terms.share_embeddings_and_output_weights ||
      terms.untie_embeddings_and_output_weights)
    add_sharing(shape, terms);
  add(shape, "activation_func_clamp_value", terms.activation_func_clamp_value);
  add(shape, "hidden_dropout", terms.hidden_dropout);
  add_blocks(shape, terms, whole);
  add_experts(shape, terms);
  add_layers(shape, terms);
  return shape;
}

}  // namespace simtrain
