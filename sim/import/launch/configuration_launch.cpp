#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "sim/core/input/number_text.h"
#include "sim/import/launch/launch_words.h"
#include "sim/import/megatron/command_line.h"
#include "sim/import/scenario/scenario_text.h"
#include "sim/import/shell/slurm_lines.h"

namespace simtrain {
namespace {

/// How the words of a command change keys of its configuration.
enum class KeyWords { hydra, omegaconf, options, none };

/// A program that trains by a configuration in a file: how its command names the file, and how it
/// changes keys of it. The file is read as `format` has it.
struct ConfiguredProgram {
  std::array<std::string_view, 2> programs;  ///< ends of the word that starts it
  const RecipeFormat& format;
  KeyWords keys;
  std::string_view option = "";    ///< before the file
  std::string_view variable = "";  ///< set to the file
  std::string_view folder = "";    ///< the option before the file's folder; the file is a name then
};

const std::array kConfiguredPrograms{
    ConfiguredProgram{{"megatron_gpt_pretraining.py", "megatron_gpt_finetuning.py"},
                      kNemo1,
                      KeyWords::hydra,
                      "--config-name",
                      "",
                      "--config-path"},
    ConfiguredProgram{{"train/train.py", "llmfoundry"}, kLlmFoundry, KeyWords::omegaconf},
    ConfiguredProgram{
        {"run_train.py", "run_train_moe.py"}, kNanotron, KeyWords::none, "--config-file"},
    ConfiguredProgram{{"run_pretrain.sh", "run_slurm_pretrain.sh"},
                      kPrimus,
                      KeyWords::options,
                      "--config",
                      "EXP"}};

/// The file of a configuration among the words, without an option before it.
std::optional<ShellWord> plain_file(const std::vector<ShellWord>& words) {
  const auto file = std::find_if(words.begin(), words.end(), [](const ShellWord& word) {
    return (word.text.ends_with(".yaml") || word.text.ends_with(".yml")) &&
           word.text.find('=') == std::string::npos;
  });
  return file == words.end() ? std::nullopt : std::optional(*file);
}

std::optional<ShellWord> file_word(const ConfiguredProgram& program, const ProgramStart& start) {
  if (program.option.empty()) return plain_file(start.words);
  auto named = option_word(start.words, program.option);
  if (!named && !program.variable.empty()) named = variable_word(start, program.variable);
  if (!named || program.folder.empty()) return named;
  if (!named->text.ends_with(".yaml")) named->text += ".yaml";
  if (const auto folder = option_word(start.words, program.folder))
    named->text = folder->text + "/" + named->text;
  return named;
}

/// The key that a word changes; empty where it changes none.
std::string overridden_key(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of("+~"), text.size()));
  const std::string_view key = text.substr(0, text.find('='));
  constexpr std::string_view kMarks =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.";
  const bool plain = !key.empty() && key.find_first_not_of(kMarks) == std::string_view::npos &&
                     !key.starts_with('.') && !key.ends_with('.') &&
                     key.find("..") == std::string_view::npos;
  return plain ? std::string(key) : "";
}

/// `--key value` or `--key=value`, as an override.
std::optional<std::string> option_override(const std::vector<ShellWord>& words, std::size_t at) {
  const std::string& text = words[at].text;
  if (!is_long_option(text)) return std::nullopt;
  if (text.find('=') != std::string::npos) return "++" + text.substr(2);
  if (at + 1 >= words.size() || is_long_option(words[at + 1].text)) return std::nullopt;
  return "++" + text.substr(2) + "=" + words[at + 1].text;
}

/// The words behind the program that change keys, as overrides of its configuration.
std::vector<std::string> overrides_of(const ConfiguredProgram& program, const ProgramStart& start,
                                      const RecipeRequest& request) {
  std::vector<std::string> overrides;
  const auto& words = start.words;
  std::size_t at = 0;
  while (at < words.size() && !words[at].text.ends_with(program.programs[0]) &&
         !words[at].text.ends_with(program.programs[1]))
    ++at;
  for (++at; at < words.size(); ++at) {
    std::string text = words[at].text;
    const bool removes = text.starts_with('~');
    if (program.keys == KeyWords::options) {
      const auto given = option_override(words, at);
      if (!given || given->starts_with("++" + std::string(program.option.substr(2)) + "="))
        continue;
      text = *given;
    } else if (program.keys == KeyWords::none || is_long_option(text) ||
               (text.find('=') == std::string::npos && !removes)) {
      continue;
    } else if (program.keys == KeyWords::omegaconf) {
      text.insert(0, "++");
    }
    const std::string key = overridden_key(text);
    if (key.empty()) continue;
    refuse_undecided_key(words[at], key, request);
    overrides.push_back(std::move(text));
  }
  return overrides;
}

