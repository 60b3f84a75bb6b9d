#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/run/recipe_import/hydra.h"
#include "sim/run/recipe_import/model_match.h"
#include "sim/run/recipe_import/scenario_text.h"

namespace simtrain {
namespace {

using T = RecipeTerms;

constexpr Ignored kRange{"how far positions may go, not how many there are"};

constexpr std::array kKeys{
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
    KeyRow{"num_local_experts", Refused{kNoMixture}},
    KeyRow{"num_experts", Refused{kNoMixture}},
    KeyRow{"n_routed_experts", Refused{kNoMixture}},
    KeyRow{"kv_lora_rank", Refused{kNoLatent}},
    KeyRow{"sliding_window", Ignored{"attention over all positions is played"}},
    KeyRow{"use_sliding_window", Ignored{"attention over all positions is played"}},
    KeyRow{"max_position_embeddings", kRange},
    KeyRow{"rope_*", kRange},
    KeyRow{"attention_bias", Ignored{"biases of the linear modules are not modelled"}},
    KeyRow{"mlp_bias", Ignored{"biases of the linear modules are not modelled"}},
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
    KeyRow{"hidden_dropout", kLearned},
};

/// What the code of a model type does that its configuration does not say.
struct ModelType {
  std::string_view name;
  std::string_view normalization;
  bool gated;
  bool tied;  ///< unless tie_word_embeddings says otherwise
};
constexpr std::array<ModelType, 7> kTypes{{{"llama", "rmsnorm", true, false},
                                           {"mistral", "rmsnorm", true, false},
                                           {"qwen2", "rmsnorm", true, false},
                                           {"qwen3", "rmsnorm", true, false},
                                           {"phi3", "rmsnorm", true, false},
                                           {"granite", "rmsnorm", true, false},
                                           {"nemotron", "layernorm1p", false, false}}};

const ModelType& type_of(const RecipeTerms& terms, const std::string& path) {
  if (!terms.model_class)
    throw InputError({path}, "model_type", "is missing; it says how the model is built");
  const Said<std::string>& said = *terms.model_class;
  for (const ModelType& type : kTypes) {
    if (type.name == said.value) return type;
  }
  std::vector<std::string> known;
  known.reserve(kTypes.size());
  for (const ModelType& type : kTypes) known.emplace_back(type.name);
  throw InputError(said.place, "model_type",
                   fmt::format("'{}' is not known here; known are {}; a file for scenarios/models "
                               "can be written by hand",
                               plain_text(said.value), fmt::join(known, ", ")));
}

/// A name that a file of scenarios/models can have, of what is there.
std::string model_name(const RecipeRequest& request, const ImportFile& file) {
  std::string name =
      request.name ? *request.name : std::filesystem::path(file.path).stem().string();
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
                       "is of no use here: a config.json says the shape of a model only");
  }
}

std::vector<Finding> model_keys(RecipeTerms terms, const ImportFile& file,
                                const RecipeRequest& request) {
  const ModelType& type = type_of(terms, file.path);
  const std::string whose = fmt::format("model_type {}", type.name);
  default_to(terms.normalization, std::string(type.normalization), whose);
  default_to(terms.share_embeddings_and_output_weights, type.tied, whose);
  default_to(terms.position_embedding_type, "rope", whose);
  if (type.gated) default_to(terms.gated_linear_unit, true, whose);
  terms.model_class.reset();
  std::vector<Finding> shape = shape_of(terms, 1);
  for (const Finding& known : shape_of(ModelSpec{})) {
    const bool has = std::any_of(shape.begin(), shape.end(),
                                 [&](const Finding& f) { return f.key == known.key; });
    if (!has) throw InputError({file.path}, known.key, "is not said by this configuration");
  }
  std::vector<Finding> keys{
      {"name", model_name(request, file), request.name ? "--name" : "the file"},
      {"source", fmt::format("\"imported from {}\"", plain_text(file.path)), "the file"}};
  keys.insert(keys.end(), shape.begin(), shape.end());
  return keys;
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
  YamlNode tree = load_yaml_text(file.text, file.path);
  apply_overrides(tree, request.overrides);
  const RecipeReading reading = read_recipe(tree, kKeys, KeyStyle::dotted);
  ImportedRecipe result =
      imported_text({file.path, "Hugging Face configuration; a file for scenarios/models"},
                    model_keys(reading.terms, file, request), reading);
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
