#include <algorithm>

#include <doctest/doctest.h>

#include "tests/cli/bad_edit.h"

namespace simtrain::testing::export_test {
namespace {

const std::string kA4 = "scenarios/llama405b_a4_224.yaml";

Outcome exported(const std::string& options) {
  return run_simtrain(words("export " + kA4 + " " + options));
}

TEST_CASE("a plan is a script of Megatron-LM, whose import simulates the same step") {
  const TempFolder folder;
  const std::string script = folder.file("a4.sh");
  const Outcome outcome = exported("--to megatron --output " + script);
  CAPTURE(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(outcome.out.empty());
  const std::string text = read_file(script);
  CHECK(text.starts_with("#!/bin/bash\n# Made by 'simtrain export --to megatron' of Llama 3.1"));
  for (const std::string line :
       {"    --nnodes 28\n", "    --tensor-model-parallel-size 4\n", "    --fp8-format hybrid\n",
        "    --num-virtual-stages-per-pipeline-rank 9\n", "    --disable-bias-linear\n",
        "export CUDA_DEVICE_MAX_CONNECTIONS=1\n"}) {
    CAPTURE(line);
    CHECK(text.find(line) != std::string::npos);
  }
  CHECK(text.find("--overlap-p2p") == std::string::npos);  // the default, without an option
  const std::string again = folder.file("again.yaml");
  REQUIRE(run_simtrain({"import", script, "--cluster", "gcp-a4", "--software", "nemo-25.02",
                        "--output", again})
              .status == 0);
  const auto step = [](const std::string& scenario) {
    const std::string json = run_simtrain({"run", scenario, "--format", "json"}).out;
    const std::size_t at = json.find("\"fingerprint\"");
    return json.substr(at, 40);
  };
  CHECK(step(again) == step(kA4));
  CHECK(exported("--to megatron --output " + script).status == 2);
  CHECK(exported("--to megatron --force --output " + script).status == 0);
}

TEST_CASE("what a framework has no word for is named, with the key of the scenario") {
  const Outcome bridge = exported("--to bridge --set nccl.nvls=false");
  CHECK(bridge.status == 0);
  CHECK(bridge.out.find("tensor_model_parallel_size: 4\n") != std::string::npos);
  CHECK(bridge.err.find("simtrain: note: bridge: nccl.nvls: false is not in it; an import has "
                        "true\n") != std::string::npos);
  const Outcome megatron = exported("--to megatron --set nccl.nvls=false");
  CHECK(megatron.out.find("export NCCL_NVLS_ENABLE=0\n") != std::string::npos);
  CHECK(megatron.err.find("nccl") == std::string::npos);
  const Outcome strict = exported("--to bridge --strict --set nccl.nvls=false");
  CHECK(strict.status == 1);
  CHECK(strict.out == bridge.out);
}

TEST_CASE("a recipe of torchtitan has its layers by stage, and names the model that it has not") {
  const auto written = [](const std::string& arguments) {
    return run_simtrain(words("export " + arguments + " --to torchtitan"));
  };
  const Outcome job = written("scenarios/llama31_405b_job_h100.yaml");
  for (const char* part :
       {"layers_per_stage = 2\n", "first_stage_less_layers = 1\n", "last_stage_less_layers = 1\n"})
    CHECK(job.out.find(part) != std::string::npos);
  CHECK(job.err.find("virtual_pipeline") == std::string::npos);
  CHECK(job.err.find("torchtitan: job: is not in it") != std::string::npos);
  CHECK(written(kA4).out.find("first_stage_less_layers = 0\n") != std::string::npos);
  const Outcome own = written("scenarios/nemotron4_15b_h100.yaml --row bf16-128");
  CHECK(own.out.find("--nodes 16 --model nemotron4-15b' reads it.") != std::string::npos);
}

TEST_CASE("types of optimizer states are PyTorch's, which an import reads back") {
  const std::string states =
      " --set software=nemo-25.09 --set optimizer.use_precision_aware_optimizer=true --set "
      "optimizer.exp_avg_dtype=bf16";
  const TempFolder folder;
  for (const std::string target : {"bridge", "nemo"}) {
    CAPTURE(target);
    const std::string file = folder.file(target + ".yaml");
    REQUIRE(exported("--to " + target + " --output " + file + states).status == 0);
    CHECK(read_file(file).find("exp_avg_dtype:\n") != std::string::npos);
    CHECK(read_file(file).find("_target_: torch.bfloat16\n") != std::string::npos);
    const Outcome again =
        run_simtrain({"import", file, "--cluster", "gcp-a4", "--software", "nemo-25.09"});
    CHECK(again.out.find("  exp_avg_dtype: bf16") != std::string::npos);
  }
}

TEST_CASE("every target is listed and writes a scenario of a table") {
  const std::string list = run_simtrain({"list", "export-targets"}).out;
  for (const std::string name : {"megatron", "nemo", "bridge", "torchtitan"}) {
    CAPTURE(name);
    CHECK(("\n" + list).find("\n" + name + "  ") != std::string::npos);
    const Outcome outcome =
        run_simtrain({"export", "scenarios/llama31_8b_h100.yaml", "--row", "bf16-8", "--to", name});
    CHECK(outcome.status == 0);
    CHECK(outcome.out.find("simtrain import FILE --cluster dgx-superpod-h100") !=
          std::string::npos);
  }
}

TEST_CASE("an export that cannot be is refused in a line") {
  check_refused_with(exported(""), "--to: is missing; one of megatron, nemo, bridge, torchtitan");
  check_refused_with(exported("--to jax"),
                     "--to: 'jax' is not known; known are megatron, nemo, bridge");
  check_refused_with(run_simtrain({"export", "--to", "nemo"}), "export takes one scenario file");
  check_refused_with(run_simtrain({"export", "scenarios/llama31_8b_h100.yaml", "--to", "nemo"}),
                     "bf16-8");
}

}  // namespace
}  // namespace simtrain::testing::export_test
