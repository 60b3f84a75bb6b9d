#include "sim/import/model/named_model.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include <fmt/format.h>

#include "sim/import/terms/finding.h"
#include "sim/workload/model/fields/model_fields.h"

namespace simtrain {
namespace {

/// A name that a framework or a hub has for a model of scenarios/models; its own is one of them.
struct NamedModel {
  std::string_view name;
  std::string_view model;
};
constexpr std::array<NamedModel, 161> kNamedModels{{
    {"baichuan2-7b", "baichuan2-7b"},
    {"bloom-176b", "bloom-176b"},
    {"bloom", "bloom-176b"},
    {"chatglm3-6b", "chatglm3-6b"},
    {"dbrx", "dbrx"},
    {"deepseek-v2", "deepseek-v2"},
    {"deepseek-v2-236b", "deepseek-v2"},
    {"deepseek-v3-236b", "deepseek-v2"},
    {"deepseek2-236b", "deepseek-v2"},
    {"deepseek-v2-lite", "deepseek-v2-lite"},
    {"deepseek-v2-16b", "deepseek-v2-lite"},
    {"deepseek-v3-16b", "deepseek-v2-lite"},
    {"deepseek2-16b", "deepseek-v2-lite"},
    {"deepseek-v3", "deepseek-v3"},
    {"deepseek-r1", "deepseek-v3"},
    {"deepseek-v3-671b", "deepseek-v3"},
    {"deepseek-v3.1", "deepseek-v3"},
    {"deepseek3-671b", "deepseek-v3"},
    {"deepseek-v3.2", "deepseek-v3.2"},
    {"falcon-40b", "falcon-40b"},
    {"falcon-7b", "falcon-7b"},
    {"gemma-2b", "gemma-2b"},
    {"gemma-7b", "gemma-7b"},
    {"gemma2-27b", "gemma2-27b"},
    {"gemma2-2b", "gemma2-2b"},
    {"gemma2-9b", "gemma2-9b"},
    {"gemma3-12b", "gemma3-12b"},
    {"gemma3-1b", "gemma3-1b"},
    {"gemma3-27b", "gemma3-27b"},
    {"gemma3-4b", "gemma3-4b"},
    {"glm-4.5", "glm-4.5"},
    {"glm-45-355b", "glm-4.5"},
    {"glm-45-355b-a32b", "glm-4.5"},
    {"glm-4.5-air", "glm-4.5-air"},
    {"glm-4.5-air-106b", "glm-4.5-air"},
    {"glm-4.5-air-106b-a12b", "glm-4.5-air"},
    {"glm-5.2", "glm-5.2"},
    {"gpt-530b", "gpt-530b"},
    {"gpt-oss-120b", "gpt-oss-120b"},
    {"gpt-oss-20b", "gpt-oss-20b"},
    {"gpt2-124m", "gpt2-124m"},
    {"gpt2", "gpt2-124m"},
    {"gpt2-small", "gpt2-124m"},
    {"gpt3-126m", "gpt2-124m"},
    {"gpt3-175b", "gpt3-175b"},
    {"gpt-175b", "gpt3-175b"},
    {"gpt3-20b", "gpt3-20b"},
    {"gpt-20b", "gpt3-20b"},
    {"gpt3-5b", "gpt3-5b"},
    {"gpt-5b", "gpt3-5b"},
    {"gpt3-7b", "gpt3-7b"},
    {"gpt-7b", "gpt3-7b"},
    {"grok1-314b", "grok1-314b"},
    {"grok1", "grok1-314b"},
    {"internlm-7b", "internlm-7b"},
    {"kimi-k2", "kimi-k2"},
    {"kimi-k2-1t", "kimi-k2"},
    {"llama-33b", "llama-33b"},
    {"llama-30b", "llama-33b"},
    {"llama1-33b", "llama-33b"},
    {"llama-65b", "llama-65b"},
    {"llama1-65b", "llama-65b"},
    {"llama2-13b", "llama2-13b"},
    {"llama-13b", "llama2-13b"},
    {"llama1-13b", "llama2-13b"},
    {"llama2-70b", "llama2-70b"},
    {"llama2-7b", "llama2-7b"},
    {"llama-7b", "llama2-7b"},
    {"llama1-7b", "llama2-7b"},
    {"llama3.1-405b", "llama3.1-405b"},
    {"llama3-405b", "llama3.1-405b"},
    {"llama3.1-70b", "llama3.1-70b"},
    {"llama3-70b", "llama3.1-70b"},
    {"llama3.1-nemotron-70b", "llama3.1-70b"},
    {"llama3.3-70b", "llama3.1-70b"},
    {"llama3.1-8b", "llama3.1-8b"},
    {"llama3-8b", "llama3.1-8b"},
    {"llama3-debugmodel", "llama3-debugmodel"},
    {"llama3.1-nemotron-nano-8b", "llama3.1-8b"},
    {"llama3.2-1b", "llama3.2-1b"},
    {"llama3.2-3b", "llama3.2-3b"},
    {"llama4-maverick", "llama4-maverick"},
    {"llama4-e128", "llama4-maverick"},
    {"llama4-17b-128e", "llama4-maverick"},
    {"llama4-17bx128e", "llama4-maverick"},
    {"llama4-experts-128", "llama4-maverick"},
    {"llama4-maverick-17b-128e", "llama4-maverick"},
    {"llama4-scout", "llama4-scout"},
    {"llama4-e16", "llama4-scout"},
    {"llama4-17b-16e", "llama4-scout"},
    {"llama4-17bx16e", "llama4-scout"},
    {"llama4-experts-16", "llama4-scout"},
    {"llama4-scout-17b-16e", "llama4-scout"},
    {"mistral-7b", "mistral-7b"},
    {"mistral-large-123b", "mistral-large-123b"},
    {"mistral-nemo-123b", "mistral-large-123b"},
    {"mistral-nemo-12b", "mistral-nemo-12b"},
    {"mistral-small-24b", "mistral-small-24b"},
    {"mistral-small3-24b", "mistral-small-24b"},
    {"mixtral-8x22b", "mixtral-8x22b"},
    {"mixtral-8x7b", "mixtral-8x7b"},
    {"moonlight-16b-a3b", "moonlight-16b-a3b"},
    {"moonlight", "moonlight-16b-a3b"},
    {"moonlight-16b", "moonlight-16b-a3b"},
    {"mpt-13b", "mpt-13b"},
    {"mpt-1b", "mpt-1b"},
    {"mpt-30b", "mpt-30b"},
    {"mpt-3b", "mpt-3b"},
    {"mpt-70b", "mpt-70b"},
    {"mpt-7b", "mpt-7b"},
    {"nemotron-h-56b", "nemotron-h-56b"},
    {"nemotron-h-8b", "nemotron-h-8b"},
    {"nemotron3-22b", "nemotron3-22b"},
    {"nemotron3-4b", "nemotron3-4b"},
    {"minitron-4b", "nemotron3-4b"},
    {"nemotron3-8b", "nemotron3-8b"},
    {"nemotron3-nano-30b-a3b", "nemotron3-nano-30b-a3b"},
    {"nemotron-3-nano", "nemotron3-nano-30b-a3b"},
    {"nemotron3-super-120b-a12b", "nemotron3-super-120b-a12b"},
    {"nemotron-3-super", "nemotron3-super-120b-a12b"},
    {"nemotron4-15b", "nemotron4-15b"},
    {"nemotron-15b", "nemotron4-15b"},
    {"nemotron4-340b", "nemotron4-340b"},
    {"nemotron-340b", "nemotron4-340b"},
    {"olmoe-1b-7b", "olmoe-1b-7b"},
    {"olmoe", "olmoe-1b-7b"},
    {"olmoe-7b", "olmoe-1b-7b"},
    {"phi3-mini", "phi3-mini"},
    {"phi3-mini-4k", "phi3-mini"},
    {"qwen2-57b-a14b", "qwen2-57b-a14b"},
    {"qwen2.5-0.5b", "qwen2.5-0.5b"},
    {"qwen2-0.5b", "qwen2.5-0.5b"},
    {"qwen2-500m", "qwen2.5-0.5b"},
    {"qwen2.5-500m", "qwen2.5-0.5b"},
    {"qwen2.5-1.5b", "qwen2.5-1.5b"},
    {"qwen2-1.5b", "qwen2.5-1.5b"},
    {"qwen2-1p5b", "qwen2.5-1.5b"},
    {"qwen2.5-1p5b", "qwen2.5-1.5b"},
    {"qwen2.5-14b", "qwen2.5-14b"},
    {"qwen2.5-32b", "qwen2.5-32b"},
    {"qwen2.5-3b", "qwen2.5-3b"},
    {"qwen2.5-72b", "qwen2.5-72b"},
    {"qwen2-72b", "qwen2.5-72b"},
    {"qwen2.5-7b", "qwen2.5-7b"},
    {"qwen2-7b", "qwen2.5-7b"},
    {"qwen3-0.6b", "qwen3-0.6b"},
    {"qwen3-600m", "qwen3-0.6b"},
    {"qwen3-1.7b", "qwen3-1.7b"},
    {"qwen3-1p7b", "qwen3-1.7b"},
    {"qwen3-14b", "qwen3-14b"},
    {"qwen3-235b-a22b", "qwen3-235b-a22b"},
    {"qwen3-moe-235b-a22b", "qwen3-235b-a22b"},
    {"qwen3-30b-a3b", "qwen3-30b-a3b"},
    {"qwen3-moe-30b-a3b", "qwen3-30b-a3b"},
    {"qwen3-32b", "qwen3-32b"},
    {"qwen3-4b", "qwen3-4b"},
    {"qwen3-8b", "qwen3-8b"},
    {"qwen3-next-80b-a3b", "qwen3-next-80b-a3b"},
    {"starcoder2-15b", "starcoder2-15b"},
    {"starcoder2-3b", "starcoder2-3b"},
    {"starcoder2-7b", "starcoder2-7b"},
}};

/// What a name says beside the shape: how the weights were trained, or of which they are.
constexpr std::array<std::string_view, 13> kEndings{"yaml", "hf",   "base", "instruct", "chat",
                                                    "it",   "bf16", "fp8",  "v01",      "pretrain",
                                                    "0905", "0528", "text"};

/// What NeMo 2 and Megatron-Bridge have in the name of a class beside that of the model:
/// `Llama31Config8B`, `Llama31ModelProvider8B`.
constexpr std::array<std::string_view, 3> kClassWords{"ModelProvider", "Provider", "Config"};

/// A name without the owner before it, its marks and its endings: `Meta-Llama-3.1-8B-Instruct` and
/// `Llama31Config8B` are `llama318b`.
std::string bare_name(std::string_view given) {
  std::string name(given.substr(given.rfind('/') + 1));
  for (const std::string_view word : kClassWords) {
    if (const std::size_t at = name.find(word); at != std::string::npos)
      name.erase(at, word.size());
  }
  std::string bare;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      bare += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  if (bare.starts_with("meta")) bare.erase(0, 4);
  for (bool shorter = true; shorter;) {
    shorter = false;
    for (const std::string_view ending : kEndings) {
      if (bare.size() <= ending.size() || !bare.ends_with(ending)) continue;
      bare.resize(bare.size() - ending.size());
      shorter = true;
    }
  }
  return bare;
}

/// Whether a name is in a text, with its last number whole: gpt2 is not in gpt22b nor in gpt2b.
bool has_name(const std::string& text, const std::string& name) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const std::size_t at = text.find(name);
  if (at == std::string::npos) return false;
  const char behind = at + name.size() < text.size() ? text[at + name.size()] : ' ';
  return !digit(name.back()) || !(digit(behind) || behind == 'b');
}

}  // namespace

