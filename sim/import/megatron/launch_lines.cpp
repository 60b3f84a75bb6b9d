#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "sim/core/input/number_text.h"
#include "sim/import/megatron/command_line.h"
#include "sim/import/model/named_model.h"
#include "sim/import/scenario/scenario_text.h"
#include "sim/import/shell/shell_script.h"
#include "sim/import/terms/environment.h"

namespace simtrain {
namespace {

/// A variable by which scripts that launch another one give a degree or a size, and the argument of
/// Megatron that it is. With a word, the argument has `value` where the variable is that word.
struct LaunchVariable {
  std::string_view name;
  std::string_view option;
  std::string_view word = "";
  std::string_view value = "";
};
constexpr std::array<LaunchVariable, 35> kLaunchVariables{
    {{"TP", "tensor_model_parallel_size"},
     {"PP", "pipeline_model_parallel_size"},
     {"CP", "context_parallel_size"},
     {"EP", "expert_model_parallel_size"},
     {"ETP", "expert_tensor_parallel_size"},
     {"VPP", "num_virtual_stages_per_pipeline_rank"},
     {"MBS", "micro_batch_size"},
     {"GBS", "global_batch_size"},
     {"SEQ_LEN", "seq_length"},
     {"SEQ_LENGTH", "seq_length"},
     {"SEQLEN", "seq_length"},
     {"NNODES", "nnodes"},
     {"NUM_NODES", "nnodes"},
     {"NODES", "nnodes"},
     {"NLS", "num_layers"},
     {"NUM_LAYERS", "num_layers"},
     {"HS", "hidden_size"},
     {"HIDDEN_SIZE", "hidden_size"},
     {"NAH", "num_attention_heads"},
     {"PR", "bf16", "bf16", "true"},
     {"PR", "fp16", "fp16", "true"},
     {"PR", "fp8", "fp8", "hybrid"},
     {"PR", "fp8", "mxfp8", "e4m3"},
     {"PR", "fp8_recipe", "mxfp8", "mxfp8"},
     {"PR", "fp4", "nvfp4", "e2m1"},
     {"PR", "fp4_recipe", "nvfp4", "nvfp4"},
     {"DISPATCHER", "moe_token_dispatcher_type", "alltoall", "alltoall"},
     {"DISPATCHER", "moe_token_dispatcher_type", "deepep", "flex"},
     {"DISPATCHER", "moe_flex_dispatcher_backend", "deepep", "deepep"},
     {"DISPATCHER", "moe_token_dispatcher_type", "hybridep", "flex"},
     {"DISPATCHER", "moe_flex_dispatcher_backend", "hybridep", "hybridep"},
     {"A2A_OVERLAP", "overlap_moe_expert_parallel_comm", "1", "true"},
     {"MOE_GROUPED_GEMM", "moe_grouped_gemm", "true", "true"},
     {"RECOMPUTE", "recompute_granularity", "full", "full"},
     {"OPTIMIZER_OFFLOAD", "optimizer_cpu_offload", "1", "true"}}};
constexpr std::string_view kModel = "MODEL";
constexpr std::string_view kLaunch = "launch";  // the override that chooses among several

using Variables = std::map<std::string, ShellWord, std::less<>>;
using Words = std::span<const ShellWord>;

/// What a script sets for the ones that it launches or takes in.
struct LaunchEnvironment {
  Variables variables;
  std::vector<ShellWord> options{};  ///< in variables: `EXTRA="--a 1"`
};

/// One start of another script: its variables, and the words of its command and of its variables.
struct Launch {
  Variables variables;
  std::vector<ShellWord> words;
  std::string script;
};

void assign(const ShellWord& word, Variables& variables) {
  const std::size_t equals = word.text.find('=');
  ShellWord value = word;
  value.text = word.text.substr(equals + 1);
  if (value.text.empty()) return;
  variables.insert_or_assign(word.text.substr(0, equals), std::move(value));
}

bool has_degrees(const Variables& variables) {
  return variables.contains("TP") && variables.contains("PP");
}

/// Whether a command starts a script: by a shell, by a scheduler or by itself.
bool starts_script(const ShellWord& word) {
  return word.text == "bash" || word.text == "sh" || word.text == "sbatch" || word.text == "srun" ||
         word.text.ends_with(".sh");
}

/// The launch of one command, where it is one: assignments and a script behind them.
std::optional<Launch> launch_of(Words command, LaunchEnvironment& environment) {
  LaunchEnvironment own = environment;
  std::size_t at = 0;
  const bool exports = !command.empty() && command.front().text == "export";
  if (exports) at = 1;
  for (; at < command.size() && !set_variable(command[at]).empty(); ++at) {
    assign(command[at], own.variables);
    while (at + 1 < command.size() && command[at + 1].quote != 0)
      own.options.push_back(command[++at]);
  }
  const auto script = std::find_if(
      command.begin() + static_cast<std::ptrdiff_t>(at), command.end(), [](const ShellWord& word) {
        return word.text.ends_with(".sh") && !word.text.starts_with("--");
      });
  const bool only_sets = at == command.size() || command[at].ends;
  if (only_sets) environment = own;
  if (only_sets || !starts_script(command[at]) || script == command.end() ||
      !has_degrees(own.variables))
    return std::nullopt;
  own.options.insert(own.options.end(), script + 1, command.end());
  return Launch{std::move(own.variables), std::move(own.options),
                script->text.substr(script->text.rfind('/') + 1)};
}

std::vector<Launch> launches_in(const std::vector<ShellWord>& words) {
  std::vector<Launch> launches;
  LaunchEnvironment environment;
  for (const Words command : commands_in(words)) {
    if (auto launch = launch_of(command, environment)) launches.push_back(std::move(*launch));
  }
  // Variables alone, for a script that is taken in.
  if (launches.empty() && has_degrees(environment.variables))
    launches.push_back({environment.variables, environment.options, ""});
  return launches;
}

/// The number of the launch to read, by `--override launch=N`; the first without it.
std::size_t chosen_launch(const RecipeRequest& request, std::size_t count, RecipeRequest& rest) {
  std::size_t chosen = 1;
  rest = request;
  rest.overrides.clear();
  for (const std::string& text : request.overrides) {
    if (!text.starts_with(std::string(kLaunch) + "=")) {
      rest.overrides.push_back(text);
      continue;
    }
    const auto number = number_as<std::size_t>(std::string_view(text).substr(kLaunch.size() + 1));
    if (!number || *number < 1 || *number > count)
      throw InputError({"--override " + text}, std::string(kLaunch),
                       fmt::format("is no launch of the script; 1 to {} would do", count));
    chosen = *number;
  }
  return chosen - 1;
}

bool names_option(const std::vector<ShellWord>& words, std::string_view option) {
  return std::any_of(words.begin(), words.end(), [&](const ShellWord& word) {
    return underscored(word.text.substr(0, word.text.find('='))) == "__" + std::string(option);
  });
}

void add_variables(const Launch& launch, MegatronArguments& arguments) {
  // What is given as an option counts, and a layout says how many chunks there are.
  const bool laid_out = names_option(launch.words, "pipeline_model_parallel_layout");
  for (const LaunchVariable& row : kLaunchVariables) {
    const auto given = launch.variables.find(row.name);
    if (given == launch.variables.end() || (laid_out && row.name == "VPP")) continue;
    if (names_option(launch.words, row.option)) continue;
    if (!row.word.empty() && given->second.text != row.word) continue;
    const std::string value(row.word.empty() ? std::string_view(given->second.text) : row.value);
    arguments.add(std::string(row.option), scalar_node(value, given->second.place));
  }
}

/// The launched script is not read: what such scripts usually set is assumed.
void assume_usual(const Launch& launch, RecipeReading& reading) {
  const std::string whose = "usual, the launched script is not read";
  RecipeTerms& terms = reading.terms;
  if (!terms.fp16) default_to(terms.bf16, true, whose);
  default_to(terms.sequence_parallel, true, whose);
  default_to(terms.expert_tensor_parallel_size, 1, whose);
  default_to(terms.use_distributed_optimizer, true, whose);
  default_to(terms.overlap_grad_reduce, true, whose);
  default_to(terms.overlap_param_gather, true, whose);
  if (!terms.model_class && !terms.vocab_size)
    default_to(terms.tokenizer, "GPT2BPETokenizer", whose + "; Megatron's examples have it");
  ++reading.left_out
        ["what the launched script sets itself; sequence parallelism, ETP 1, the "
         "distributed optimizer and its overlap are assumed"]
        [launch.script.empty() ? "the script taken in" : launch.script];
}

RecipeReading read_launch(const Launch& launch, const ImportFile& file,
                          const RecipeRequest& request, const DataFolder& data) {
  MegatronArguments arguments(file.path, request);
  add_options(launch.words, arguments);
  add_variables(launch, arguments);
  RecipeReading reading = read_megatron_arguments(arguments.take(), KeyStyle::option, request);
  const auto model = launch.variables.find(kModel);
  if (model != launch.variables.end() && !reading.terms.num_layers) {
    RecipeTerms& terms = reading.terms;
    forget_shape_defaults(terms);
    terms.model_class =
        Given<std::string>{model->second.text, std::string(kModel), false, model->second.place};
    require_named_model(terms, request);
    settle_split(terms, request, data);
    ++reading.taken;
  }
  for (const auto& [name, word] : launch.variables) {
    if (is_environment(name)) read_variable(name, scalar_node(word.text, word.place), reading);
  }
  assume_usual(launch, reading);
  return reading;
}

/// Whether a text has a line or a word that starts so.
bool has_word(std::string_view text, std::string_view start) {
  for (std::size_t at = text.find(start); at != std::string_view::npos;
       at = text.find(start, at + 1)) {
    if (at == 0 || text[at - 1] == ' ' || text[at - 1] == '\n' || text[at - 1] == '\t') return true;
  }
  return false;
}

bool is_launch(std::string_view text) {
  return has_word(text, "TP=") && has_word(text, "PP=") &&
         text.find(".sh") != std::string_view::npos &&
         text.find("--num-layers ") == std::string_view::npos &&
         text.find("--tensor-model-parallel-size") == std::string_view::npos &&
         text.find("--recipe") == std::string_view::npos;
}

ImportedRecipe read_launch_lines(const ImportFile& file, const RecipeRequest& request,
                                 const DataFolder& data) {
  // A script that is taken in and not there is as one that is launched: not read.
  ScriptRequest reading_on = script_request(request);
  reading_on.left_out.emplace_back(kAllMissing);
  const ShellScript script = read_script(file.text, file.path, reading_on);
  const std::vector<Launch> launches = launches_in(script.words);
  if (launches.empty())
    throw InputError({file.path}, "", "launches no script with TP and PP, of which one is read");
  RecipeRequest rest;
  const Launch& launch = launches[chosen_launch(request, launches.size(), rest)];
  RecipeReading reading = read_launch(launch, file, rest, data);
  note_unread(script, reading);
  if (launches.size() > 1)
    ++reading
          .left_out[fmt::format("other launches of the script, which has {}; --override "
                                "launch=N takes another than the first",
                                launches.size())][launch.script];
  return imported_scenario("launch of a Megatron-LM script", reading, file, rest, data);
}

}  // namespace

const RecipeFormat kMegatronLaunch{
    "megatron-launch",
    "a shell script that launches one of Megatron-LM by variables (TP=2 PP=8 GBS=256 bash run.sh)",
    is_launch, read_launch_lines};

}  // namespace simtrain
