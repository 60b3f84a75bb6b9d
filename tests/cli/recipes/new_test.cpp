#include <algorithm>
#include <tuple>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"
#include "tests/core/checkout.h"

namespace simtrain::testing::new_test {
namespace {

using Json = nlohmann::json;

Outcome make(const std::string& options) { return run_simtrain(words("new " + options)); }

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Json run(const std::string& file) {
  const Outcome outcome = run_simtrain({"run", file, "--format", "json"});
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  return Json::parse(outcome.out);
}

/// A number of GPUs that a model of scenarios/models fits with room to spare.
std::string gpus_for(const std::string& model) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> sizes{
      {"512", {"glm-5"}},
      {"256", {"deepseek-v3", "kimi", "530b"}},
      {"128", {"405b", "340b", "314b", "maverick", "235b", "glm-4.5"}},
      {"16", {"v2-lite"}},
      {"64", {"deepseek-v2", "176b", "175b", "8x22b", "dbrx", "scout", "120b", "123b"}},
      {"32", {"8x7b", "56b", "57b", "70b", "72b", "80b", "32b", "22b"}}};
  for (const auto& [gpus, parts] : sizes) {
    for (const std::string& part : parts) {
      if (has(model, part)) return gpus;
    }
  }
  return "16";
}

constexpr const char* kConfig = R"({
  "model_type": "llama", "num_hidden_layers": 16, "hidden_size": 2048, "intermediate_size": 8192,
  "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 64, "vocab_size": 50257,
  "hidden_act": "silu", "tie_word_embeddings": false, "max_position_embeddings": 4096
})";

}  // namespace

TEST_CASE("new writes a first scenario that runs to what it predicts") {
  const TempFolder folder;
  const std::string file = folder.file("first.yaml");
  const std::string options =
      "--model llama3.1-8b --cluster dgx-superpod-h100 --gpus 16 --tokens 15T --output " + file;
  const Outcome outcome = make(options);
  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  const Json json = run(file);
  const double step = json.at("step_time_s").at("mean");
  for (const std::string& part :
       {fmt::format("Step time         {:.3f} s", step), std::string("  MFU "),
        std::string(" GB to spare\n"), std::string("15T tokens in"), std::string("  Assumed "),
        std::string("llama3.1-8b on 16 h100-sxm of dgx-superpod-h100\n")})
    CHECK(has(outcome.out, part));
  CHECK(json.at("gpus") == 16);
  CHECK(json.at("memory").at("fits") == true);
  CHECK(json.at("memory").at("tight") == false);
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
  const std::string yaml = read_file(file);
  CHECK(has(yaml, "# ASSUMED: the newest stack here"));
  CHECK(has(yaml, fmt::format("#   Step time         {:.3f} s", step)));
  CHECK(has(yaml, "global_batch_size: 512 # ASSUMED: 4.00 Mi tokens a step"));
  const Outcome again = make(options);
  CHECK(again.status == 2);
  CHECK(has(again.err, "is there already; --force replaces it"));
  CHECK(read_file(file) == yaml);
  CHECK(make(options + " --force").status == 0);
  CHECK(read_file(file) == yaml);
}

TEST_CASE("new's plan is the best that tune finds for its scenario") {
  const TempFolder folder;
  const std::string file = folder.file("first.yaml");
  REQUIRE(make("--model nemotron4-15b --cluster gcp-a4 --gpus 16 --gbs 64 --precision fp8 "
               "--seq-length 4096 --output " +
               file)
              .status == 0);
  const Json best =
      Json::parse(run_simtrain({"tune", file, "--top", "1", "--format", "json"}).out)["best"][0];
  CHECK(run(file).at("step_time_s").at("mean") == best.at("step_time_s"));
  const std::string yaml = read_file(file);
  for (const char* part : {"precision: fp8 # --precision", "seq_length: 4096 # --seq-length",
                           "global_batch_size: 64 # --gbs"})
    CHECK(has(yaml, part));
}

TEST_CASE("without --output new prints the scenario, the prediction in its comments") {
  const TempFolder folder;
  const Outcome outcome = make("--model llama3.1-8b --cluster dgx-superpod-a100 --gpus 8 --gbs 32");
  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  CHECK(outcome.out.starts_with("# Made by 'simtrain new'."));
  CHECK(has(outcome.out, "software: megatron-core-2025-a100 # ASSUMED"));
  const std::string file = folder.file("printed.yaml");
  folder.write("printed.yaml", outcome.out);
  CHECK(run(file).at("gpus") == 8);
}