std::optional<std::string> named_model(const std::string& name) {
  const std::string bare = bare_name(name);
  const auto row = std::find_if(kNamedModels.begin(), kNamedModels.end(),
                                [&](const NamedModel& one) { return bare_name(one.name) == bare; });
  return row == kNamedModels.end() ? std::nullopt : std::optional(std::string(row->model));
}

std::optional<std::string> model_named_in(const std::string& text) {
  const std::string bare = bare_name(text);
  std::size_t longest = 0;
  std::optional<std::string> model;
  for (const NamedModel& row : kNamedModels) {
    const std::string name = bare_name(row.name);
    if (name.size() <= longest || !has_name(bare, name)) continue;
    longest = name.size();
    model = row.model;
  }
  return model;
}

void require_named_model(const RecipeTerms& terms, const RecipeRequest& request) {
  if (!terms.model_class || terms.num_layers || request.model) return;
  if (named_model(terms.model_class->value)) return;
  const bool given = std::any_of(request.settings.begin(), request.settings.end(),
                                 [](const std::string& text) { return text.starts_with("model"); });
  if (given) return;
  throw InputError(terms.model_class->place, terms.model_class->origin,
                   fmt::format("'{}' is no model that is known here by name; --model NAME takes "
                               "one of scenarios/models, --set model=FILE the file that 'simtrain "
                               "import' makes of its config.json",
                               plain_text(terms.model_class->value.substr(0, 80))));
}

