#include "sim/import/maxtext/maxtext_command.h"

#include <algorithm>
#include <filesystem>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "sim/core/files/yaml_file.h"
#include "sim/import/launch/launch_words.h"
#include "sim/import/maxtext/maxtext.h"
#include "sim/import/megatron/megatron_tree.h"
#include "sim/import/model/named_model.h"
#include "sim/import/terms/finding.h"
#include "sim/import/yaml/hydra.h"
#include "sim/import/yaml/yaml_recipe.h"

namespace simtrain {
namespace {

constexpr std::string_view kBaseConfig = "base_config";
constexpr std::string_view kModelName = "model_name";
constexpr int kDeepestBases = 16;  // configurations that start from others

/// `key=value` as MaxText takes it, in small letters.
bool is_key_word(std::string_view text) {
  const std::size_t equals = text.find('=');
  return equals != std::string_view::npos && equals > 0 &&
         text.substr(0, equals).find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") ==
             std::string_view::npos;
}

/// Commands of a script that start MaxText with a configuration, those that train before others.
std::vector<std::span<const ShellWord>> commands_of(const ShellScript& script) {
  std::vector<std::span<const ShellWord>> commands = commands_in(script.words);
  std::erase_if(commands, [](std::span<const ShellWord> command) {
    const bool keys = std::any_of(command.begin() + 1, command.end(),
                                  [](const ShellWord& word) { return is_key_word(word.text); });
    return !keys || std::none_of(command.begin(), command.end(), is_yaml_file);
  });
  const auto trains = [](std::span<const ShellWord> command) {
    return std::any_of(command.begin(), command.end(), [](const ShellWord& word) {
      return word.text.find("train") != std::string::npos && word.text.find('=') == word.text.npos;
    });
  };
  std::stable_partition(commands.begin(), commands.end(), trains);
  return commands;
}

/// The configuration that another one or a command starts from, at its path or beside it; none
/// where it is not there.
std::optional<std::string> base_file(const YamlNode& tree, const std::string& path) {
  const std::filesystem::path base = text_at(tree, kBaseConfig);
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  for (const std::filesystem::path& place : {folder / base, base, folder / base.filename()}) {
    std::error_code error;
    if (!base.empty() && place != std::filesystem::path(path) &&
        std::filesystem::is_regular_file(place, error))
      return place.string();
  }
  return std::nullopt;
}

/// The configuration that a tree starts from and that is not there; nothing where it is MaxText's
/// own.
std::optional<std::string> missing_base(YamlNode& tree, bool defaults) {
  const YamlNode* given = tree.find(kBaseConfig);
  const std::string base = text_at(tree, kBaseConfig);
  if (given == nullptr || base.empty() || base.ends_with("base.yml")) return std::nullopt;
  const bool named = tree.find(kModelName) != nullptr;
  if (!defaults && !named)
    throw InputError(given->place, std::string(kBaseConfig),
                     fmt::format("starts from '{}', which is not there; put it beside the recipe, "
                                 "or --defaults takes what is known without it",
                                 plain_text(base.substr(0, 120))));
  const std::string name = std::filesystem::path(base).stem().string();
  if (!named && named_model(name))
    set_yaml_value(tree, kModelName, scalar_node(name, given->place));
  return base;
}

}  // namespace

YamlNode maxtext_tree(const ShellScript& script, const ImportFile& file,
                      const RecipeRequest& request) {
  YamlNode tree;
  tree.kind = YamlNode::Kind::map;
  tree.place = {file.path};
  const auto commands = commands_of(script);
  const auto words = commands.empty() ? std::span<const ShellWord>(script.words) : commands.front();
  for (const ShellWord& word : words) {
    if (is_yaml_file(word) && text_at(tree, kBaseConfig).empty())
      set_yaml_value(tree, std::string(kBaseConfig), scalar_node(word.text, word.place),
                     word.place);
    if (word.starts || !is_key_word(word.text)) continue;
    const std::size_t equals = word.text.find('=');
    const std::string key = word.text.substr(0, equals);
    if (matters_to_maxtext(key)) refuse_undecided_key(word, key, request);
    set_yaml_value(tree, key, scalar_node(word.text.substr(equals + 1), word.place), word.place);
  }
  return tree;
}

std::optional<std::string> take_in_bases(YamlNode& tree, std::string path, bool defaults) {
  for (int depth = 0; depth < kDeepestBases; ++depth) {
    const auto file = base_file(tree, path);
    if (!file) return missing_base(tree, defaults);
    const YamlNode below = load_yaml_file(*file);
    std::erase_if(tree.entries, [](const YamlEntry& entry) { return entry.key == kBaseConfig; });
    for (const YamlEntry& entry : below.entries) {
      if (tree.find(entry.key) == nullptr) tree.entries.push_back(entry);
    }
    path = *file;
  }
  throw InputError({path}, std::string(kBaseConfig), "goes in a circle");
}

void note_other_commands(const ShellScript& script, const std::optional<std::string>& missing,
                         RecipeReading& reading) {
  const auto commands = commands_of(script);
  for (std::size_t i = 1; i < commands.size(); ++i)
    ++reading.left_out["commands behind the first that trains; a script of one of them takes it"]
                      [fmt::format("{}:{}", commands[i].front().place.file,
                                   commands[i].front().place.line)];
  if (missing)
    ++reading.left_out["keys of a configuration that is not beside the recipe"][*missing];
}

}  // namespace simtrain
