#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "sim/import/job/adapter_keys.h"
#include "sim/import/launch/launch_words.h"
#include "sim/import/megatron/command_line.h"
#include "sim/import/megatron/megatron_bridge.h"
#include "sim/import/model/named_model.h"
#include "sim/import/scenario/scenario_text.h"
#include "sim/import/shell/shell_script.h"
#include "sim/import/yaml/hydra.h"

namespace simtrain {
namespace {

constexpr std::string_view kRecipeOption = "--recipe";
constexpr std::string_view kRecipeFolder = "recipes/";
constexpr std::string_view kFileOption = "--config-file";

/// The start of a recipe of Megatron-Bridge: the recipe's name, and the words of its command.
struct RecipeLaunch {
  ShellWord recipe;
  std::vector<ShellWord> words;
};

/// The recipe that a command names: `--recipe NAME`, or the script of one in a folder of recipes,
/// recipes/llama/pretrain_llama3_8b.py.
std::optional<ShellWord> recipe_word(const std::vector<ShellWord>& words) {
  if (auto recipe = option_word(words, kRecipeOption)) return recipe;
  for (const ShellWord& word : words) {
    if (word.text.find(kRecipeFolder) == std::string::npos || !word.text.ends_with(".py")) continue;
    const std::string file = word.text.substr(word.text.rfind('/') + 1);
    if (!file.starts_with("pretrain_") && !file.starts_with("finetune_")) continue;
    ShellWord recipe = word;
    const std::size_t name = file.find('_') + 1;
    recipe.text = file.substr(name, file.size() - name - 3);
    return recipe;
  }
  return std::nullopt;
}

/// The words of the one command that names a recipe. Scripts put theirs together in variables, so
/// that all words of a script count that starts one recipe only; of several the first counts.
std::optional<RecipeLaunch> launch_in(const std::vector<ShellWord>& words) {
  std::optional<RecipeLaunch> found;
  std::vector<ShellWord> all;
  bool several = false;
  for (std::size_t at = 0; at < words.size();) {
    std::vector<ShellWord> parts;
    do {
      if (!words[at].ends) add_parts(words[at], parts);
      ++at;
    } while (at < words.size() && !words[at].starts);
    all.insert(all.end(), parts.begin(), parts.end());
    const auto recipe = recipe_word(parts);
    if (!recipe) continue;
    several = several || (found && found->recipe.text != recipe->text);
    if (!found) found = RecipeLaunch{*recipe, std::move(parts)};
  }
  if (found && !several) found->words = std::move(all);
  return found;
}

/// What a recipe is of, by its name: `llama3_8b_pretrain_fp8_current_scaling_config` is of
/// `llama3_8b`.
std::string model_of_recipe(std::string_view recipe) {
  std::size_t end = recipe.size();
  for (const std::string_view task : {"_pretrain", "_sft", "_peft", "_finetune", "_config"})
    end = std::min(end, recipe.find(task));
  return std::string(recipe.substr(0, end));
}

/// Words of recipes' names that say a precision, and the mixed_precision that it is.
constexpr std::array kRecipePrecisions{
    std::pair<std::string_view, std::string_view>{"mxfp8", "bf16_with_mxfp8_mixed"},
    std::pair<std::string_view, std::string_view>{"nvfp4", "bf16_with_nvfp4_mixed"},
    std::pair<std::string_view, std::string_view>{"fp8_current",
                                                  "bf16_with_fp8_current_scaling_mixed"},
    std::pair<std::string_view, std::string_view>{"fp8_sc", "bf16_with_fp8_subchannel_mixed"},
    std::pair<std::string_view, std::string_view>{"fp8", "bf16_with_fp8_delayed_scaling_mixed"}};

void add_precision(const ShellWord& recipe, YamlNode& tree) {
  if (tree.find("mixed_precision") != nullptr) return;
  const auto* const row = std::find_if(
      kRecipePrecisions.begin(), kRecipePrecisions.end(),
      [&](const auto& one) { return recipe.text.find(one.first) != std::string::npos; });
  if (row != kRecipePrecisions.end())
    set_yaml_value(tree, "mixed_precision", scalar_node(std::string(row->second), recipe.place));
}

YamlNode launch_tree(std::vector<std::string>& open, const RecipeLaunch& launch,
                     const ImportFile& file, const RecipeRequest& request) {
  YamlNode tree;
  tree.kind = YamlNode::Kind::map;
  tree.place = {file.path};
  if (const auto named = option_word(launch.words, kFileOption)) {
    if (const auto beside = configuration_beside(*named, file.path, without_file(request))) {
      tree = load_yaml_text(beside->text, beside->path);
      if (tree.kind != YamlNode::Kind::map)
        throw InputError({beside->path}, "",
                         "is no map of keys; overrides of a recipe were expected");
    }
  }
  for (const ShellWord& word : launch.words) add_bridge_key(word, request, tree, open);
  apply_overrides(tree, key_overrides(request, true));
  add_precision(launch.recipe, tree);
  return tree;
}

/// Recipes of adapters have it in their names.
void add_adapters(const RecipeLaunch& launch, RecipeTerms& terms) {
  const std::string& name = launch.recipe.text;
  auto scheme = option_word(launch.words, "--peft_scheme");
  if (!scheme) scheme = option_word(launch.words, "peft");
  const bool named = name.find("_peft") != name.npos || name.find("lora") != name.npos;
  if (scheme)
    terms.peft_scheme = Given<std::string>{scheme->text, "peft", false, scheme->place};
  else if (named)
    terms.peft_scheme =
        Given<std::string>{"lora", std::string(kRecipeOption), false, launch.recipe.place};
  add_adapter_defaults(lora_class_defaults(), terms);
}

bool is_bridge_launch(std::string_view text) {
  const auto has = [&](std::string_view part) { return text.find(part) != std::string_view::npos; };
  return (has(kRecipeOption) && (has("run_recipe.py") || has("scripts/training/train.sh"))) ||
         (has(kRecipeFolder) && has(".py") && (has("/pretrain_") || has("/finetune_")) &&
          !has("--num-layers"));
}

ImportedRecipe read_bridge_launch(const ImportFile& file, const RecipeRequest& request,
                                  const DataFolder& data) {
  const ShellScript script = read_script(file.text, file.path, script_request(request));
  const std::optional<RecipeLaunch> launch = launch_in(script.words);
  if (!launch) throw InputError({file.path}, std::string(kRecipeOption), "is of no command here");
  const std::string& name = launch->recipe.text;
  if (name.find('$') != std::string::npos && !request.model)
    throw InputError(launch->recipe.place, std::string(kRecipeOption),
                     fmt::format("'{}' has no value in the file; --model NAME says what it trains",
                                 plain_text(name.substr(0, 80))));
  RecipeTerms named;
  const std::string model = model_of_recipe(name);
  named.model_class = Given<std::string>{model_named_in(model).value_or(model),
                                         std::string(kRecipeOption), false, launch->recipe.place};
  require_named_model(named, request);
  std::vector<std::string> open;
  const YamlNode tree = launch_tree(open, *launch, file, request);
  std::vector<std::string> wanted{"model.tensor_model_parallel_size",
                                  "model.pipeline_model_parallel_size", "train.global_batch_size",
                                  "train.micro_batch_size"};
  wanted.insert(wanted.end(), open.begin(), open.end());
  require_launch_keys(tree, launch->recipe, kRecipeOption, wanted, request);
  RecipeReading reading = bridge_reading(tree, without_value(request));
  reading.terms.model_class = named.model_class;
  settle_split(reading.terms, request, data);
  add_adapters(*launch, reading.terms);
  const std::string usual = "usual in Megatron-Bridge's recipes, this one is not read";
  default_to(reading.terms.overlap_grad_reduce, true, usual);
  default_to(reading.terms.overlap_param_gather, true, usual);
  default_to(reading.terms.expert_tensor_parallel_size, 1, usual);
  ++reading.taken;
  read_environment(script, reading);
  note_unread(script, reading);
  read_launch_count(launch->words, {"--nnodes", "--nodes"}, reading.terms.num_nodes);
  read_launch_count(launch->words, {"--nproc_per_node", "--gpus-per-node"},
                    reading.terms.gpus_per_node);
  ++reading.left_out
        ["what the recipe's Python sets itself beside what is given here; "
         "Megatron-Bridge's defaults and overlap are assumed"][name];
  return imported_scenario("launch of a Megatron-Bridge recipe", std::move(reading), file, request,
                           data);
}

}  // namespace

const RecipeFormat kBridgeLaunch{
    "bridge-launch",
    "a shell script that starts a recipe of Megatron-Bridge by name (run_recipe.py --recipe NAME "
    "key=value)",
    is_bridge_launch, read_bridge_launch};

}  // namespace simtrain