LayerCounts layers_of_recipe(const RecipeTerms& terms, const RecipeRequest& request,
                             const DataFolder& data) {
  LayerCounts counts;
  auto named = request.model;
  if (!named && terms.model_class) named = named_model(terms.model_class->value);
  const std::vector<std::string> known = data.names("scenarios/models");
  if (named && std::find(known.begin(), known.end(), *named) != known.end()) {
    const auto model = data.load<ModelSpec>("scenarios/models", *named, {}, "model");
    counts = {model.num_layers, model.mtp_num_layers};
  }
  if (terms.num_layers) counts.layers = terms.num_layers->value;
  if (terms.mtp_num_layers) counts.mtp = terms.mtp_num_layers->value;
  return counts;
}

namespace {

/// Chunks of `each` layers, the last one of what is left, in Megatron's words.
std::string filled_layout(std::int64_t chunks, std::int64_t each, std::int64_t last,
                          std::int64_t mtp) {
  const auto times = [](char symbol, std::int64_t count) {
    return count == 0 ? "" : fmt::format("{}*{}", symbol, count);
  };
  const std::string between =
      chunks == 2 ? "" : fmt::format("({}|)*{}", times('t', each), chunks - 2);
  return fmt::format("E{}|{}{}{}L", times('t', each), between, times('t', last), times('m', mtp));
}

}  // namespace

