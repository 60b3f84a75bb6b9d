// Launches of public kinds, each a small script of our own in tests/import/launches. Its comments
// say of which format it is, for which job, and how it is imported: alone, with one option, or
// refused with which words.
#include <algorithm>
#include <filesystem>
#include <map>

#include <doctest/doctest.h>

#include "sim/collectives/libraries/nccl/nccl_library.h"
#include "tests/core/error_of.h"
#include "tests/import/recipes.h"
#include "tests/import/shell/script_folder.h"

namespace simtrain::testing::recipe_launches_test {
namespace {

struct Launch {
  ImportFile file;
  std::string kind;
  std::string cluster;
  std::string software;
  std::string expected;
};

std::string comment(const std::string& text, const std::string& name) {
  const std::string start = "# " + name + ": ";
  const std::size_t at = text.find(start);
  if (at == std::string::npos) return "";
  return text.substr(at + start.size(), text.find('\n', at) - at - start.size());
}

Launch launch_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  Launch launch;
  launch.file = {path, text.str()};
  launch.kind = comment(text.str(), "kind");
  const std::string request = comment(text.str(), "job");
  launch.cluster = request.substr(0, request.find(' '));
  launch.software = request.substr(request.find(' ') + 1);
  launch.expected = comment(text.str(), "expected");
  return launch;
}

std::string launches_folder() { return source_dir() + "/tests/import/launches"; }

std::vector<Launch> launches() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(launches_folder()))
    paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  std::vector<Launch> all;
  std::transform(paths.begin(), paths.end(), std::back_inserter(all), launch_of);
  return all;
}

Scenario imported(const Launch& launch, const std::vector<std::string>& overrides = {},
                  const std::vector<std::string>& settings = {}) {
  RecipeRequest request = job(launch.cluster, launch.software);
  request.overrides = overrides;
  request.settings = settings;
  return scenario_in(import_recipe(launch.file, request).yaml);
}

/// A launch of the folder, with `from` in its text replaced.
Scenario imported(const std::string& name, const std::string& from = "", const std::string& to = "",
                  const std::vector<std::string>& overrides = {}) {
  Launch launch = launch_of(launches_folder() + "/" + name);
  if (!from.empty()) launch.file = with(launch.file, from, to);
  return imported(launch, overrides);
}

std::string refusal(const std::string& name, const std::string& from, const std::string& to) {
  return error_of([&] { static_cast<void>(imported(name, from, to)); });
}

