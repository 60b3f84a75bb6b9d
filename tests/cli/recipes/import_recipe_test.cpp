#include <algorithm>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/bad_edit.h"
#include "tests/core/checkout.h"

namespace simtrain::testing::import_recipe_test {
namespace {

const std::string kData = "tests/import/data/";
const std::string kA4 = kData + "llama3-1-405b-224gpus-a4-fp8.yaml";

std::vector<std::string> a4_import() {
  return {"import", kA4, "--cluster", "gcp-a4", "--software", "nemo-25.02"};
}

nlohmann::json result_of(const std::string& scenario, const std::string& row = "") {
  std::vector<std::string> call{"run", scenario, "--format", "json"};
  if (!row.empty()) call.insert(call.end(), {"--row", row});
  const Outcome outcome = run_simtrain(call);
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  return nlohmann::json::parse(outcome.out);
}

TEST_CASE("an imported recipe runs as the committed scenario does") {
  const TempFolder folder;
  const std::string file = folder.file("a4.yaml");
  std::vector<std::string> call = a4_import();
  call.insert(call.end(), {"--output", file});
  const Outcome written = run_simtrain(call);
  CHECK(written.status == 0);
  CHECK(written.out.empty());
  CHECK(written.err.starts_with("simtrain: note: "));
  CHECK(written.err.ends_with("keys ignored (nemo-1); comments at the end name them\n"));
  CHECK(std::count(written.err.begin(), written.err.end(), '\n') == 1);
  const nlohmann::json mine = result_of(file);
  const nlohmann::json known = result_of("scenarios/llama405b_a4_224.yaml");
  for (const std::string key : {"step_time_s", "breakdown_s", "memory", "communication", "gpus"}) {
    CAPTURE(key);
    CHECK(mine.at(key) == known.at(key));
  }
  CHECK(mine.at("engine").at("fingerprint") == known.at("engine").at("fingerprint"));

  check_refused_with(run_simtrain(call), "a4.yaml: is there already; --force replaces it");
  folder.write("a4.yaml", "mine");
  call.emplace_back("--force");
  CHECK(run_simtrain(call).status == 0);
  CHECK(read_file(file) == run_simtrain(a4_import()).out);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("an imported mixture of experts runs as the committed scenario does") {
  const TempFolder folder;
  const std::string file = folder.file("mixtral.yaml");
  const Outcome written =
      run_simtrain({"import", kData + "mixtral_8x7b_nemo1.yaml", "--cluster", "gcp-a3-ultra",
                    "--software", "nemo-25.02", "--output", file});
  CAPTURE(written.err);
  CHECK(written.status == 0);
  const nlohmann::json mine = result_of(file);
  const nlohmann::json known = result_of("scenarios/mixtral_8x7b_h200.yaml", "bf16-256");
  for (const std::string key : {"step_time_s", "breakdown_s", "memory", "communication", "gpus"}) {
    CAPTURE(key);
    CHECK(mine.at(key) == known.at(key));
  }
}

TEST_CASE("a refused recipe leaves no file") {
  const TempFolder folder;
  check_refused_with(run_simtrain({"import", kA4, "--output", folder.file("a4.yaml")}),
                     "--cluster NAME sets it, one of a100-4hdr,");
  CHECK(std::filesystem::is_empty(folder.path()));
  check_refused_with(run_simtrain({"import", kA4, "--cluster", "gcp-a4"}),
                     "--software NAME sets it");
  std::vector<std::string> call = a4_import();
  call.insert(call.end(), {"--nodes", "27"});
  check_refused_with(run_simtrain(call), "as imported:");
  call = a4_import();
  call.insert(call.end(), {"--nodes", "many"});
  check_refused_with(run_simtrain(call), "--nodes: must be a whole number, found 'many'");
  call = a4_import();
  call.insert(call.end(), {"--gpu", "b200-sxm"});
  check_refused_with(run_simtrain(call), "--gpu: is of no use for a file of the format nemo-1");
  call = a4_import();
  call.insert(call.end(), {"--set", "training.gbs.x.y=1"});
  check_refused_with(run_simtrain(call), "is too deep");
  call = a4_import();
  call.insert(call.end(), {"--set", "trainin.precision=fp8"});
  check_refused_with(run_simtrain(call), "did you mean 'training'?");
  call = a4_import();
  call.insert(call.end(), {"--output", "/dev/full", "--force"});
  check_refused_with(run_simtrain(call), "/dev/full: is no regular file");
  check_refused_with(
      run_simtrain({"import", "tests/topology/data/hgx-h100-nccl.xml", "--cluster", "x"}),
      "--cluster: is of no use for a file of the format nccl-topology");
}

TEST_CASE("an imported model can be trained") {
  const TempFolder folder;
  for (const std::string family : {"hardware", "scenarios"}) {
    std::filesystem::copy(source_dir() + "/" + family, folder.path() / family,
                          std::filesystem::copy_options::recursive);
  }
  CHECK(run_simtrain({"import", kData + "llama2_13b_config.json", "--name", "own-llama2-13b",
                      "--output", folder.file("scenarios/models/own-llama2-13b.yaml")})
            .status == 0);
  const CallOptions options{source_dir(), {{"SIMTRAIN_DATA", folder.path().string()}}, ""};
  const Outcome outcome = run_simtrain(
      words("run scenarios/llama31_8b_h100.yaml --row bf16-16 --set model=own-llama2-13b"),
      options);
  CAPTURE(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("own-llama2-13b") != std::string::npos);
}

TEST_CASE("an unknown recipe names the formats, a program in Python how to export it") {
  const TempFolder folder;
  folder.write("other.json", "{\"batch\": 8}\n");
  folder.write("recipe.py", "from nemo.collections import llm\nrecipe = llm.llama3_8b()\n");
  const auto import = [&](const std::string& file) {
    return run_simtrain({"import", folder.file(file)});
  };
  check_refused_with(import("other.json"), "megatron-model-config (model_config.yaml of");
  check_refused_with(import("recipe.py"), "nemo llm pretrain --factory NAME --to-yaml recipe.yaml");
}

TEST_CASE("what an import cannot keep is reported on standard error") {
  const Outcome outcome = run_simtrain(words("import " + kData +
                                             "gpt15b_model_config.yaml --cluster dgx-superpod-h100 "
                                             "--software megatron-core-2025"));
  CHECK(outcome.status == 0);
  for (const std::string note :
       {"simtrain: note: training.global_batch_size 384 is assumed: --rampup-batch-size: from 384",
        "simtrain: note: not simulated, though asked for: deterministic kernels, which can be"}) {
    CAPTURE(outcome.err);
    CHECK(outcome.err.find(note) != std::string::npos);
  }
}

TEST_CASE("a script that asks for arguments is given them by one option") {
  const std::string call = "import " + kData +
                           "llama_arguments.sh --cluster dgx-superpod-h100 --software "
                           "megatron-core-2025";
  check_refused_with(run_simtrain(words(call)),
                     "; --arguments TEXT has the arguments of the script");
  std::vector<std::string> given = words(call + " --arguments");
  given.emplace_back("PRECISION=bf16 8B 1 128 8192 4 1");
  const Outcome outcome = run_simtrain(given);
  CHECK(outcome.status == 0);
  for (const std::string line : {"model: llama3.1-8b", "tensor_model_parallel_size: 4",
                                 "global_batch_size: 128", "seq_length: 8192", "precision: bf16"}) {
    CAPTURE(line);
    CHECK(outcome.out.find(line) != std::string::npos);
  }
  check_refused_with(run_simtrain({"import", kA4, "--arguments", "8B"}),
                     "arguments: are for a script, which this file is not");
}

TEST_CASE("every format of recipes is listed and has an example that imports") {
  const std::string list = run_simtrain({"list", "import-formats"}).out;
  for (const std::string name :
       {"nccl-topology", "nvidia-smi-topo", "nemo-1", "nemo-2", "megatron-bridge",
        "megatron-arguments", "megatron-launch", "bridge-launch", "megatron-model-config",
        "dllogger-header", "hugging-face-config", "torchtitan", "llm-foundry", "maxtext",
        "deepspeed", "primus", "gpt-neox", "nanotron"}) {
    CAPTURE(name);
    CHECK(("\n" + list).find("\n" + name + "  ") != std::string::npos);
  }
  for (const std::string file :
       {"llama31_70b_nemo2.yaml", "gpt15b_megatron.sh", "gpt15b_model_config.yaml",
        "gpt15b_arguments.txt", "llama31_8b_bridge.yaml --nodes 1", "qwen3_30b_megatron.sh",
        "qwen3_30b_launch.sh", "mixtral_8x7b_model_config.yaml", "mixtral_8x7b_nemo2.yaml",
        "qwen3_30b_bridge.yaml --nodes 2", "llama31_70b_titan.toml --nodes 32",
        "mpt_30b_foundry.yaml --nodes 1", "gpt3_5b_megatron_deepspeed.sh --nodes 4",
        "zero3_deepspeed.json --nodes 4 --model gpt3-5b --set training.seq_length=2048",
        "llama31_405b_maxtext.yaml", "llama2_7b_maxtext.sh", "llama31_8b_primus.yaml --nodes 1",
        "gpt_20b_neox.yml --nodes 12", "llama_nanotron.yaml"}) {
    const Outcome outcome = run_simtrain(words(
        "import " + kData + file + " --cluster dgx-superpod-h100 --software megatron-core-2025"));
    CAPTURE(outcome.err);
    CHECK(outcome.status == 0);
    CHECK(outcome.out.starts_with("# Made by 'simtrain import' from tests/import/data/"));
  }
}

}  // namespace
}  // namespace simtrain::testing::import_recipe_test
