#include "sim/import/model/named_model.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include <fmt/format.h>

#include "sim/import/terms/finding.h"

namespace simtrain {
namespace {

/// A name in small letters, its parts joined by dashes, and the model of scenarios/models.
struct NamedModel {
  std::string_view name;
  std::string_view model;
};
constexpr std::array<NamedModel, 67> kNamedModels{{{"llama2-7b", "llama2-7b"},
                                                   {"llama2-13b", "llama2-13b"},
                                                   {"llama2-70b", "llama2-70b"},
                                                   {"llama3-8b", "llama3.1-8b"},
                                                   {"llama3-70b", "llama3.1-70b"},
                                                   {"llama3-405b", "llama3.1-405b"},
                                                   {"llama3.1-8b", "llama3.1-8b"},
                                                   {"llama3.1-70b", "llama3.1-70b"},
                                                   {"llama3.1-405b", "llama3.1-405b"},
                                                   {"llama3.3-70b", "llama3.1-70b"},
                                                   {"llama4-17bx16e", "llama4-scout"},
                                                   {"llama4-17b-16e", "llama4-scout"},
                                                   {"llama4-17b16e", "llama4-scout"},
                                                   {"llama4-17bx128e", "llama4-maverick"},
                                                   {"llama4-17b-128e", "llama4-maverick"},
                                                   {"llama4-17b128e", "llama4-maverick"},
                                                   {"mixtral-8x7b", "mixtral-8x7b"},
                                                   {"mixtral-8x7b-v0.1", "mixtral-8x7b"},
                                                   {"mixtral-8x22b", "mixtral-8x22b"},
                                                   {"mixtral-8x22b-v0.1", "mixtral-8x22b"},
                                                   {"deepseek-v2-lite", "deepseek-v2-lite"},
                                                   {"deepseek-v3-16b", "deepseek-v2-lite"},
                                                   {"deepseek2-16b", "deepseek-v2-lite"},
                                                   {"deepseek-v2", "deepseek-v2"},
                                                   {"deepseek-v3-236b", "deepseek-v2"},
                                                   {"deepseek2-236b", "deepseek-v2"},
                                                   {"deepseek-v3", "deepseek-v3"},
                                                   {"deepseek-v3-671b", "deepseek-v3"},
                                                   {"deepseek3-671b", "deepseek-v3"},
                                                   {"qwen3-30b-a3b", "qwen3-30b-a3b"},
                                                   {"qwen3-235b-a22b", "qwen3-235b-a22b"},
                                                   {"qwen2.5-32b", "qwen2.5-32b"},
                                                   {"gpt3-175b", "gpt3-175b"},
                                                   {"gpt-oss-20b", "gpt-oss-20b"},
                                                   {"gpt-oss-120b", "gpt-oss-120b"},
                                                   {"kimi-k2", "kimi-k2"},
                                                   {"kimi-k2-1t", "kimi-k2"},
                                                   {"grok1", "grok1-314b"},
                                                   {"mosaicml/mpt-7b", "mpt-7b"},
                                                   {"mosaicml/mpt-30b", "mpt-30b"},
                                                   {"meta-llama/llama-2-7b-hf", "llama2-7b"},
                                                   {"meta-llama/llama-2-13b-hf", "llama2-13b"},
                                                   {"meta-llama/llama-2-70b-hf", "llama2-70b"},
                                                   {"meta-llama/llama-3.1-8b", "llama3.1-8b"},
                                                   {"meta-llama/llama-3.1-70b", "llama3.1-70b"},
                                                   {"databricks/dbrx-base", "dbrx"},
                                                   {"llama3.2-1b", "llama3.2-1b"},
                                                   {"llama3.2-3b", "llama3.2-3b"},
                                                   {"qwen3-0.6b", "qwen3-0.6b"},
                                                   {"qwen3-1.7b", "qwen3-1.7b"},
                                                   {"qwen3-4b", "qwen3-4b"},
                                                   {"qwen3-8b", "qwen3-8b"},
                                                   {"qwen3-14b", "qwen3-14b"},
                                                   {"qwen3-32b", "qwen3-32b"},
                                                   {"qwen2.5-7b", "qwen2.5-7b"},
                                                   {"qwen2.5-14b", "qwen2.5-14b"},
                                                   {"qwen2.5-72b", "qwen2.5-72b"},
                                                   {"meta-llama/llama-3.2-1b", "llama3.2-1b"},
                                                   {"meta-llama/llama-3.2-3b", "llama3.2-3b"},
                                                   {"qwen/qwen3-8b", "qwen3-8b"},
                                                   {"qwen/qwen3-14b", "qwen3-14b"},
                                                   {"qwen/qwen3-32b", "qwen3-32b"},
                                                   {"deepseek-v2-236b", "deepseek-v2"},
                                                   {"deepseek-v2-16b", "deepseek-v2-lite"},
                                                   {"moonlight-16b-a3b", "moonlight-16b-a3b"},
                                                   {"qwen2-57b-a14b", "qwen2-57b-a14b"},
                                                   {"grok-1", "grok1-314b"}}};

}  // namespace

std::optional<std::string> named_model(const std::string& name) {
  std::string plain = name.substr(0, name.ends_with(".yaml") ? name.size() - 5 : name.size());
  std::transform(plain.begin(), plain.end(), plain.begin(), [](unsigned char c) {
    return c == '_' || c == ' ' ? '-' : static_cast<char>(std::tolower(c));
  });
  const auto row = std::find_if(kNamedModels.begin(), kNamedModels.end(),
                                [&](const NamedModel& one) { return one.name == plain; });
  return row == kNamedModels.end() ? std::nullopt : std::optional(std::string(row->model));
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

}  // namespace simtrain
