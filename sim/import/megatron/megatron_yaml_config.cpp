#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/core/input/scalar_text.h"
#include "sim/import/megatron/megatron_tree.h"
#include "sim/import/scenario/scenario_text.h"
#include "sim/import/yaml/yaml_recipe.h"

namespace simtrain {
namespace {

/// The sections of a file of `--yaml-cfg`, whose keys are arguments as those beside them are.
constexpr std::array<std::string_view, 2> kSections{"language_model", "model_parallel"};

bool is_yaml_config(std::string_view text) {
  return std::all_of(kSections.begin(), kSections.end(),
                     [&](std::string_view section) { return has_top_key(text, section); });
}

/// A word of Megatron Core's configuration as the argument that sets it.
void add_argument(const YamlEntry& entry, MegatronArguments& arguments) {
  const YamlNode& value = entry.value;
  if (value.kind == YamlNode::Kind::null) return;
  if (value.kind == YamlNode::Kind::map)
    throw InputError(value.place, entry.key, "is a map; an argument has a value or a list of them");
  if (value.kind == YamlNode::Kind::scalar)
    return arguments.add(entry.key, scalar_node(value.text, value.place));
  std::vector<std::string> words;
  words.reserve(value.items.size());
  for (const YamlNode& item : value.items) words.push_back(scalar_text(item, entry.key));
  arguments.add(entry.key, scalar_node(fmt::format("{}", fmt::join(words, ",")), value.place));
}

ImportedRecipe read_yaml_config(const ImportFile& file, const RecipeRequest& request,
                                const DataFolder& data) {
  const YamlNode tree = load_yaml_text(file.text, file.path);
  MegatronArguments arguments(file.path, request);
  for (const YamlEntry& entry : tree.entries) {
    const bool section =
        std::find(kSections.begin(), kSections.end(), entry.key) != kSections.end();
    if (!section) {
      add_argument(entry, arguments);
      continue;
    }
    for (const YamlEntry& own : entry.value.entries) add_argument(own, arguments);
  }
  RecipeReading reading = read_megatron_arguments(arguments.take(), KeyStyle::dotted, request);
  return imported_scenario("file of Megatron-LM's --yaml-cfg", reading, file, request, data);
}

}  // namespace

const RecipeFormat kMegatronYamlConfig{
    "megatron-yaml-config",
    "file of Megatron-LM's --yaml-cfg: YAML with language_model and model_parallel", is_yaml_config,
    read_yaml_config};

}  // namespace simtrain
