#include "sim/import/launch/launch_words.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/core/files/text_file.h"
#include "sim/core/input/number_text.h"
#include "sim/import/megatron/megatron_tree.h"
#include "sim/import/shell/shell_path.h"
#include "sim/import/terms/finding.h"

namespace simtrain {
namespace {

constexpr TextFileKind kConfiguration{"a configuration that a script names", 4};

bool starts_one_of(const std::vector<ShellWord>& words,
                   std::span<const std::string_view> programs) {
  return std::any_of(words.begin(), words.end(), [&](const ShellWord& word) {
    return std::any_of(programs.begin(), programs.end(),
                       [&](std::string_view program) { return word.text.ends_with(program); });
  });
}

/// Whether a key, or the override of it, is the degree of TP or PP.
bool is_degree(std::string_view text) {
  const std::string_view key = text.substr(0, text.find('='));
  return !text.starts_with('~') &&
         (key.ends_with("tensor_model_parallel_size") ||
          key.ends_with("pipeline_model_parallel_size")) &&
         !key.ends_with("virtual_pipeline_model_parallel_size") &&
         !key.ends_with("expert_tensor_model_parallel_size");
}

}  // namespace

std::optional<ShellWord> option_word(const std::vector<ShellWord>& words, std::string_view option) {
  const std::string wanted = underscored(std::string(option));
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (underscored(words[i].text.substr(0, words[i].text.find('='))) != wanted) continue;
    ShellWord value = words[i];
    if (const std::size_t equals = value.text.find('='); equals != std::string::npos) {
      value.text = value.text.substr(equals + 1);
      return value;
    }
    if (i + 1 < words.size()) return words[i + 1];
  }
  return std::nullopt;
}

std::optional<ProgramStart> program_start(const std::vector<ShellWord>& script,
                                          std::span<const std::string_view> programs) {
  ProgramStart start;
  std::optional<ProgramStart> kept;
  for (const std::span<const ShellWord> words : commands_in(script)) {
    std::vector<ShellWord> command;
    bool sets = true;
    for (const ShellWord& word : words) {
      const bool variable = sets && !set_variable(word).empty();
      if (variable) start.variables.push_back(word);
      sets = variable || (sets && word.text == "export");
      if (!word.ends) add_parts(word, command);
    }
    if (!starts_one_of(command, programs)) continue;
    start.words = std::move(command);
    if (!sets) return start;
    kept = start;
  }
  return kept;
}

std::optional<ShellWord> variable_word(const ProgramStart& start, std::string_view name) {
  const auto last = std::find_if(start.variables.rbegin(), start.variables.rend(),
                                 [&](const ShellWord& word) { return set_variable(word) == name; });
  if (last == start.variables.rend()) return std::nullopt;
  ShellWord value = *last;
  value.text = value.text.substr(name.size() + 1);
  return value;
}

std::optional<ImportFile> configuration_beside(const ShellWord& named, const std::string& script,
                                               WithoutFile without) {
  const std::filesystem::path folder = folder_of(script);
  const std::string name = named.text.substr(named.text.rfind('/') + 1);
  for (const std::filesystem::path& path :
       {folder / named.text, std::filesystem::path(named.text), folder / name}) {
    std::error_code error;
    if (name.empty() || !std::filesystem::is_regular_file(path, error)) continue;
    const std::string plain = path.lexically_normal().string();
    return ImportFile{plain, read_text_file(plain, kConfiguration)};
  }
  if (without == WithoutFile::read) return std::nullopt;
  throw InputError(named.place, "",
                   fmt::format("starts a program with the configuration '{}', which is not there; "
                               "put it beside the script, or {}",
                               plain_text(named.text.substr(0, 120)),
                               without == WithoutFile::refused_with_option
                                   ? "--defaults takes what is known without it"
                                   : "import it itself with --override for the keys that the "
                                     "script changes"));
}