TEST_CASE("new leaves out the user buffers that a stack on DTensor does not have") {
  const TempFolder folder;
  const Outcome outcome =
      make("--model llama3.1-8b --cluster dgx-superpod-h100 --gpus 16 --software torchtitan-2025");
  CHECK(outcome.status == 0);
  CHECK(has(outcome.out, "tp_comm_overlap: false"));
  CHECK(!has(outcome.out, "tp_comm_overlap_table"));
}

TEST_CASE("new overlaps TP communication in TP groups of one NVLink domain alone") {
  const std::string model = "--model gpt-530b --cluster dgx-superpod-h100 --gbs 256 --gpus ";
  const Outcome wide = make(model + "256");
  CHECK(wide.status == 0);
  CHECK(has(wide.out, "tensor_model_parallel_size: 32"));
  CHECK(has(wide.out, "tp_comm_overlap: false"));
  const Outcome narrow = make("--model llama3.1-70b --cluster dgx-superpod-h100 --gpus 64");
  CHECK(narrow.status == 0);
  CHECK(has(narrow.out, "tp_comm_overlap: true"));
}

TEST_CASE("new works on every cluster, and for every model") {
  const TempFolder folder;
  const std::string file = folder.file("first.yaml");
  const auto names = [](const char* family) {
    std::vector<std::string> result;
    for (const auto& entry : std::filesystem::directory_iterator(source_dir() + "/" + family))
      result.push_back(entry.path().stem().string());
    std::sort(result.begin(), result.end());
    return result;
  };
  for (const std::string& cluster : names("hardware/clusters")) {
    CAPTURE(cluster);
    const Outcome outcome = make("--model llama3.1-8b --gpus 8 --gbs 32 --force --cluster " +
                                 cluster + " --output " + file);
    CHECK(outcome.err == "");
    CHECK(outcome.status == 0);
    CHECK(run(file).at("memory").at("fits") == true);
  }
  for (const std::string& model : names("scenarios/models")) {
    CAPTURE(model);
    const std::string gpus = gpus_for(model);
    // Of one micro-batch a replica or few, so that the plans of mixtures are not too many.
    const Outcome outcome = make("--gpus " + gpus + " --gbs " + gpus + " --force --cluster " +
                                 "dgx-superpod-h100 --model " + model + " --output " + file);
    CHECK(outcome.err == "");
    CHECK(outcome.status == 0);
    CHECK(run(file).at("memory").at("tight") == false);
  }
}

TEST_CASE("new takes the config.json of a Hugging Face model, or a model file, anywhere") {
  const TempFolder folder;
  const std::string file = folder.file("first.yaml");
  const std::string config = folder.file("config.json");
  folder.write("config.json", kConfig);
  const std::string rest = " --cluster dgx-superpod-h100 --gpus 8 --gbs 32 --output " + file;
  const Outcome outcome = make("--model " + config + rest);
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.err.starts_with("simtrain: note: "));
  const std::string yaml = read_file(file);
  CHECK(has(yaml, "  num_layers: 16 # the config.json\n"));
  CHECK(has(yaml, "  vocab_size: 51200 # ASSUMED: 50257 padded to a multiple of 1024"));
  CHECK(has(yaml, "seq_length: 4096 # ASSUMED: the longest sequence that the model"));
  CHECK(run(file).at("step_time_s").at("mean") > 0);
  const std::string model = folder.file("mine.yaml");
  std::filesystem::copy_file(source_dir() + "/scenarios/models/gpt3-7b.yaml", model);
  REQUIRE(make("--force --model " + model + rest).status == 0);
  const Json own = run(file);
  REQUIRE(make("--force --model gpt3-7b" + rest).status == 0);
  CHECK(run(file).at("step_time_s") == own.at("step_time_s"));
}