void settle_split(RecipeTerms& terms, const RecipeRequest& request, const DataFolder& data) {
  if (!terms.model_class || terms.num_layers || terms.pipeline_model_parallel_layout ||
      terms.num_layers_in_first_pipeline_stage || terms.num_layers_in_last_pipeline_stage)
    return;
  const auto degree = [](const WholeTerm& term) {
    return term ? std::clamp<std::int64_t>(term->value, 1, 10000) : 1;
  };
  const std::int64_t stages = degree(terms.pipeline_model_parallel_size);
  const std::int64_t chunks = stages * degree(terms.virtual_pipeline_model_parallel_size);
  const LayerCounts counts = layers_of_recipe(terms, request, data);
  const std::int64_t layers = counts.layers;
  if (stages < 2 || layers % chunks == 0) return;
  const std::string whose =
      fmt::format("{} layers do not split into {} chunks without it", layers, chunks);
  if ((layers + 2) % chunks != 0) {
    const std::int64_t each = (layers + chunks - 1) / chunks;
    const std::int64_t last = layers - (chunks - 1) * each;
    if (last >= 0)
      default_to(terms.pipeline_model_parallel_layout,
                 filled_layout(chunks, each, last, counts.mtp), whose);
    return;
  }
  default_to(terms.account_for_embedding_in_pipeline_split, true, whose);
  default_to(terms.account_for_loss_in_pipeline_split, true, whose);
}

}  // namespace simtrain
