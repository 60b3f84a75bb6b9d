#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/core/input/number_text.h"
#include "sim/import/launch/launch_words.h"
#include "sim/import/megatron/command_line.h"
#include "sim/import/model/named_model.h"
#include "sim/import/scenario/scenario_text.h"
#include "sim/import/torchtitan/toml_tree.h"
#include "sim/import/torchtitan/torchtitan.h"
#include "sim/import/yaml/hydra.h"

namespace simtrain {
namespace {

constexpr std::array<std::string_view, 5> kTitanPrograms{
    "run_train.sh", "torchtitan.train", "torchtitan/train.py", "run_llama_train.sh", "train.py"};
constexpr std::string_view kJobFile = "--job.config_file";  // torchtitan alone has it

constexpr std::array<std::string_view, 5> kTitanConfigurations{"CONFIG_FILE=", kJobFile,
                                                               "CONFIG=", "--config ", "--config="};

bool is_titan_launch(std::string_view text) {
  const bool starts =
      text.find(kJobFile) != std::string_view::npos ||
      std::any_of(kTitanPrograms.begin(), kTitanPrograms.end() - 1, [&](std::string_view program) {
        return text.find(program) != std::string_view::npos;
      });
  const bool names =
      std::any_of(kTitanConfigurations.begin(), kTitanConfigurations.end(),
                  [&](std::string_view name) { return text.find(name) != std::string_view::npos; });
  return starts && names && text.find("--num-layers") == std::string_view::npos;
}

/// The configuration of a launch: a file in TOML, or a function in Python by its name.
struct TitanSource {
  std::optional<ImportFile> file;
  std::optional<ShellWord> name;
};

/// A file that is not there is as a function in Python, whose name may be that of its model.
TitanSource source_of(const ProgramStart& start, const std::string& script, WithoutFile without) {
  for (const auto& word :
       {option_word(start.words, "--job.config_file"), variable_word(start, "CONFIG_FILE")}) {
    if (!word) continue;
    auto file = configuration_beside(*word, script, without);
    return {file, file ? std::nullopt : word};
  }
  for (const auto& word : {option_word(start.words, "--config"), variable_word(start, "CONFIG")}) {
    if (word) return {std::nullopt, word};
  }
  throw InputError(start.words.front().place, "CONFIG_FILE",
                   "is not given: no configuration is named; a script with CONFIG_FILE=FILE.toml "
                   "or --job.config_file FILE.toml would do");
}

/// `--training.seq_len=8192`, `--training.seq_len 8192`, `--metrics.enable_tensorboard` and
/// `--metrics.no-enable_tensorboard` change what the configuration has.
void add_titan_options(const std::vector<ShellWord>& words, const RecipeRequest& request,
                       YamlNode& tree) {
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string& text = words[at].text;
    if (!is_long_option(text)) continue;
    const std::size_t equals = std::min(text.find('='), text.size());
    std::string key = underscored(text.substr(2, equals - 2));
    const std::size_t dot = key.rfind('.');
    constexpr std::string_view kMarks = "abcdefghijklmnopqrstuvwxyz_0123456789.";
    const bool dotted = dot != std::string::npos && dot > 0 && dot + 1 < key.size();
    if (!dotted || key.find_first_not_of(kMarks) != std::string::npos ||
        key.find("..") != std::string::npos)
      continue;
    YamlNode value = scalar_node("true", words[at].place);
    if (equals < text.size()) {
      value.text = text.substr(equals + 1);
    } else if (key.compare(dot + 1, 3, "no_") == 0) {
      key.erase(dot + 1, 3);
      value.text = "false";
    } else if (at + 1 < words.size() && !is_long_option(words[at + 1].text) &&
               !words[at + 1].text.starts_with("$@")) {
      value = scalar_node(words[at + 1].text, words[at + 1].place);
    }
    refuse_undecided_key(words[at], key, request);
    set_yaml_value(tree, key, std::move(value), words[at].place);
  }
}

/// Newer releases count the tokens of a micro-batch.
void settle_tokens(YamlNode& tree) {
  constexpr std::string_view kTokens = "training.num_tokens_per_microbatch_per_dp_rank";
  const YamlNode* given = find_yaml_value(tree, kTokens);
  const YamlNode* length = find_yaml_value(tree, "training.seq_len");
  if (given == nullptr || length == nullptr ||
      find_yaml_value(tree, "training.local_batch_size") != nullptr)
    return;
  const auto tokens = number_as<std::int64_t>(given->text);
  const auto each = number_as<std::int64_t>(length->text);
  if (!tokens || !each || *each < 1 || *tokens % *each != 0)
    throw InputError(
        given->place, std::string(kTokens),
        fmt::format("'{}' is no multiple of training.seq_len, {}",
                    plain_text(given->text.substr(0, 40)), plain_text(length->text.substr(0, 40))));
  set_yaml_value(tree, "training.local_batch_size",
                 scalar_node(std::to_string(*tokens / *each), given->place));
}

/// What a function in Python sets is not known here: it must be given beside it.
void require_job(const YamlNode& tree, const ShellWord& name) {
  std::vector<std::string> missing;
  for (const char* key : {"training.seq_len", "training.local_batch_size"}) {
    if (find_yaml_value(tree, key) == nullptr) missing.emplace_back(key);
  }
  if (missing.empty()) return;
  const bool tokens =
      find_yaml_value(tree, "training.num_tokens_per_microbatch_per_dp_rank") != nullptr;
  if (tokens) missing = {"training.seq_len"};
  throw InputError(
      name.place, "--config",
      fmt::format("'{}' is a function in Python, whose own value of {} is not known "
                  "here; {}, --defaults takes torchtitan's",
                  plain_text(name.text.substr(0, 80)), fmt::join(missing, ", "),
                  missing.size() == 1 ? fmt::format("--override {}=VALUE sets it", missing.front())
                                      : "--override KEY=VALUE sets each"));
}

YamlNode tree_of_launch(const TitanSource& source, const ProgramStart& start,
                        const std::string& script, const RecipeRequest& request) {
  YamlNode tree;
  tree.kind = YamlNode::Kind::map;
  tree.place = {script};
  if (source.file) tree = load_toml_text(source.file->text, source.file->path);
  add_titan_options(start.words, request, tree);
  apply_overrides(tree, key_overrides(request, !source.file));
  settle_tokens(tree);
  if (!source.name) return tree;
  const std::string& name = source.name->text;
  if (find_yaml_value(tree, "model.flavor") == nullptr)
    set_yaml_value(tree, "model.flavor",
                   scalar_node(model_named_in(name).value_or(name), source.name->place));
  return tree;
}

/// torchrun's nodes and GPUs; one node without a word.
void add_titan_nodes(const ProgramStart& start, RecipeTerms& terms) {
  const auto from_variable = [&](std::string_view name, WholeTerm& term) {
    const auto word = variable_word(start, name);
    const auto count = word ? number_as<std::int64_t>(word->text) : std::nullopt;
    if (!term && count && *count > 0)
      term = Given<std::int64_t>{*count, std::string(name), false, word->place};
  };
  read_launch_count(start.words, {"--nnodes"}, terms.num_nodes);
  from_variable("NNODES", terms.num_nodes);
  read_launch_count(start.words, {"--nproc_per_node"}, terms.gpus_per_node);
  from_variable("NGPU", terms.gpus_per_node);
  if (terms.gpus_per_node && !terms.num_nodes && !terms.world_size)
    terms.num_nodes = Given<std::int64_t>{1, "torchrun's default, no --nnodes", false, {}};
}

ImportedRecipe read_titan_launch(const ImportFile& file, const RecipeRequest& request,
                                 const DataFolder& data) {
  const ShellScript script = read_script(file.text, file.path, script_request(request));
  const auto start = program_start(script.words, kTitanPrograms);
  if (!start) throw InputError({file.path}, "", "starts torchtitan in no command of its own");
  const TitanSource source = source_of(*start, file.path, without_file(request));
  const YamlNode tree = tree_of_launch(source, *start, file.path, request);
  RecipeReading reading = read_torchtitan(tree, request, data);
  if (source.name) {
    if (!request.defaults) require_job(tree, *source.name);
    ++reading.left_out
          ["what this configuration, a function in Python or a file that is not there, sets "
           "itself; "
           "torchtitan's defaults are assumed"][source.name->text];
  }
  add_titan_nodes(*start, reading.terms);
  read_environment(script, reading);
  note_unread(script, reading);
  return imported_scenario("launch of torchtitan", std::move(reading), file, request, data);
}

}  // namespace

const RecipeFormat kTorchtitanLaunch{
    "torchtitan-launch",
    "a shell script that starts torchtitan with a configuration (CONFIG_FILE=FILE.toml "
    "./run_train.sh --training.seq_len=8192)",
    is_titan_launch, read_titan_launch};

}  // namespace simtrain
