#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "sim/core/input/number_text.h"
#include "sim/import/launch/launch_words.h"
#include "sim/import/megatron/command_line.h"
#include "sim/import/model/named_model.h"
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
  std::string_view folder = "";  ///< the option before the file's folder; `option` has a name then
  bool group = false;            ///< the option is Hydra's group, whose name is before all keys
  std::string_view own = "";     ///< the file where the command names none
  std::string_view blank = "";   ///< a file that leaves all to the framework
};

constexpr std::array<std::string_view, 2> kNemo1Programs{"megatron_gpt_pretraining.py",
                                                         "megatron_gpt_finetuning.py"};
constexpr std::string_view kBlankNemo1 = "model: {}\ntrainer: {}\n";

/// NeMo's launcher or SageMaker's, which has recipes in a group of Hydra's.
ConfiguredProgram launcher(std::string_view group) {
  return {.programs = {"main.py", "main.py"},
          .format = kNemo1,
          .keys = KeyWords::hydra,
          .option = group,
          .group = true,
          .blank = kBlankNemo1};
}

const std::array kConfiguredPrograms{
    ConfiguredProgram{.programs = kNemo1Programs,
                      .format = kNemo1,
                      .keys = KeyWords::hydra,
                      .option = "--config-name",
                      .folder = "--config-path",
                      .own = "megatron_gpt_config.yaml",
                      .blank = kBlankNemo1},
    launcher("training"),
    launcher("recipes"),
    ConfiguredProgram{.programs = {"train/train.py", "llmfoundry"},
                      .format = kLlmFoundry,
                      .keys = KeyWords::omegaconf},
    ConfiguredProgram{.programs = {"run_train.py", "run_train_moe.py"},
                      .format = kNanotron,
                      .keys = KeyWords::none,
                      .option = "--config-file"},
    ConfiguredProgram{.programs = {"deepy.py", "deepy.py"},
                      .format = kGptNeox,
                      .keys = KeyWords::none,
                      .folder = "-d"},
    ConfiguredProgram{.programs = {"run_pretrain.sh", "run_slurm_pretrain.sh"},
                      .format = kPrimus,
                      .keys = KeyWords::options,
                      .option = "--config",
                      .variable = "EXP"}};

bool starts(const ConfiguredProgram& program, const ShellWord& word) {
  return word.text.ends_with(program.programs[0]) || word.text.ends_with(program.programs[1]);
}

/// The file of a configuration among the words, without an option before it.
std::optional<ShellWord> plain_file(const std::vector<ShellWord>& words) {
  const auto file = std::find_if(words.begin(), words.end(), is_yaml_file);
  if (file == words.end()) return std::nullopt;
  const auto second = std::find_if(file + 1, words.end(), is_yaml_file);
  if (second != words.end())
    throw InputError(second->place, "",
                     fmt::format("'{}' is one more configuration beside '{}'; import one file that "
                                 "has the keys of both",
                                 second->text, file->text));
  return *file;
}

/// The file that the command starts with where it names none, at the word of the program.
std::optional<ShellWord> own_file(const ConfiguredProgram& program, const ProgramStart& start) {
  if (program.own.empty()) return std::nullopt;
  ShellWord file = *std::find_if(start.words.begin(), start.words.end(),
                                 [&](const ShellWord& word) { return starts(program, word); });
  file.text = program.own;
  return file;
}

std::optional<ShellWord> file_word(const ConfiguredProgram& program, const ProgramStart& start) {
  auto named =
      program.option.empty() ? plain_file(start.words) : option_word(start.words, program.option);
  if (!named && !program.variable.empty()) named = variable_word(start, program.variable);
  if (!named) return own_file(program, start);
  const bool by_name = program.group || (!program.option.empty() && !program.folder.empty());
  if (by_name && !named->text.ends_with(".yaml")) named->text += ".yaml";
  if (program.folder.empty()) return named;
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

/// A word with variables that the file does not set as `$NAME`: `${NAME}` is Hydra's, too.
std::string with_plain_variables(std::string text) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  for (std::size_t at = text.find("${"); at != text.npos; at = text.find("${", at + 1)) {
    const std::size_t end = text.find_first_not_of(kLetters, at + 2);
    if (end == text.npos || end == at + 2 || text[end] != '}') continue;
    text.erase(end, 1);
    text.erase(at + 1, 1);
  }
  return text;
}

