#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/core/input/scalar_text.h"
#include "sim/import/megatron/megatron_tree.h"
#include "sim/import/scenario/scenario_text.h"
#include "sim/import/shell/shell_variables.h"
#include "sim/import/terms/environment.h"
#include "sim/import/yaml/yaml_recipe.h"

namespace simtrain {
namespace {

constexpr std::string_view kArguments = "MODEL_ARGS";
constexpr std::string_view kEnvironment = "ENV_VARS";

bool is_model_config(std::string_view text) { return has_top_key(text, kArguments); }

/// A value as a word of the command line that Megatron's test launcher makes of it.
YamlNode argument_value(const YamlNode& value, const std::string& option,
                        const ShellVariables& variables) {
  if (value.kind == YamlNode::Kind::map)
    throw InputError(value.place, option, "is a map; an argument has a value or a list of them");
  if (value.kind == YamlNode::Kind::scalar)
    return scalar_node(variables.put_in(value.text), value.place);
  std::vector<std::string> words;
  words.reserve(value.items.size());
  for (const YamlNode& item : value.items) words.push_back(scalar_text(item, option));
  return scalar_node(fmt::format("{}", fmt::join(words, ",")), value.place);
}

/// `--option: value`: true gives the option alone, false and nothing leave it out.
YamlNode arguments_of(const YamlNode& tree, const ShellVariables& variables, const ImportFile& file,
                      const RecipeRequest& request) {
  MegatronArguments arguments(file.path, request);
  const YamlNode* map = tree.find(kArguments);
  if (map == nullptr || map->kind != YamlNode::Kind::map)
    throw InputError(map == nullptr ? tree.place : map->place, std::string(kArguments),
                     "must be a map of --option: value");
  for (const YamlEntry& entry : map->entries) {
    const std::size_t start = std::min(entry.key.find_first_not_of('-'), entry.key.size());
    const std::string option = underscored(entry.key.substr(start));
    if (start != 2 || option.empty())
      throw InputError(entry.place, entry.key, "is no option; --option: value would do");
    const YamlNode& value = entry.value;
    const bool off = value.kind == YamlNode::Kind::null ||
                     (value.kind == YamlNode::Kind::scalar && value.text == "false");
    if (!off) arguments.add_option(option, argument_value(value, option, variables));
  }
  return arguments.take();
}

/// The keys beside the arguments: none concerns a step, but for a mode without training.
void read_rest(const YamlNode& tree, RecipeReading& reading) {
  for (const YamlEntry& entry : tree.entries) {
    if (entry.key == kArguments || entry.key == kEnvironment) continue;
    if (entry.key == "MODE" && entry.value.text != "pretraining")
      throw InputError(entry.value.place, entry.key,
                       fmt::format("is {}; training steps are simulated", found(entry.value)));
    ++reading.ignored["of the test around the run"][entry.key];
  }
}

ImportedRecipe read_model_config(const ImportFile& file, const RecipeRequest& request,
                                 const DataFolder& data) {
  const YamlNode tree = load_yaml_text(file.text, file.path);
  const YamlNode* environment = tree.find(kEnvironment);
  ShellVariables variables(file.path);
  if (environment != nullptr) {
    for (const YamlEntry& entry : environment->entries) {
      if (entry.value.kind == YamlNode::Kind::scalar) variables.set(entry.key, entry.value.text);
    }
  }
  RecipeReading reading = read_megatron_arguments(arguments_of(tree, variables, file, request),
                                                  KeyStyle::option, request);
  if (environment != nullptr) {
    for (const YamlEntry& entry : environment->entries)
      read_variable(entry.key, entry.value, reading);
  }
  read_rest(tree, reading);
  return imported_scenario("model_config.yaml of Megatron-LM", reading, file, request, data);
}

}  // namespace

const RecipeFormat kMegatronModelConfig{
    "megatron-model-config",
    "model_config.yaml of Megatron-LM's functional tests: YAML with MODEL_ARGS", is_model_config,
    read_model_config};

}  // namespace simtrain
