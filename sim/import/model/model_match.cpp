#include "sim/import/model/model_match.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/core/input/number_text.h"
#include "sim/core/input/text_parts.h"
#include "sim/import/model/block_shape.h"
#include "sim/import/model/layer_pattern.h"
#include "sim/import/model/layer_shape.h"
#include "sim/import/model/mixture_shape.h"
#include "sim/import/model/named_model.h"
#include "sim/import/terms/core_rows.h"
#include "sim/import/terms/term_findings.h"
#include "sim/workload/model/fields/model_fields.h"

namespace simtrain {
namespace {

const Finding* find(const std::vector<Finding>& shape, std::string_view key) {
  const auto found =
      std::find_if(shape.begin(), shape.end(), [&](const Finding& f) { return f.key == key; });
  return found == shape.end() ? nullptr : &*found;
}

bool same(std::string_view key, std::string_view recipe, std::string_view model) {
  return recipe == model || (key == "experts" && has_experts_of(recipe, model));
}

/// Whether the two agree in a key; what the recipe does not give does not differ.
bool agree(const std::vector<Finding>& shape, const Finding& known) {
  const Finding* given = find(shape, known.key);
  return given == nullptr || same(known.key, given->value, known.value);
}

std::string value_in(const std::vector<Finding>& shape, std::string_view key) {
  const Finding* given = find(shape, key);
  return given == nullptr ? "" : given->value;
}

/// Whether the FFN of the model counts for neither of the two: all layers have experts.
bool without_ffn(const std::vector<Finding>& shape, const std::vector<Finding>& model) {
  const auto dense = [](const std::vector<Finding>& one) {
    return has_dense_layers(value_in(one, "layers"), value_in(one, "hybrid_override_pattern"));
  };
  return !dense(shape) && !dense(model);
}

/// Keys that two near models have both or neither: an override cannot take one away.
constexpr std::array<std::string_view, 3> kPairedKeys{"window_size", "layers",
                                                      "hybrid_override_pattern"};
/// Keys in which near models are equal, beside those of each layer.
constexpr std::array<std::string_view, 5> kEqualKeys{"experts", "multi_latent_attention",
                                                     "dsa_indexer", "gated_delta_net", "mamba"};

/// The keys in which a layer of an unlike model would differ.
bool is_near(const std::vector<Finding>& shape, const std::vector<Finding>& model) {
  for (const std::string_view key : kEqualKeys) {
    if (!same(key, value_in(shape, key), value_in(model, key))) return false;
  }
  for (const std::string_view key : kPairedKeys) {
    if (value_in(shape, key).empty() != value_in(model, key).empty()) return false;
  }
  const bool ffn = !without_ffn(shape, model);
  return std::all_of(model.begin(), model.end(), [&](const Finding& known) {
    const bool basic = known.key == "hidden_size" || known.key == "num_attention_heads" ||
                       (ffn && known.key == "ffn_hidden_size");
    return !basic || agree(shape, known);
  });
}

bool is_file(const std::string& name, const DataFolder& data) {
  const std::vector<std::string> names = data.names("scenarios/models");
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<Finding> load_shape(const std::string& name, const ModelMatch& match,
                                const DataFolder& data) {
  return shape_of(data.load<ModelSpec>("scenarios/models", name, match.where, "model"));
}

/// A model as near to a shape as any, and its vocabulary.
struct NearModel {
  std::string name;
  std::string vocabulary;
};

/// Those with the fewest differences, of each vocabulary the first.
std::vector<NearModel> nearest_models(const std::vector<Finding>& shape, const ModelMatch& match,
                                      const DataFolder& data) {
  std::vector<NearModel> best;
  std::ptrdiff_t fewest = 0;
  for (const std::string& name : data.names("scenarios/models")) {
    const std::vector<Finding> model = load_shape(name, match, data);
    if (!is_near(shape, model)) continue;
    const auto differences = std::count_if(model.begin(), model.end(),
                                           [&](const Finding& f) { return !agree(shape, f); });
    if (!best.empty() && differences > fewest) continue;
    if (differences < fewest) best.clear();
    fewest = differences;
    const std::string own = value_in(model, "vocab_size");
    if (std::none_of(best.begin(), best.end(),
                     [&](const NearModel& known) { return known.vocabulary == own; }))
      best.push_back({name, own});
  }
  return best;
}

/// The one of them that a recipe's name is of, by the model's name or by its family alone.
std::optional<std::string> called_model(const std::vector<NearModel>& models,
                                        const std::string& name) {
  const auto called = model_named_in(name);
  const std::string text = lower_case(name);
  std::optional<std::string> of_family;
  int families = 0;
  for (const NearModel& model : models) {
    if (called == model.name) return model.name;
    const std::string family = model.name.substr(0, model.name.find_first_of("-0123456789"));
    if (text.find(family) == std::string::npos) continue;
    ++families;
    of_family = model.name;
  }
  return families == 1 ? of_family : std::nullopt;
}

std::optional<std::string> nearest(const std::vector<Finding>& shape, const ModelMatch& match,
                                   const DataFolder& data) {
  const std::vector<NearModel> best = nearest_models(shape, match, data);
  if (best.empty()) return std::nullopt;
  if (best.size() == 1 || find(shape, "vocab_size") != nullptr) return best.front().name;
  if (auto called = called_model(best, match.name)) return called;
  std::vector<std::string> names;
  names.reserve(best.size());
  for (const NearModel& known : best) names.push_back(known.name);
  throw InputError(match.where, "vocab_size",
                   fmt::format("is not given, and {}, whose vocabularies differ, are of this "
                               "shape; --model NAME takes one of them, --set "
                               "model_overrides.vocab_size=N another size",
                               fmt::join(names, ", ")));
}

/// A shape that is to be matched has all but the vocabulary and what files may leave out.
void require_whole(const std::vector<Finding>& shape, const ModelMatch& match) {
  for (const Finding& known : shape_of(ModelSpec{})) {
    const bool optional = known.key == "vocab_size" || is_optional_shape_key(known.key);
    if (optional || find(shape, known.key) != nullptr) continue;
    throw InputError(match.where, known.key,
                     fmt::format("is not given; --model NAME takes what is missing from a model "
                                 "of scenarios/models, --set model_overrides.{}=VALUE sets it",
                                 known.key));
  }
}

/// Gives a shape that leaves nothing to a model it is based on the values of what it is silent
/// about.
void add_silent_keys(std::vector<Finding>& shape) {
  for (const Finding& usual : shape_of(ModelSpec{})) {
    if (!is_optional_shape_key(usual.key) || usual.key == "hidden_dropout") continue;
    if (find(shape, usual.key) == nullptr)
      shape.push_back({usual.key, usual.value, "not in the recipe"});
  }
}

/// The shape as the scenario's own model.
std::vector<Finding> own_model(const std::vector<Finding>& shape, const ModelMatch& match) {
  if (find(shape, "vocab_size") == nullptr) {
    throw InputError(match.where, "vocab_size",
                     "is not given by the recipe, and no model of scenarios/models has its hidden "
                     "size, FFN, heads and experts; --set model_overrides.vocab_size=N sets it");
  }
  std::vector<Finding> findings{
      {"model.name", match.name, "no model of scenarios/models is equal"}};
  for (const Finding& known : shape_of(ModelSpec{})) {
    const Finding* given = find(shape, known.key);
    if (given == nullptr || is_usual(*given)) continue;
    Finding own = *given;
    own.key = "model." + given->key;
    findings.push_back(std::move(own));
  }
  return findings;
}

void apply_given(std::vector<Finding>& shape, const GivenKeys& given) {
  for (const Finding& known : shape_of(ModelSpec{})) {
    auto own = given.find("model_overrides." + known.key);
    if (own == given.end()) own = given.find("model." + known.key);
    if (own == given.end()) continue;
    std::erase_if(shape, [&](const Finding& f) { return f.key == known.key; });
    shape.push_back({known.key, own->second, "--set"});
  }
}

bool names_mamba(const WordTerm& model_class) {
  return model_class && (model_class->value.find("Mamba") != std::string::npos ||
                         model_class->value.find("NemotronH") != std::string::npos);
}

/// The number of layers that the user gives, so that as many are listed.
void take_given_layers(RecipeTerms& terms, const GivenKeys& given) {
  for (const std::string_view key : {"model.num_layers", "model_overrides.num_layers"}) {
    const auto own = given.find(key);
    if (own == given.end()) continue;
    const auto count = number_as<std::int64_t>(own->second);
    if (count && *count > 0) terms.num_layers = Given<std::int64_t>{*count, "--set", false, {}};
  }
}

std::vector<Finding> against(const std::string& name, const std::string& origin, bool assumed,
                             const std::vector<Finding>& shape, const std::vector<Finding>& model) {
  std::vector<Finding> findings{{"model", name, origin, assumed}};
  const bool ffn = !without_ffn(shape, model);
  for (const Finding& known : model) {
    const Finding* given = find(shape, known.key);
    if (given == nullptr || same(known.key, given->value, known.value)) continue;
    if (!ffn && known.key == "ffn_hidden_size" && given->origin != "--set") continue;
    Finding override = *given;
    override.key = "model_overrides." + given->key;
    findings.push_back(std::move(override));
  }
  return findings;
}

/// A model of its own where a recipe takes a part away from the one that it is based on, which an
/// override cannot: what the recipe gives, and the rest of the base.
std::vector<Finding> without_latent(const std::vector<Finding>& shape,
                                    const std::vector<Finding>& base, const ModelMatch& match) {
  std::vector<Finding> findings{{"model.name", match.name, *match.base + " without its latents"}};
  for (const Finding& known : base) {
    const Finding* given = find(shape, known.key);
    if (known.key == "multi_latent_attention") continue;
    Finding own = given != nullptr ? *given : known;
    if (own.value.empty() || is_usual(own)) continue;
    if (given == nullptr) own.origin = *match.base;
    own.key = "model." + known.key;
    findings.push_back(std::move(own));
  }
  return findings;
}

/// The part of a hybrid's pattern behind '/' is of multi-token prediction.
void cut_prediction(RecipeTerms& terms) {
  if (!terms.hybrid_override_pattern || !terms.mtp_num_layers || terms.mtp_num_layers->value != 0)
    return;
  std::string& pattern = terms.hybrid_override_pattern->value;
  pattern.resize(std::min(pattern.find('/'), pattern.size()));
}

/// A tokenizer of a known model has its vocabulary.
void settle_vocabulary(RecipeTerms& terms, const ModelMatch& match, const DataFolder& data) {
  if (!terms.tokenizer || terms.vocab_size || terms.padded_vocab_size) return;
  const Given<std::string>& tokenizer = *terms.tokenizer;
  const auto name = named_model(tokenizer.value);
  if (!name) return;
  const auto model = data.load<ModelSpec>("scenarios/models", *name, match.where, "model");
  terms.vocab_size = Given<std::int64_t>{model.vocab_size, tokenizer.origin + ", that of " + *name,
                                         false, tokenizer.place};
}

}  // namespace

bool is_optional_shape_key(std::string_view key) {
  constexpr std::array<std::string_view, 16> kOptional{"activation_func_clamp_value",
                                                       "hidden_dropout",
                                                       "qk_layernorm",
                                                       "add_bias_linear",
                                                       "add_qkv_bias",
                                                       "softmax_type",
                                                       "window_size",
                                                       "multi_latent_attention",
                                                       "dsa_indexer",
                                                       "gated_delta_net",
                                                       "mamba",
                                                       "attention_output_gate",
                                                       "experts",
                                                       "mtp_num_layers",
                                                       "layers",
                                                       "hybrid_override_pattern"};
  return std::find(kOptional.begin(), kOptional.end(), key) != kOptional.end();
}

bool is_usual(const Finding& given) {
  if (!is_optional_shape_key(given.key) || given.key == "hidden_dropout") return false;
  const std::vector<Finding> usual = shape_of(ModelSpec{});
  return given.value == value_in(usual, given.key);
}

std::vector<Finding> match_model(std::vector<Finding> shape, const ModelMatch& match,
                                 const DataFolder& data) {
  apply_given(shape, match.given);
  if (match.base && !is_file(*match.base, data)) return {{"model", *match.base, match.base_origin}};
  if (match.base)
    return against(*match.base, match.base_origin, false, shape,
                   load_shape(*match.base, match, data));
  require_whole(shape, match);
  add_silent_keys(shape);
  const auto name = nearest(shape, match, data);
  if (!name) return own_model(shape, match);
  const std::vector<Finding> model = load_shape(*name, match, data);
  const bool guessed = find(shape, "vocab_size") == nullptr;
  std::vector<Finding> findings = against(*name, "by its shape", false, shape, model);
  if (guessed) {
    findings.front().origin = "by its shape; the size of the vocabulary is this model's";
    findings.front().assumed = true;
  } else if (findings.size() > 1) {
    findings.front().origin = "the nearest by its shape";
  }
  return findings;
}

std::vector<Finding> model_of_recipe(RecipeTerms terms, const ModelMatch& match, std::int64_t tp,
                                     const DataFolder& data) {
  cut_prediction(terms);
  settle_vocabulary(terms, match, data);
  if (!match.base) {  // its shape is not known here
    settle_hybrid_layers(terms, std::nullopt);
    if (names_mamba(terms.model_class)) require_pattern(terms, *terms.model_class);
    terms.model_class.reset();
  }
  take_given_layers(terms, match.given);
  const bool based = match.base && is_file(*match.base, data);
  if (!based) return match_model(shape_of(terms, tp), match, data);
  const auto base = data.load<ModelSpec>("scenarios/models", *match.base, match.where, "model");
  complete_blocks(terms, base, *match.base);
  complete_experts(terms, base, *match.base);
  complete_layers(terms, base, *match.base);
  std::vector<Finding> shape = shape_of(terms, tp);
  if (has_other_layers(base))
    std::erase_if(shape, [](const Finding& f) { return f.key == "layers"; });
  const bool latent = base.multi_latent_attention.has_value();
  if (latent && terms.multi_latent_attention && !is_latent(terms)) {
    apply_given(shape, match.given);
    return without_latent(shape, shape_of(base), match);
  }
  return match_model(std::move(shape), match, data);
}

bool names_mixture(const std::vector<Finding>& model, const RecipeTerms& terms,
                   const DataFolder& data) {
  if (find(model, "model.experts") != nullptr || find(model, "model_overrides.experts") != nullptr)
    return true;
  const Finding* name = find(model, "model");
  if (name == nullptr) return false;
  if (!is_file(name->value, data)) return is_mixture(terms);
  return data.load<ModelSpec>("scenarios/models", name->value, {}, "model").has_experts();
}

}  // namespace simtrain