TEST_CASE("new makes a job of the tokens where it is said how often what fails") {
  const TempFolder folder;
  const std::string file = folder.file("job.yaml");
  const std::string options =
      "--model llama3.1-8b --cluster dgx-superpod-h100 --gpus 16 --tokens 15B "
      "--failures production-h100 --force --output " +
      file;
  REQUIRE(make(options).status == 0);
  const std::string yaml = read_file(file);
  CHECK(has(yaml, "job:\n  tokens: 15000000000 # --tokens\n  failures: production-h100 # "));
  CHECK(has(yaml, "storage: lustre-superpod, async_save: true} # ASSUMED: "));
  const Outcome job = run_simtrain({"goodput", file, "--plain", "--format", "json"});
  CAPTURE(job.err);
  REQUIRE(job.status == 0);
  const Json told = Json::parse(job.out);
  const double steps = told.at("summary").at("steps").at("mean");
  const double tokens = told.at("tokens_per_step");
  CHECK(steps * tokens >= 15e9);
  CHECK((steps - 1) * tokens < 15e9);
  REQUIRE(make(options + " --storage object-store").status == 0);
  CHECK(
      has(read_file(file), "{storage: object-store, async_save: true} # ASSUMED: --storage, and"));
  CHECK(run_simtrain({"goodput", file, "--plain"}).status == 0);
  const std::string rest = "--model llama3.1-8b --cluster dgx-superpod-h100 --gpus 16 --force ";
  REQUIRE(make(rest + "--failures production-h100 --output " + file).status == 0);
  CHECK(has(read_file(file), "  tokens: 1000000000000 # ASSUMED: "));
  REQUIRE(make(rest + "--output " + file).status == 0);
  CHECK_FALSE(has(read_file(file), "\njob:"));
}

TEST_CASE("new says in one line what is wrong, and writes nothing") {
  const TempFolder folder;
  const std::string file = folder.file("first.yaml");
  const std::string config = folder.file("config.json");
  folder.write("config.json", "{\"model_type\": \"llama\", \"num_hidden_layers\": 16}");
  const std::string model = "--model llama3.1-8b ";
  const std::string cluster = "--cluster dgx-superpod-h100 ";
  for (const auto& [options, status, message] :
       std::vector<std::tuple<std::string, int, std::string>>{
           {cluster + "--gpus 8", 2, "--model: is missing; --model llama3.1-8b would do"},
           {model + "--gpus 8", 2, "--cluster: is missing"},
           {model + cluster, 2, "--gpus: is missing"},
           {"--model llama3.1-9b --gpus 8 " + cluster, 2, "--model: 'llama3.1-9b' is not known; "},
           {"--model " + config + " --gpus 8 " + cluster, 2, "is not given"},
           {"--model " + folder.file("none.json") + " --gpus 8 " + cluster, 2, "none.json"},
           {model + "--gpus 8 --cluster moon", 2, "--cluster: 'moon' is not known; "},
           {model + "--gpus 12 " + cluster, 2,
            "--gpus: 12 are no whole number of nodes of 8 GPUs; 8 or 16 would do"},
           {model + "--gpus 0 " + cluster, 2, "--gpus: "},
           {model + "--gpus 99999992 " + cluster, 2, "--gpus: "},
           {model + "--gpus 8 --software x " + cluster, 2, "--software: 'x' is not known; "},
           {model + "--gpus 8 --precision fp32 " + cluster, 2, "--precision: 'fp32' is not"},
           {model + "--gpus 8 --precision fp8 --cluster dgx-superpod-a100", 2,
            "--precision: 'fp8' has no rate on a100-sxm"},
           {model + "--gpus 8 --gbs 0 " + cluster, 2, "--gbs: "},
           {model + "--gpus 8 --seq-length x " + cluster, 2, "--seq-length: "},
           {model + "--gpus 8 --tokens x " + cluster, 2, "--tokens: "},
           {model + "--gpus 8 --failures x " + cluster, 2, "--failures: 'x' is not known; "},
           {model + "--gpus 8 --failures llama3-h100 --storage x " + cluster, 2,
            "--storage: 'x' is not known; "},
           {model + "--gpus 8 --failures llama3-h100 --storage nvme-node " + cluster, 2,
            "--storage: job.checkpoint.storage: 'nvme-node' is lost with its node; "},
           {model + "--gpus 8 --storage nvme-node " + cluster, 2,
            "--storage: is of a job; --failures NAME makes one"},
           {model + "--gpus 8 --output /nowhere/x.yaml " + cluster, 2, "cannot be written"},
           {model + "--gpus 8 --force " + cluster, 2,
            "--force: replaces a file; name one with --output"},
           {"x.yaml " + model + "--gpus 8 " + cluster, 2, "new takes options only"},
           {model + "--gpus 24 --seq-length 8191 --gbs 7 --output " + file + " " + cluster, 1,
            "no plan of "},
           {"--model llama3.1-405b --gpus 8 --output " + file + " " + cluster, 1,
            "no plan fits: the smallest of "}}) {
    const auto& shown = options;
    CAPTURE(shown);
    const Outcome outcome = make(options);
    CAPTURE(outcome.err);
    CHECK(outcome.status == status);
    CHECK(outcome.out.empty());
    CHECK(outcome.err.starts_with("simtrain: "));
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
    CHECK(has(outcome.err, message));
    CHECK(!std::filesystem::exists(file));
  }
}

}  // namespace simtrain::testing::new_test
