#include <algorithm>
#include <array>
#include <optional>
#include <span>
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
#include "sim/import/yaml/hydra.h"

namespace simtrain {
namespace {

constexpr std::string_view kFolder = "scripts/performance/";
constexpr std::string_view kModule = "scripts.performance.";
constexpr std::array<std::string_view, 3> kStarters{"setup_experiment.py", "run_script.py",
                                                    "run_performance_workload.py"};

/// An option of the scripts in scripts/performance of NeMo 2 and Megatron-Bridge, and the key of a
/// configuration of Megatron-Bridge that it sets.
struct PerformanceOption {
  std::array<std::string_view, 3> names;  ///< the letters, the name, and NeMo 2's where it differs
  std::string_view key;
};
constexpr std::array kPerformanceOptions{
    PerformanceOption{{"-tp", "--tensor_model_parallel_size", "--tensor_parallel_size"},
                      "model.tensor_model_parallel_size"},
    PerformanceOption{{"-pp", "--pipeline_model_parallel_size", "--pipeline_parallel_size"},
                      "model.pipeline_model_parallel_size"},
    PerformanceOption{{"-cp", "--context_parallel_size"}, "model.context_parallel_size"},
    PerformanceOption{
        {"-vp", "--virtual_pipeline_model_parallel_size", "--virtual_pipeline_parallel_size"},
        "model.virtual_pipeline_model_parallel_size"},
    PerformanceOption{{"-ep", "--expert_model_parallel_size", "--expert_parallel_size"},
                      "model.expert_model_parallel_size"},
    PerformanceOption{{"-et", "--expert_tensor_parallel_size"},
                      "model.expert_tensor_parallel_size"},
    PerformanceOption{{"-mb", "--micro_batch_size"}, "train.micro_batch_size"},
    PerformanceOption{{"-gb", "--global_batch_size"}, "train.global_batch_size"},
    PerformanceOption{{"-sl", "--seq_length"}, "model.seq_length"},
    PerformanceOption{{"-rl", "--recompute_layers"}, "model.recompute_num_layers"},
};

/// A word of `--compute_dtype` with one of `--fp8_recipe` (nothing: whichever), and the
/// mixed_precision of Megatron-Bridge that they are.
struct PerformancePrecision {
  std::string_view dtype;
  std::string_view recipe;
  std::string_view precision;
};
constexpr std::array kPerformancePrecisions{
    PerformancePrecision{"bf16", "", "bf16_mixed"},
    PerformancePrecision{"fp8", "ds", "bf16_with_fp8_delayed_scaling_mixed"},
    PerformancePrecision{"fp8", "cs", "bf16_with_fp8_current_scaling_mixed"},
    PerformancePrecision{"fp8", "ss", "bf16_with_fp8_subchannel_mixed"},
    PerformancePrecision{"fp8", "sc", "bf16_with_fp8_subchannel_mixed"},
    PerformancePrecision{"fp8", "mx", "bf16_with_mxfp8_mixed"},
    PerformancePrecision{"fp8", "mxfp8", "bf16_with_mxfp8_mixed"},
    PerformancePrecision{"fp8_ds", "", "bf16_with_fp8_delayed_scaling_mixed"},
    PerformancePrecision{"fp8_cs", "", "bf16_with_fp8_current_scaling_mixed"},
    PerformancePrecision{"fp8_sc", "", "bf16_with_fp8_subchannel_mixed"},
    PerformancePrecision{"fp8_mx", "", "bf16_with_mxfp8_mixed"},
    PerformancePrecision{"nvfp4", "", "bf16_with_nvfp4_mixed"}};

std::optional<ShellWord> option_of(const std::vector<ShellWord>& words,
                                   std::span<const std::string_view> names) {
  for (const std::string_view name : names) {
    if (name.empty()) continue;
    if (auto word = option_word(words, name)) return word;
  }
  return std::nullopt;
}

std::optional<ShellWord> option_of(const std::vector<ShellWord>& words,
                                   std::initializer_list<std::string_view> names) {
  return option_of(words, std::span(names.begin(), names.size()));
}

/// `python -m scripts.performance.llm.pretrain_llama3_8b` as the file that it is of.
void name_files(std::vector<ShellWord>& words) {
  for (ShellWord& word : words) {
    if (!word.text.starts_with(kModule)) continue;
    std::replace(word.text.begin(), word.text.end(), '.', '/');
    word.text += ".py";
  }
}

/// Whether a word is the script that is started: setup_experiment.py, pretrain_llama3_8b.py.
bool is_performance_script(const ShellWord& word) {
  const std::string name = word.text.substr(word.text.rfind('/') + 1);
  return word.text.ends_with(".py") &&
         (std::find(kStarters.begin(), kStarters.end(), name) != kStarters.end() ||
          name.starts_with("pretrain_") || name.starts_with("finetune_"));
}

/// What is trained: by `-m llama3 -s 70b`, by the recipe's name, or by the script's.
ShellWord model_word(const std::vector<ShellWord>& words) {
  const auto script = std::find_if(words.begin(), words.end(), is_performance_script);
  ShellWord model = *script;
  model.text = model.text.substr(model.text.rfind('/') + 1);
  model.text.resize(model.text.size() - 3);
  if (const auto recipe = option_of(words, {"-mr", "--model_recipe_name"})) return *recipe;
  if (const auto family = option_of(words, {"-m", "--model_family_name", "--model_name"})) {
    model = *family;
    if (const auto size = option_of(words, {"-s", "--model_size"})) model.text += "_" + size->text;
  }
  return model;
}

/// The keys that a launch gives, by options and by words with their names; those whose value only a
/// run knows are `open`.
YamlNode performance_tree(const std::vector<ShellWord>& words, const ImportFile& file,
                          const RecipeRequest& request, std::vector<std::string>& open) {
  YamlNode tree;
  tree.kind = YamlNode::Kind::map;
  tree.place = {file.path};
  const auto set = [&](std::string_view key, const ShellWord& word) {
    refuse_undecided_key(word, std::string(key), request);
    set_yaml_value(tree, key, scalar_node(word.text, word.place), word.place);
  };
  for (const PerformanceOption& row : kPerformanceOptions) {
    if (const auto word = option_of(words, row.names)) set(row.key, *word);
  }
  if (const auto dtype = option_of(words, {"-c", "--compute_dtype"})) {
    const auto recipe = option_of(words, {"-fr", "--fp8_recipe"});
    const std::string scaling = recipe ? recipe->text : "ds";
    const auto* const row = std::find_if(
        kPerformancePrecisions.begin(), kPerformancePrecisions.end(),
        [&](const PerformancePrecision& one) {
          return one.dtype == dtype->text && (one.recipe.empty() || one.recipe == scaling);
        });
    if (row == kPerformancePrecisions.end())
      throw InputError(
          dtype->place, "--compute_dtype",
          fmt::format("'{}' with --fp8_recipe {} is not known here; --set "
                      "training.precision=NAME, one of simtrain list precisions, "
                      "would do with another",
                      plain_text(dtype->text.substr(0, 40)), plain_text(scaling.substr(0, 40))));
    set_yaml_value(tree, "mixed_precision", scalar_node(std::string(row->precision), dtype->place));
  }
  for (const ShellWord& word : words) add_bridge_key(word, request, tree, open);
  apply_overrides(tree, key_overrides(request, true));
  return tree;
}

bool is_performance_launch(std::string_view text) {
  return (text.find(kFolder) != std::string_view::npos ||
          text.find(kModule) != std::string_view::npos) &&
         (text.find("-ng") != std::string_view::npos ||
          text.find("--num_gpus") != std::string_view::npos);
}

/// These scripts add adapters to linear_qkv alone.
void add_adapters(const std::vector<ShellWord>& words, const ShellWord& model, RecipeTerms& terms) {
  const auto task = option_of(words, {"--task", "-f", "--finetuning"});
  if (task && (task->text == "lora" || task->text == "peft"))
    terms.peft_scheme = Given<std::string>{"lora", "--task", false, task->place};
  const std::string usual = "usual in these scripts";
  if (!task && model.text.starts_with("finetune_")) default_to(terms.peft_scheme, "lora", usual);
  add_adapter_defaults({16, "linear_qkv", usual}, terms);
}

ImportedRecipe read_performance_launch(const ImportFile& file, const RecipeRequest& request,
                                       const DataFolder& data) {
  ShellScript script = read_script(file.text, file.path, script_request(request));
  name_files(script.words);
  constexpr std::array<std::string_view, 1> kPython{".py"};
  const auto start = program_start(script.words, kPython);
  if (!start || std::none_of(start->words.begin(), start->words.end(), is_performance_script))
    throw InputError({file.path}, "",
                     "starts no script of scripts/performance in its first command");
  const std::vector<ShellWord>& words = start->words;
  const ShellWord model = model_word(words);
  RecipeTerms named;
  named.model_class =
      Given<std::string>{model_named_in(model.text).value_or(model.text), "-m", false, model.place};
  require_named_model(named, request);
  std::vector<std::string> wanted;
  const YamlNode tree = performance_tree(words, file, request, wanted);
  for (const char* key : {"model.tensor_model_parallel_size", "model.pipeline_model_parallel_size",
                          "train.global_batch_size", "train.micro_batch_size"})
    wanted.emplace_back(key);
  require_launch_keys(tree, model, "-m", wanted, request);
  RecipeReading reading = bridge_reading(tree, without_value(request));
  RecipeTerms& terms = reading.terms;
  terms.model_class = named.model_class;
  settle_split(terms, request, data);
  add_adapters(words, model, terms);
  ++reading.taken;
  const std::string usual = "usual in these scripts, whose tables are not read";
  default_to(terms.overlap_grad_reduce, true, usual);
  default_to(terms.overlap_param_gather, true, usual);
  default_to(terms.expert_tensor_parallel_size, 1, usual);
  if (terms.tensor_model_parallel_size && terms.tensor_model_parallel_size->value > 1)
    default_to(terms.sequence_parallel, true, usual);
  read_launch_count(words, {"-ng", "--num_gpus"}, terms.world_size);
  read_environment(script, reading);
  note_unread(script, reading);
  ++reading.left_out
        ["what the script's own tables set beside what is given here; "
         "Megatron-Bridge's defaults and overlap are assumed"][model.text];
  return imported_scenario("launch of a performance script of NeMo", std::move(reading), file,
                           request, data);
}

}  // namespace

const RecipeFormat kPerformanceLaunch{
    "performance-launch",
    "a shell script that starts one of scripts/performance of NeMo 2 or Megatron-Bridge "
    "(setup_experiment.py -m llama3 -s 70b -ng 64 -tp 4 -pp 4 -mb 1 -gb 128)",
    is_performance_launch, read_performance_launch};

}  // namespace simtrain
