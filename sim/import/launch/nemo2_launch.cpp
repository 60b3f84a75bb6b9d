#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "sim/import/job/adapter_keys.h"
#include "sim/import/launch/launch_words.h"
#include "sim/import/megatron/command_line.h"
#include "sim/import/model/named_model.h"
#include "sim/import/nemo/nemo2.h"
#include "sim/import/scenario/scenario_text.h"
#include "sim/import/yaml/hydra.h"

namespace simtrain {
namespace {

constexpr std::string_view kFactory = "--factory";
constexpr std::string_view kFactoryLetter = "-f";
constexpr std::array<std::string_view, 2> kTrainings{"pretrain", "finetune"};  // of `nemo llm`

/// `trainer.num_nodes=8` among the words of a launch.
void add_nemo2_keys(const std::vector<ShellWord>& words, const RecipeRequest& request,
                    YamlNode& tree) {
  for (const ShellWord& word : words) {
    const std::size_t equals = word.text.find('=');
    const std::string key = word.text.substr(0, equals);
    constexpr std::string_view kMarks = "abcdefghijklmnopqrstuvwxyz_0123456789.";
    if (equals == std::string::npos || key.find('.') == std::string::npos ||
        key.find_first_not_of(kMarks) != std::string::npos || key.starts_with('.') ||
        key.ends_with('.') || key.find("..") != std::string::npos)
      continue;
    refuse_undecided_key(word, key, request);
    set_yaml_value(tree, key, scalar_node(word.text.substr(equals + 1), word.place), word.place);
  }
}

/// `num_nodes` of the factory's own arguments: "llama3_8b(num_nodes=2, name='run')".
void add_factory_nodes(const ShellWord& factory, YamlNode& tree) {
  constexpr std::string_view kArgument = "num_nodes=";
  constexpr std::string_view kKey = "trainer.num_nodes";
  const std::size_t at = factory.text.find(kArgument);
  if (at == std::string::npos || find_yaml_value(tree, kKey) != nullptr) return;
  const std::string value = factory.text.substr(at + kArgument.size());
  const std::string digits = value.substr(0, value.find_first_not_of("0123456789"));
  if (!digits.empty()) set_yaml_value(tree, kKey, scalar_node(digits, factory.place));
}

bool is_nemo2_launch(std::string_view text) {
  return text.find("nemo llm ") != std::string_view::npos &&
         (text.find(kFactory) != std::string_view::npos ||
          text.find(" -f ") != std::string_view::npos);
}

std::optional<ShellWord> factory_of(const std::vector<ShellWord>& words) {
  const auto factory = option_word(words, kFactory);
  return factory ? factory : option_word(words, kFactoryLetter);
}

ImportedRecipe read_nemo2_launch(const ImportFile& file, const RecipeRequest& request,
                                 const DataFolder& data) {
  const ShellScript script = read_script(file.text, file.path, script_request(request));
  const auto start = program_start(script.words, kTrainings);
  const auto factory = start ? factory_of(start->words) : std::nullopt;
  if (!factory) throw InputError({file.path}, std::string(kFactory), "is of no command here");
  const bool tunes = std::any_of(start->words.begin(), start->words.end(),
                                 [](const ShellWord& word) { return word.text == "finetune"; });
  const auto scheme = option_word(start->words, "peft");
  YamlNode tree;
  tree.kind = YamlNode::Kind::map;
  tree.place = {file.path};
  add_nemo2_keys(start->words, request, tree);
  add_factory_nodes(*factory, tree);
  apply_overrides(tree, key_overrides(request, true));
  RecipeTerms named;
  named.model_class = Given<std::string>{model_named_in(factory->text).value_or(factory->text),
                                         std::string(kFactory), false, factory->place};
  require_named_model(named, request);
  require_launch_keys(tree, *factory, kFactory,
                      {"trainer.strategy.tensor_model_parallel_size",
                       "trainer.strategy.pipeline_model_parallel_size", "data.global_batch_size",
                       "data.micro_batch_size"},
                      request);
  RecipeReading reading = nemo2_reading(tree);
  reading.terms.model_class = named.model_class;
  settle_split(reading.terms, request, data);
  if (scheme)
    reading.terms.peft_scheme = Given<std::string>{scheme->text, "peft", false, scheme->place};
  const std::string tuning = "usual in NeMo 2's recipes of fine-tuning";
  if (tunes) default_to(reading.terms.peft_scheme, "lora", tuning);
  add_adapter_defaults({8, "", tuning}, reading.terms);
  const std::string usual = "usual in NeMo 2's recipes, this one is not read";
  if (!reading.terms.precision) default_to(reading.terms.bf16, true, usual + ": bf16_mixed");
  default_to(reading.terms.overlap_grad_reduce, true, usual);
  default_to(reading.terms.overlap_param_gather, true, usual);
  ++reading.taken;
  read_environment(script, reading);
  note_unread(script, reading);
  ++reading.left_out
        ["what the factory's Python sets itself beside what is given here; NeMo 2's "
         "defaults and overlap are assumed"][factory->text];
  return imported_scenario("launch of a NeMo 2 recipe", std::move(reading), file, request, data);
}

}  // namespace

const RecipeFormat kNemo2Launch{
    "nemo-2-launch",
    "a shell script that starts a recipe of NeMo 2 by name (nemo llm pretrain --factory NAME "
    "key=value)",
    is_nemo2_launch, read_nemo2_launch};

}  // namespace simtrain