/// The words behind the program that change keys, as overrides of its configuration.
std::vector<std::string> overrides_of(const ConfiguredProgram& program, const ProgramStart& start,
                                      const RecipeRequest& request) {
  std::vector<std::string> overrides;
  const auto& words = start.words;
  std::size_t at = 0;
  while (at < words.size() && !starts(program, words[at])) ++at;
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
    const bool below = !program.group || key.starts_with(std::string(program.option) + ".");
    if (key.empty() || !below) continue;
    refuse_undecided_key(words[at], key, request);
    overrides.push_back(with_plain_variables(std::move(text)));
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

/// Whether a script that `has` words names a configuration as a program takes it.
bool names_file(const ConfiguredProgram& program,
                const std::function<bool(std::string_view)>& has) {
  if (program.option.empty()) return has(".yaml") || has(".yml");
  if (program.group) return has(std::string(program.option) + "=");
  if (!program.own.empty() && has("model.")) return true;
  return has(program.option) ||
         (!program.variable.empty() && has(std::string(program.variable) + "="));
}

bool is_configuration_launch(std::string_view text) {
  const auto has = [&](std::string_view word) {
    return !word.empty() && text.find(word) != std::string_view::npos;
  };
  if (has("--num-layers") || has("--tensor-model-parallel-size") || has("_target_")) return false;
  return std::any_of(kConfiguredPrograms.begin(), kConfiguredPrograms.end(),
                     [&](const ConfiguredProgram& program) {
                       const bool started = has(program.programs[0]) || has(program.programs[1]);
                       return started && names_file(program, has);
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

/// The last two names of a path as one: `gpt3_5b.yaml` of `training/gpt3/5b.yaml`.
std::string last_names(std::string path) {
  const std::size_t last = path.rfind('/');
  if (last == std::string::npos || last == 0) return path;
  path[last] = '_';
  return path.substr(path.rfind('/', last) + 1);
}

/// The file that a script starts a program with. One that is not there leaves all to the framework
/// and has, unless the user names another, the model that its name is of.
ImportFile started_configuration(const ConfiguredStart& found, const ImportFile& script,
                                 RecipeRequest& request) {
  const ConfiguredProgram& program = *found.program;
  const WithoutFile without = program.blank.empty() ? WithoutFile::refused : without_file(request);
  if (const auto file = configuration_beside(found.file, script.path, without)) {
    if (program.format.recognizes(file->text)) return *file;
    throw InputError(found.file.place, "",
                     fmt::format("starts a program with '{}', which is no configuration of {}",
                                 file->path, program.format.name));
  }
  if (!request.model) request.model = model_named_in(last_names(found.file.text));
  std::erase_if(request.overrides, [](const std::string& text) { return text.starts_with('~'); });
  for (std::string& text : request.overrides) {
    if (!text.starts_with('+')) text.insert(0, "++");
  }
  return {script.path, std::string(program.blank)};
}

ImportedRecipe read_configuration_launch(const ImportFile& file, const RecipeRequest& request,
                                         const DataFolder& data) {
  const ShellScript script = read_script(file.text, file.path, script_request(request));
  const auto found = start_in(script);
  if (!found)
    throw InputError({file.path}, "",
                     "starts no program with a configuration of its own; import the configuration "
                     "itself, with --override for the keys that the script changes");
  RecipeRequest changed = request;
  changed.overrides = overrides_of(*found->program, found->start, request);
  const std::vector<std::string> own = key_overrides(request, false);
  changed.overrides.insert(changed.overrides.end(), own.begin(), own.end());
  add_environment(script, changed.settings);
  changed.launched = launched_job(file, found->start);
  const ImportFile configuration = started_configuration(*found, file, changed);
  ImportedRecipe imported = found->program->format.read(configuration, changed, data);
  RecipeReading unread;
  if (configuration.path == file.path)
    ++unread.left_out["what a configuration that is not there sets"][found->file.text];
  note_unread(script, unread);
  for (std::string& note : left_out_notes(unread)) imported.notes.push_back(std::move(note));
  return imported;
}

}  // namespace

const RecipeFormat kConfigurationLaunch{
    "configuration-launch",
    "a shell script that starts NeMo 1, LLM Foundry, nanotron, GPT-NeoX or Primus with a "
    "configuration beside it (composer train/train.py FILE.yaml key=value)",
    is_configuration_launch, read_configuration_launch};

}  // namespace simtrain