void refuse_undecided_key(const ShellWord& word, const std::string& key,
                          const RecipeRequest& request) {
  const bool settled =
      std::any_of(request.overrides.begin(), request.overrides.end(), [&](std::string_view text) {
        text.remove_prefix(std::min(text.find_first_not_of("+~"), text.size()));
        return text.substr(0, text.find('=')) == key;
      });
  if (!word.undecided || settled) return;
  throw InputError(word.place, key,
                   fmt::format("is in a branch that is decided at run time; --override +{}=VALUE "
                               "settles it",
                               key));
}

std::vector<std::string> key_overrides(const RecipeRequest& request, bool adds) {
  std::vector<std::string> overrides;
  for (const std::string& text : request.overrides) {
    if (text.starts_with(kWithoutFile)) continue;
    const bool plain = adds && !text.starts_with('+') && !text.starts_with('~');
    overrides.push_back((plain ? "++" : "") + text);
  }
  return overrides;
}

void add_bridge_key(const ShellWord& word, const RecipeRequest& request, YamlNode& tree,
                    std::vector<std::string>& open) {
  std::string_view text = word.text;
  text.remove_prefix(std::min(text.find_first_not_of('+'), text.size()));
  const std::size_t equals = text.find('=');
  const std::string_view key = text.substr(0, equals);
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz_0123456789.";
  const bool dotted = key.find('.') != std::string_view::npos;
  if (equals == std::string_view::npos || (!dotted && key != "mixed_precision") ||
      key.find_first_not_of(kLetters) != std::string_view::npos || key.starts_with('.') ||
      key.ends_with('.') || key.find("..") != std::string_view::npos)
    return;
  const std::string_view section = key.substr(0, key.find('.'));
  constexpr std::array<std::string_view, 5> kOfSteps{"model", "mixed_precision", "ddp", "optimizer",
                                                     "comm_overlap"};
  if (key.ends_with("_batch_size") ||
      std::find(kOfSteps.begin(), kOfSteps.end(), section) != kOfSteps.end())
    refuse_undecided_key(word, std::string(key), request);
  const std::string value(text.substr(equals + 1));
  if (value.find('$') == std::string::npos) {
    set_yaml_value(tree, key, scalar_node(value, word.place));
  } else if (key.starts_with("model.") || key.ends_with("_batch_size")) {
    open.emplace_back(key);
  }
}

void require_launch_keys(const YamlNode& tree, const ShellWord& recipe, std::string_view option,
                         const std::vector<std::string>& wanted, const RecipeRequest& request) {
  if (request.defaults) return;
  const bool degrees = std::any_of(request.overrides.begin(), request.overrides.end(), is_degree);
  std::vector<std::string> missing;
  for (const std::string& key : wanted) {
    const bool named = std::find(missing.begin(), missing.end(), key) != missing.end();
    if (named || (degrees && is_degree(key)) || find_yaml_value(tree, key) != nullptr) continue;
    missing.push_back(key);
  }
  if (missing.empty()) return;
  const bool only_degrees = std::all_of(missing.begin(), missing.end(), is_degree);
  throw InputError(
      recipe.place, std::string(option),
      fmt::format("'{}' is a program in Python, whose own value of {} is not known here; {}, "
                  "--defaults takes the framework's (or import what it prints at start)",
                  plain_text(recipe.text.substr(0, 80)), fmt::join(missing, ", "),
                  missing.size() == 1 ? fmt::format("--override {}=VALUE sets it", missing.front())
                  : only_degrees
                      ? fmt::format("--override {}=VALUE sets it, and what is not given is 1 then",
                                    missing.front())
                      : "--override KEY=VALUE sets each"));
}

void read_launch_count(const std::vector<ShellWord>& words,
                       std::initializer_list<std::string_view> options, WholeTerm& term) {
  for (const std::string_view option : options) {
    const auto word = option_word(words, option);
    const auto count = word ? number_as<std::int64_t>(word->text) : std::nullopt;
    if (!count || *count < 1) continue;
    term = Given<std::int64_t>{*count, std::string(option), false, word->place};
    return;
  }
}

}  // namespace simtrain