/// The first program of the table that a script starts, and with what.
struct ConfiguredStart {
  const ConfiguredProgram* program;
  ProgramStart start;
  ShellWord file;
};

std::optional<ConfiguredStart> start_in(const ShellScript& script) {
  for (const ConfiguredProgram& program : kConfiguredPrograms) {
    auto start = program_start(script.words, program.programs);
    if (!start) continue;
    if (const auto file = file_word(program, *start))
      return ConfiguredStart{&program, std::move(*start), *file};
  }
  return std::nullopt;
}

bool is_configuration_launch(std::string_view text) {
  const auto has = [&](std::string_view word) {
    return !word.empty() && text.find(word) != std::string_view::npos;
  };
  if (has("--num-layers") || has("--tensor-model-parallel-size") || has("_target_")) return false;
  return std::any_of(kConfiguredPrograms.begin(), kConfiguredPrograms.end(),
                     [&](const ConfiguredProgram& program) {
                       const bool starts = has(program.programs[0]) || has(program.programs[1]);
                       const bool names =
                           program.option.empty()
                               ? has(".yaml") || has(".yml")
                               : has(program.option) || (!program.variable.empty() &&
                                                         has(std::string(program.variable) + "="));
                       return starts && names;
                     });
}

/// What the script's environment sets of a scenario and the user does not.
void add_environment(const ShellScript& script, std::vector<std::string>& settings) {
  RecipeReading environment;
  read_environment(script, environment);
  for (const Finding& found : environment.settings) {
    const std::string start = found.key + "=";
    const bool given = std::any_of(settings.begin(), settings.end(), [&](const std::string& text) {
      return text.starts_with(start);
    });
    if (!given) settings.push_back(start + found.value);
  }
}

/// How many GPUs or nodes the script starts, as far as it says.
std::optional<LaunchedJob> launched_job(const ImportFile& file, const ProgramStart& start) {
  WholeTerm gpus;
  read_launch_count(start.words, {"--world_size"}, gpus);
  if (gpus) return LaunchedJob{gpus->value, true, gpus->origin};
  for (const std::string_view name : {"NNODES", "NUM_NODES"}) {
    const auto word = variable_word(start, name);
    const auto nodes = word ? number_as<std::int64_t>(word->text) : std::nullopt;
    if (nodes && *nodes > 0) return LaunchedJob{*nodes, false, std::string(name)};
  }
  if (const auto nodes = slurm_nodes(file.text))
    return LaunchedJob{*nodes, false, "--nodes of Slurm"};
  return std::nullopt;
}

ImportedRecipe read_configuration_launch(const ImportFile& file, const RecipeRequest& request,
                                         const DataFolder& data) {
  const ShellScript script = read_script(file.text, file.path, script_request(request));
  const auto found = start_in(script);
  if (!found)
    throw InputError({file.path}, "",
                     "starts no program with a configuration of its own; import the configuration "
                     "itself, with --override for the keys that the script changes");
  const ImportFile configuration = configuration_beside(found->file, file.path);
  RecipeRequest changed = request;
  changed.overrides = overrides_of(*found->program, found->start, request);
  const std::vector<std::string> own = key_overrides(request, false);
  changed.overrides.insert(changed.overrides.end(), own.begin(), own.end());
  add_environment(script, changed.settings);
  changed.launched = launched_job(file, found->start);
  if (!found->program->format.recognizes(configuration.text))
    throw InputError(found->file.place, "",
                     fmt::format("starts a program with '{}', which is no configuration of {}",
                                 configuration.path, found->program->format.name));
  ImportedRecipe imported = found->program->format.read(configuration, changed, data);
  RecipeReading unread;
  note_unread(script, unread);
  for (std::string& note : left_out_notes(unread)) imported.notes.push_back(std::move(note));
  return imported;
}

}  // namespace

const RecipeFormat kConfigurationLaunch{
    "configuration-launch",
    "a shell script that starts NeMo 1, LLM Foundry, nanotron or Primus with a configuration "
    "beside it (composer train/train.py FILE.yaml key=value)",
    is_configuration_launch, read_configuration_launch};

}  // namespace simtrain
