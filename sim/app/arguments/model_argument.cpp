#include "sim/app/arguments/model_argument.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include <fmt/format.h>

#include "sim/core/files/text_file.h"
#include "sim/core/input/scalar_text.h"
#include "sim/core/input/yaml_text.h"
#include "sim/core/suggestion.h"
#include "sim/import/formats/recipe_format.h"
#include "sim/workload/model/fields/model_fields.h"
#include "sim/workload/model/model_spec.h"

namespace simtrain {
namespace {

constexpr TextFileKind kModelFile{"a model file", 4};
/// Megatron pads a vocabulary to a multiple of this times TP, of which 8 is usual.
constexpr std::int64_t kVocabularyUnit = 128;
constexpr std::int64_t kPadded = kVocabularyUnit * 8;

bool is_path(const std::string& text) {
  const auto ends = [&](std::string_view suffix) { return text.ends_with(suffix); };
  return text.find('/') != std::string::npos || ends(".json") || ends(".yaml") || ends(".yml");
}

/// A name for a model whose configuration has none: that of its file, or of the folder of a
/// config.json, as far as it can be a name.
std::string name_of_file(const std::string& path) {
  const std::filesystem::path file = std::filesystem::absolute(path).lexically_normal();
  std::string stem = file.stem().string();
  if (stem == "config") stem = file.parent_path().filename().string();
  std::string name;
  for (const char c : stem) {
    const auto letter = static_cast<unsigned char>(c);
    const bool good =
        letter < 0x80 && (std::isalnum(letter) != 0 || c == '.' || c == '-' || c == '_');
    name += good ? static_cast<char>(std::tolower(letter)) : '-';
  }
  const bool letter_first = !name.empty() && name.front() >= 'a' && name.front() <= 'z';
  return (letter_first ? name : "model-" + name).substr(0, 64);
}

void add_keys(ModelArgument& argument, const YamlNode& tree, const std::string& origin) {
  for (const YamlEntry& entry : tree.entries)
    argument.keys.push_back({"model." + entry.key, flow_text(entry.value), origin});
}

void pad_vocabulary(ModelArgument& argument, std::int64_t vocabulary) {
  if (vocabulary % kVocabularyUnit == 0) return;
  for (Finding& finding : argument.keys) {
    if (finding.key != "model.vocab_size") continue;
    finding.value = std::to_string((vocabulary + kPadded - 1) / kPadded * kPadded);
    finding.origin =
        fmt::format("{} padded to a multiple of {}, as Megatron with TP 8", vocabulary, kPadded);
    finding.assumed = true;
  }
}

ModelArgument of_config(const CommandCall& call, const ImportFile& file) {
  RecipeRequest request;
  request.name = name_of_file(file.path);
  const ImportedRecipe imported = kHuggingFaceConfig.read(file, request, call.data);
  const YamlNode tree = load_yaml_text(imported.yaml, file.path + ", as imported");
  const auto spec = read_yaml<ModelSpec>(tree, "");
  ModelArgument argument{spec.name, {}, std::nullopt};
  add_keys(argument, tree, "the config.json");
  pad_vocabulary(argument, spec.vocab_size);
  const YamlNode config = load_yaml_text(file.text, file.path);
  if (const YamlNode* longest = config.find("max_position_embeddings"))
    argument.longest = scalar_integer(*longest, "max_position_embeddings", Limits{1, 1e8});
  call.console.note(fmt::format(
      "simtrain: note: {} keys taken, {} values assumed, {} keys ignored of {}; 'simtrain import' "
      "of it names them\n",
      imported.taken, imported.assumed, imported.ignored, file.path));
  for (const std::string& note : imported.notes)
    call.console.note(fmt::format("simtrain: note: {}\n", note));
  return argument;
}

}  // namespace

ModelArgument model_argument(const CommandCall& call, const std::string& model) {
  const std::vector<std::string> known = call.data.names("scenarios/models");
  if (std::find(known.begin(), known.end(), model) != known.end())
    return {model, {{"model", model, "--model"}}, std::nullopt};
  if (!is_path(model))
    throw InputError({}, "--model",
                     fmt::format("'{}' is not known; {}; the path of a model file or of a "
                                 "config.json would do too",
                                 model.substr(0, 80), suggestion(model, known)));
  const ImportFile file{model, read_text_file(model, kModelFile)};
  if (kHuggingFaceConfig.recognizes(file.text)) return of_config(call, file);
  const YamlNode tree = load_yaml_text(file.text, file.path);
  ModelArgument argument{read_yaml<ModelSpec>(tree, "").name, {}, std::nullopt};
  add_keys(argument, tree, "the model file");
  return argument;
}

}  // namespace simtrain
