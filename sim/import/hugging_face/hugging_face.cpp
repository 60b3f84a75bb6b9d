#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/import/hugging_face/hugging_face_code.h"
#include "sim/import/hugging_face/hugging_face_experts.h"
#include "sim/import/hugging_face/hugging_face_layers.h"
#include "sim/import/model/model_match.h"
#include "sim/import/scenario/scenario_text.h"
#include "sim/import/yaml/hydra.h"
#include "sim/workload/model/fields/model_fields.h"

namespace simtrain {
namespace {

using T = RecipeTerms;

constexpr std::array kHuggingFaceKeys{
    KeyRow{"_name_or_path", &T::name},
    KeyRow{"model_type", &T::model_class},
    KeyRow{"num_hidden_layers", &T::num_layers},
    KeyRow{"hidden_size", &T::hidden_size},
    KeyRow{"intermediate_size", &T::ffn_hidden_size},
    KeyRow{"num_attention_heads", &T::num_attention_heads},
    KeyRow{"num_key_value_heads", &T::num_query_groups},
    KeyRow{"head_dim", &T::kv_channels},
    KeyRow{"vocab_size", &T::padded_vocab_size},
    KeyRow{"hidden_act", &T::activation},
    KeyRow{"partial_rotary_factor", &T::rotary_percent},
    KeyRow{"rope_percent", &T::rotary_percent},
    KeyRow{"tie_word_embeddings", &T::share_embeddings_and_output_weights},
    KeyRow{"n_layer", &T::num_layers},
    KeyRow{"n_layers", &T::num_layers},
    KeyRow{"num_layers", &T::num_layers},
    KeyRow{"n_embd", &T::hidden_size},
    KeyRow{"n_embed", &T::hidden_size},
    KeyRow{"d_model", &T::hidden_size},
    KeyRow{"n_inner", &T::ffn_hidden_size},
    KeyRow{"ffn_dim", &T::ffn_hidden_size},
    KeyRow{"ffn_hidden_size", &T::ffn_hidden_size},
    KeyRow{"n_head", &T::num_attention_heads},
    KeyRow{"n_heads", &T::num_attention_heads},
    KeyRow{"num_kv_heads", &T::num_query_groups},
    KeyRow{"n_head_kv", &T::num_query_groups},
    KeyRow{"multi_query_group_num", &T::num_query_groups},
    KeyRow{"attn_config.kv_n_heads", &T::num_query_groups},
    KeyRow{"kv_channels", &T::kv_channels},
    KeyRow{"padded_vocab_size", &T::padded_vocab_size},
    KeyRow{"activation_function", &T::activation},
    KeyRow{"rotary_pct", &T::rotary_percent},
    KeyRow{"add_qkv_bias", &T::add_qkv_bias},
    KeyRow{"use_qkv_bias", &T::add_qkv_bias},
    KeyRow{"num_local_experts", &T::num_moe_experts},
    KeyRow{"num_experts", &T::num_moe_experts},
    KeyRow{"n_routed_experts", &T::num_moe_experts},
    KeyRow{"num_experts_per_tok", &T::moe_router_topk},
    KeyRow{"kv_lora_rank", Refused{"multi-latent attention is of DeepSeek's model types"}},
    KeyRow{"sliding_window", &T::window_size},
    KeyRow{"use_sliding_window", &T::use_window},
    KeyRow{"max_window_layers", &T::max_window_layers},
    KeyRow{"layer_types", &T::attention_types},
    KeyRow{"qk_layernorm", &T::qk_layernorm},
    KeyRow{"use_qk_norm", &T::qk_layernorm},
    KeyRow{"rope_parameters.partial_rotary_factor", &T::rotary_percent},
    KeyRow{"max_position_embeddings", kRange},
    KeyRow{"rope_*", kRange},
    KeyRow{"attention_bias", &T::attention_bias},
    KeyRow{"mlp_bias", &T::mlp_bias},
    KeyRow{"qkv_bias", &T::add_qkv_bias},
    KeyRow{"use_bias", kBiases},
    KeyRow{"architectures", kOutside},
    KeyRow{"bos_token_id", kOutside},
    KeyRow{"eos_token_id", kOutside},
    KeyRow{"pad_token_id", kOutside},
    KeyRow{"torch_dtype", kOutside},
    KeyRow{"dtype", kOutside},
    KeyRow{"transformers_version", kOutside},
    KeyRow{"use_cache", kOutside},
    KeyRow{"pretraining_tp", kOutside},
    KeyRow{"initializer_range", kLearned},
    KeyRow{"rms_norm_eps", kLearned},
    KeyRow{"norm_eps", kLearned},
    KeyRow{"attention_dropout", kLearned},
    KeyRow{"router_aux_loss_coef", kLearned},
    KeyRow{"router_jitter_noise", kLearned},
    KeyRow{"output_router_logits", kLearned},
    KeyRow{"norm_topk_prob", kLearned},
    KeyRow{"n_positions", kRange},
    KeyRow{"n_ctx", kRange},
    KeyRow{"seq_length", kRange},
    KeyRow{"max_seq_len", kRange},
    KeyRow{"layer_norm_eps*", kLearned},
    KeyRow{"layer_norm_epsilon", kLearned},
    KeyRow{"layernorm_epsilon", kLearned},
    KeyRow{"norm_epsilon", kLearned},
    KeyRow{"attn_config.*", kLearned},
    KeyRow{"query_pre_attn_scalar", kLearned},
    KeyRow{"attn_logit_softcapping", NotSimulated{"caps of attention's and the output's values"}},
    KeyRow{"final_logit_softcapping", NotSimulated{"caps of attention's and the output's values"}},
    KeyRow{"embd_pdrop", kLearned},
    KeyRow{"attn_pdrop", kLearned},
    KeyRow{"hidden_dropout", &T::hidden_dropout},
    KeyRow{"resid_pdrop", &T::hidden_dropout},
    KeyRow{"residual_dropout", &T::hidden_dropout},
};

bool is_llama4(std::string_view model_type) {
  return model_type == "llama4" || model_type == "llama4_text";
}

/// The name of a file as one that a model can have: DeepSeek-R1_config is deepseek-r1_config.
std::string name_of_file(std::string name) {
  for (char& c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool mark = c == '.' || c == '-' || c == '_';
    c = std::isalnum(byte) != 0 ? static_cast<char>(std::tolower(byte)) : mark ? c : '-';
  }
  const std::size_t first = name.find_first_of("abcdefghijklmnopqrstuvwxyz");
  return first == std::string::npos ? "" : name.substr(first);
}

/// A name that a file of scenarios/models can have, of what is there.
std::string model_name(const RecipeRequest& request, const ImportFile& file) {
  std::string name =
      request.name ? *request.name : name_of_file(std::filesystem::path(file.path).stem().string());
  constexpr std::string_view kMarks = "abcdefghijklmnopqrstuvwxyz0123456789.-_";
  if (name.empty() || name.front() < 'a' || name.front() > 'z' || name == "null" ||
      name.find_first_not_of(kMarks) != std::string::npos) {
    throw InputError({}, request.name ? "--name" : "name",
                     fmt::format("'{}' is no name; a small letter, then small letters, digits, "
                                 "'.', '-' and '_' would do; --name NAME gives one",
                                 plain_text(name.substr(0, 80))));
  }
  return name;
}

void refuse_job(const RecipeRequest& request) {
  const std::array<std::pair<bool, std::string_view>, 5> given{
      {{request.cluster.has_value(), "--cluster"},
       {request.nodes.has_value(), "--nodes"},
       {request.software.has_value(), "--software"},
       {request.model.has_value(), "--model"},
       {!request.settings.empty(), "--set"}}};
  for (const auto& [is, option] : given) {
    if (is)
      throw InputError({}, std::string(option),
                       "does not apply: a config.json gives the shape of a model only");
  }
}

std::vector<Finding> model_keys(RecipeTerms terms, const HuggingFaceType& type,
                                const ImportFile& file, const RecipeRequest& request) {
  const std::string whose = fmt::format("model_type {}", type.name);
  default_to(terms.normalization, std::string(type.normalization), whose);
  default_to(terms.share_embeddings_and_output_weights, type.tied, whose);
  default_to(terms.position_embedding_type, "rope", whose);
  default_to(terms.rotary_percent, type.rotary, whose);
  if (type.head_dim > 0) default_to(terms.kv_channels, type.head_dim, whose);
  if (type.activation == "silu") default_to(terms.gated_linear_unit, true, whose);
  if (type.grouped && !terms.num_query_groups)
    throw InputError({file.path}, "num_key_value_heads", "is not given by this configuration");
  settle_hugging_face_experts(terms, type.experts, whose, file.path);
  if (is_llama4(type.name) && terms.moe_ffn_hidden_size)
    default_to(terms.moe_shared_expert_intermediate_size, terms.moe_ffn_hidden_size->value, whose);
  terms.model_class.reset();
  std::vector<Finding> shape = shape_of(terms, 1);
  std::erase_if(shape, is_usual);
  for (const Finding& known : shape_of(ModelSpec{})) {
    if (is_optional_shape_key(known.key)) continue;
    const bool has = std::any_of(shape.begin(), shape.end(),
                                 [&](const Finding& f) { return f.key == known.key; });
    if (!has) throw InputError({file.path}, known.key, "is not given by this configuration");
  }
  std::vector<Finding> keys{
      {"name", model_name(request, file), request.name ? "--name" : "the file"},
      {"source", fmt::format("\"imported from {}\"", plain_text(file.path)), "the file"}};
  keys.insert(keys.end(), shape.begin(), shape.end());
  return keys;
}

/// The part of a configuration that is of the language model: `text_config` of one that sees too.
YamlNode language_model(YamlNode tree) {
  const YamlNode* type = tree.find("model_type");
  const YamlNode* text = tree.find("text_config");
  const bool own = tree.find("num_hidden_layers") != nullptr;
  if (type == nullptr || own || text == nullptr || text->kind != YamlNode::Kind::map) return tree;
  YamlNode language = *text;
  for (const char* key : {"tie_word_embeddings", "model_type"}) {  // of both parts
    const YamlNode* shared = tree.find(key);
    if (shared != nullptr && language.find(key) == nullptr)
      language.entries.push_back({key, shared->place, *shared});
  }
  return language;
}

/// The rows of a configuration, those of its model type first.
std::vector<KeyRow> config_rows(const YamlNode& tree) {
  const YamlNode* type = tree.find("model_type");
  std::vector<KeyRow> rows =
      hugging_face_own_keys(type == nullptr ? "" : std::string_view(type->text));
  const auto code = hugging_face_code_keys();
  rows.insert(rows.end(), code.begin(), code.end());
  rows.insert(rows.end(), kHuggingFaceKeys.begin(), kHuggingFaceKeys.end());
  return rows;
}

bool is_config(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{' &&
         (text.find("\"model_type\"") != std::string_view::npos ||
          text.find("\"num_hidden_layers\"") != std::string_view::npos);
}

ImportedRecipe read_config(const ImportFile& file, const RecipeRequest& request,
                           const DataFolder& /*data*/) {
  refuse_job(request);
  YamlNode whole = load_yaml_text(file.text, file.path);
  apply_overrides(whole, request.overrides);
  const bool sees = whole.find("vision_config") != nullptr;
  const YamlNode tree = language_model(std::move(whole));
  const YamlNode* named = tree.find("model_type");
  if (named == nullptr || named->kind == YamlNode::Kind::null)  // of this kind at all?
    require_taken(read_recipe(tree, config_rows(tree), KeyStyle::dotted), file,
                  kHuggingFaceConfig.name);
  const HuggingFaceType& type = hugging_face_type(tree, file.path);
  RecipeReading reading = read_recipe(tree, config_rows(tree), KeyStyle::dotted);
  if (sees) ++reading.left_out["the part of the model that sees"]["vision_config"];
  require_taken(reading, file, kHuggingFaceConfig.name);
  settle_hugging_face_code(reading, type, tree);
  settle_hugging_face_layers(reading, type, tree, file.path);
  ImportedRecipe result =
      imported_text({file.path, "Hugging Face configuration; a file for scenarios/models"},
                    model_keys(reading.terms, type, file, request), reading);
  const YamlNode written = load_yaml_text(result.yaml, file.path + ", as imported");
  static_cast<void>(read_yaml<ModelSpec>(written, ""));
  return result;
}

}  // namespace

const RecipeFormat kHuggingFaceConfig{"hugging-face-config",
                                      "config.json of a Hugging Face model: a file for "
                                      "scenarios/models",
                                      is_config, read_config};

}  // namespace simtrain