bool holds_words(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

TEST_CASE("launches by kind: alone, with one option, or refused with what would do") {
  std::map<std::string, std::array<int, 3>> counts;
  const std::string option = "--override ";
  const std::string setting = "--set ";
  const std::string refused = "refused ";
  for (const Launch& launch : launches()) {
    const std::string path = launch.file.path;
    const std::string expected = launch.expected;
    CAPTURE(path);
    CHECK(format_name(launch.file.text) == launch.kind);
    const std::string error = error_of([&] { static_cast<void>(imported(launch)); });
    if (expected == "alone") {
      CHECK(error == "");
      ++counts[launch.kind][0];
    } else if (expected.starts_with(option)) {
      const std::string given = expected.substr(option.size());
      CHECK(holds_words(error, option + given.substr(0, given.find('='))));
      CHECK(error_of([&] { static_cast<void>(imported(launch, {given})); }) == "");
      ++counts[launch.kind][1];
    } else if (expected.starts_with(setting)) {
      const std::string given = expected.substr(setting.size());
      CHECK(holds_words(error, setting + given.substr(0, given.find('='))));
      CHECK(error_of([&] { static_cast<void>(imported(launch, {}, {given})); }) == "");
      ++counts[launch.kind][1];
    } else {
      REQUIRE(expected.starts_with(refused));
      CHECK(holds_words(error, expected.substr(refused.size())));
      ++counts[launch.kind][2];
    }
  }
  using Counts = std::array<int, 3>;
  CHECK(counts["megatron-arguments"] == Counts{1, 1, 0});
  CHECK(counts["megatron-launch"] == Counts{0, 1, 0});
  CHECK(counts["bridge-launch"] == Counts{2, 1, 0});
  CHECK(counts["performance-launch"] == Counts{1, 1, 0});
  CHECK(counts["nemo-2-launch"] == Counts{2, 0, 0});
  CHECK(counts["configuration-launch"] == Counts{5, 0, 0});
  CHECK(counts["torchtitan-launch"] == Counts{1, 1, 1});
  CHECK(counts["maxtext"] == Counts{2, 0, 0});
  CHECK(counts.size() == 8);
}

TEST_CASE("the first plan of a list is read, by the pattern of a case") {
  const Scenario first = imported("bridge_plans.sh");
  CHECK(first.recipe.tp() == 2);
  CHECK(first.recipe.parallelism.expert_model_parallel_size == 4);
  CHECK(first.recipe.training.seq_length == 4096);
  const Scenario maths = imported("bridge_plans.sh", "squad", "math500");
  CHECK(maths.recipe.training.seq_length == 8192);
  CHECK(maths.recipe.training.global_batch_size == 256);
  CHECK(imported("bridge_plans.sh", "", "", {"model.tensor_model_parallel_size=4"}).recipe.tp() ==
        4);
  CHECK(holds_words(refusal("bridge_plans.sh", "(\"2,1,1,4,True\"", "(\"$1\""),
                    "own value of model.tensor_model_parallel_size"));
  const ImportedRecipe reported =
      import_recipe(launch_of(launches_folder() + "/bridge_plans.sh").file,
                    job("dgx-superpod-h100", "nemo-25.09"));
  CHECK(holds_words(reported.yaml, "rounds of a loop behind the first"));
}

TEST_CASE("options of performance scripts are the plan, the precision and the GPUs") {
  const Scenario scenario = imported("performance_bridge.sh");
  CHECK(scenario.recipe.model.name == "llama3.1-70b");
  CHECK(scenario.recipe.tp() == 4);
  CHECK(scenario.recipe.pp() == 4);
  CHECK(scenario.recipe.vp() == 5);
  CHECK(scenario.recipe.cp() == 2);
  CHECK(scenario.placement.nodes == 8);
  CHECK(scenario.recipe.training.precision == Precision::fp8_cs);
  CHECK(scenario.recipe.training.global_batch_size == 128);
  CHECK(imported("performance_bridge.sh", "-c fp8_cs", "-c fp8").recipe.training.precision ==
        Precision::fp8);
  CHECK(holds_words(refusal("performance_bridge.sh", "-c fp8_cs", "-c fp8 -fr mx"),
                    "'fp8_mx' is not computed by h100-sxm"));
  CHECK(holds_words(refusal("performance_bridge.sh", "-c fp8_cs", "-c int4"),
                    "--compute_dtype: 'int4' with --fp8_recipe ds is not known here"));
  const auto lora = imported("performance_bridge.sh", "-tp 4", "--task lora -tp 4").recipe.lora;
  REQUIRE(lora);
  CHECK(lora->rank == 16);
  CHECK(lora->target_modules == std::vector<LoraModule>{LoraModule::linear_qkv});
  CHECK(!scenario.recipe.lora);
  CHECK(holds_words(refusal("performance_nemo2.sh", "pretrain_llama3_8b", "pretrain_dream_9b"),
                    "'pretrain_dream_9b' is no model that is known here by name"));
}

TEST_CASE("a launch changes keys of the configuration that it names") {
  CHECK(imported("nemo1_hydra.sh").recipe.training.global_batch_size == 512);
  CHECK(imported("foundry_composer.sh").recipe.training.micro_batch_size == 2);
  CHECK(imported("foundry_composer.sh").recipe.training.global_batch_size == 64);
  CHECK(imported("primus_file.sh").recipe.training.micro_batch_size == 2);
  const Scenario titan = imported("titan_file.sh");
  CHECK(titan.recipe.training.seq_length == 4096);
  CHECK(titan.recipe.training.micro_batch_size == 2);
  CHECK(titan.placement.nodes == 32);
  CHECK(imported("titan_file.sh", "", "", {"training.seq_len=2048"}).recipe.training.seq_length ==
        2048);
  CHECK(holds_words(refusal("foundry_composer.sh", "mpt_30b", "mpt_31b"),
                    "starts a program with the configuration '../data/mpt_31b_foundry.yaml', which "
                    "is not there; put it beside the script"));
  CHECK(holds_words(refusal("foundry_composer.sh", "mpt_30b_foundry", "llama_nanotron"),
                    "no configuration of llm-foundry"));
  CHECK(imported("neox_deepy.sh").recipe.tp() == 2);
  CHECK(holds_words(refusal("neox_deepy.sh", "_neox.yml", "_neox.yml local_setup.yml"),
                    "'local_setup.yml' is one more configuration beside 'gpt_20b_neox.yml'; import "
                    "one file that has the keys of both"));
  CHECK(holds_words(refusal("nemo1_hydra.sh", "model.global_batch_size", "model.global_size"),
                    "is no key of the recipe"));
}

TEST_CASE("tokens of a micro-batch are samples of the sequence") {
  const std::vector<std::string> given{"training.seq_len=8192"};
  const Scenario scenario = imported("titan_function.sh", "", "", given);
  CHECK(scenario.recipe.training.micro_batch_size == 2);
  CHECK(scenario.recipe.model.name == "llama3.1-8b");
  CHECK(scenario.recipe.tp() == 2);
  CHECK(error_of([&] {
          static_cast<void>(imported("titan_function.sh", " 16384", " 16383", given));
        }).find("'16383' is no multiple of training.seq_len, 8192") != std::string::npos);
}

TEST_CASE("variables of NCCL reach the scenario from every kind of launch") {
  for (const auto& [name, from] : {std::pair<std::string, std::string>{"titan_file.sh", "torchrun"},
                                   {"foundry_composer.sh", "composer"},
                                   {"nemo2_factory.sh", "nemo llm"},
                                   {"bridge_lora.sh", "torchrun"},
                                   {"performance_bridge.sh", "python"}}) {
    const std::string script = name;
    CAPTURE(script);
    const Scenario scenario = imported(script, from, "export NCCL_MAX_NCHANNELS=7\n" + from);
    CHECK(nccl_settings_of(scenario.recipe.software.library)->max_channels->value == 7);
  }
  const Launch foundry = launch_of(launches_folder() + "/foundry_composer.sh");
  Launch set = foundry;
  set.file = with(foundry.file, "composer", "export NCCL_MAX_NCHANNELS=7\ncomposer");
  const Scenario scenario = imported(set, {}, {"nccl.max_channels=5"});
  CHECK(nccl_settings_of(scenario.recipe.software.library)->max_channels->value == 5);
}

TEST_CASE("arguments in a variable are those of the launch that uses it") {
  Launch nemo = launch_of(launches_folder() + "/nemo2_factory.sh");
  nemo.file = with(nemo.file, "data.micro_batch_size=1 trainer.max_steps=20", "\"${MORE[@]}\"");
  nemo.file = with(nemo.file, "nemo llm", "MORE=(data.micro_batch_size=2)\nnemo llm");
  CHECK(imported(nemo).recipe.training.micro_batch_size == 2);
  const Scenario titan =
      imported("titan_file.sh", "torchrun",
               "MORE=(--training.local_batch_size 4)\nOTHER=(--training.seq_len 1024)\n"
               "LAST=\"--parallelism.tensor_parallel_degree 4\"\ntorchrun $LAST \"${MORE[@]}\"");
  CHECK(titan.recipe.training.seq_length == 4096);
  CHECK(titan.recipe.tp() == 4);
  const Launch launch = launch_of(launches_folder() + "/performance_bridge.sh");
  RecipeRequest request = job(launch.cluster, launch.software);
  const ImportFile with_plan = with(launch.file, "-tp 4 -pp 4", "${PLAN[@]}");
  const ImportedRecipe bridge =
      import_recipe(with(with_plan, "python", "PLAN=(-tp 2 -pp 8)\npython"), request);
  CHECK(scenario_in(bridge.yaml).recipe.tp() == 2);
}

TEST_CASE("the first command of MaxText that trains is read, with the configuration it names") {
  const Launch keys = launch_of(launches_folder() + "/maxtext_keys.sh");
  Launch two = keys;
  two.file.text +=
      "\npython3 -m MaxText.train src/MaxText/configs/base.yml quantization=fp8 "
      "model_name=llama2-7b per_device_batch_size=8\n";
  two.file = with(two.file, "python3 -m MaxText.train",
                  "python3 -m MaxText.decode MaxText/configs/base.yml per_device_batch_size=2\n"
                  "python3 -m MaxText.train");
  const ImportedRecipe first = import_recipe(two.file, job(two.cluster, two.software));
  CHECK(scenario_in(first.yaml).recipe.training.micro_batch_size == 4);
  CHECK(scenario_in(first.yaml).recipe.training.precision == Precision::bf16);
  CHECK(holds_words(first.yaml, "commands behind the first that trains"));
  Launch named = keys;
  named.file = with(with(named.file, "MaxText/configs/base.yml", "MaxText/models/llama2_7b.yml"),
                    "max_target_length=4096", "");
  const ImportedRecipe alone = import_recipe(named.file, job(named.cluster, named.software));
  CHECK(holds_words(alone.yaml, "keys of a configuration that is not beside the recipe"));
  const ScriptFolder folder;
  folder.write("llama2_7b.yml", "base_config: base.yml\nmax_target_length: 1024\n");
  named.file.path = folder.path() + "/run.sh";
  CHECK(imported(named).recipe.training.seq_length == 1024);
}

TEST_CASE("options in variables reach the script that is launched or taken in") {
  const std::string sets =
      "TP=8 PP=12 MBS=1 GBS=24 NLS=96 HS=12288 NAH=96 NNODES=12\n"
      "EXTRA=\"--activations-checkpoint-method uniform --num-layers-per-virtual-pipeline-stage "
      "2\"\n";
  const auto read = [&](const std::string& text) {
    RecipeRequest request = job("dgx-superpod-a100", "megatron-2021");
    request.settings = {"training.seq_length=2048"};
    return scenario_in(import_recipe({"run.sh", text}, request).yaml).recipe;
  };
  for (const std::string start : {". `pwd`/CONFIG.sh\n", "export EXTRA\nsbatch run_gpt.sh\n"}) {
    CAPTURE(start);
    const Recipe recipe = read(sets + start);
    CHECK(recipe.vp() == 4);
    CHECK(recipe.recompute == Recompute::full);
  }
}

TEST_CASE("arguments that no command uses, or only a run knows, are named") {
  for (const std::string name :
       {"titan_file.sh", "foundry_composer.sh", "nemo2_factory.sh", "performance_bridge.sh"}) {
    CAPTURE(name);
    Launch launch = launch_of(launches_folder() + "/" + name);
    launch.file.text += "\nA=(--a)\nSPARE=(--b 1)\nother ${A[@]} \"$@\" $EXTRA_ARGS $(cat more)\n";
    const auto notes = import_recipe(launch.file, job(launch.cluster, launch.software)).notes;
    const auto noted = [&](const std::string& words) {
      return std::any_of(notes.begin(), notes.end(),
                         [&](const auto& note) { return holds_words(note, words); });
    };
    CHECK(noted("arguments in variables that no command of the script uses (SPARE)"));
    CHECK(
        noted("arguments that only a run knows; --override KEY=VALUE gives each "
              "($(cat more), $@, $EXTRA_ARGS)"));
  }
}

TEST_CASE("what a branch of a run gives has to be settled in every launch") {
  const std::string start = "if [ \"$1\" = fast ]; then\n";
  for (const auto& [name, from] : {std::pair<std::string, std::string>{"titan_file.sh", "torchrun"},
                                   {"foundry_composer.sh", "composer"},
                                   {"nemo2_factory.sh", "nemo llm"},
                                   {"performance_bridge.sh", "python"}}) {
    const std::string script = name;
    CAPTURE(script);
    Launch launch = launch_of(launches_folder() + "/" + script);
    launch.file = with(launch.file, from, start + from);
    launch.file.text += "\nfi\n";
    CHECK(holds_words(error_of([&] { static_cast<void>(imported(launch)); }),
                      "is in a branch that is decided at run time"));
  }
}

}  // namespace
}  // namespace simtrain::testing::recipe_launches_test
