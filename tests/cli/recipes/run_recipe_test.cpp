#include <algorithm>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace simtrain::testing::run_recipe_test {
namespace {

using Json = nlohmann::json;

const std::string kRow = "run scenarios/llama31_8b_h100.yaml --row bf16-8";
const std::string kTable = "run scenarios/llama31_8b_h100.yaml";

Json json_of(const std::string& arguments) {
  const Outcome outcome = run_simtrain(words(arguments + " --format json"));
  REQUIRE(outcome.status == 0);
  return Json::parse(outcome.out);
}

TEST_CASE("run tells parameters, tokens and the recipe; the recipe saved gives the same result") {
  const Json first = json_of(kRow);
  CHECK(first.at("seq_length") == 8192);
  CHECK(first.at("tokens_per_step") ==
        8192 * first.at("recipe").at("training").at("global_batch_size").get<int>());
  CHECK(first.at("parameters").at("total") == 8'030'261'248);
  CHECK(first.at("parameters").at("fullest_gpu") >= first.at("parameters").at("mean_gpu"));
  const TempFolder folder;
  folder.write("again.yaml", first.at("recipe").dump(2));
  Json again = json_of("run " + folder.file("again.yaml"));
  again["engine"]["wall_s"] = first.at("engine").at("wall_s");
  CHECK(again == first);
}

TEST_CASE(
    "a list of layers says what a model is made of; that of the usual layers changes nothing") {
  const auto with = [](const std::string& layers) {
    return run_simtrain({"run", "scenarios/llama31_8b_h100.yaml", "--row", "bf16-8", "--format",
                         "json", "--set", "model_overrides.layers=" + layers});
  };
  Json usual = json_of(kRow);
  const Outcome outcome =
      with("[{blocks: [gqa, mlp], repeat: 30}, {blocks: [gqa, mlp], repeat: 2}]");
  REQUIRE(outcome.status == 0);
  Json same = Json::parse(outcome.out);
  CHECK(same.at("recipe").at("model").at("layers").at(1).at("repeat") == 2);
  CHECK(same.at("step_time_s") == usual.at("step_time_s"));
  CHECK(same.at("memory") == usual.at("memory"));
  CHECK(same.at("engine").at("fingerprint") == usual.at("engine").at("fingerprint"));

  const Outcome mixed = with("[{blocks: [gqa, mlp], repeat: 16}, {blocks: [mlp], repeat: 16}]");
  REQUIRE(mixed.status == 0);
  const Json other = Json::parse(mixed.out);
  // Without 16 times Q, K, V, projection and norm.
  constexpr std::int64_t kAttention = 4096 * (2 * 4096 + 2 * 1024) + 4096;
  CHECK(other.at("parameters").at("total") == 8'030'261'248 - 16 * kAttention);
  CHECK(other.at("step_time_s").at("mean") < usual.at("step_time_s").at("mean"));
  CHECK(other.at("memory").at("peak_bytes") < usual.at("memory").at("peak_bytes"));
  CHECK(other.at("model_flops_per_sample") < usual.at("model_flops_per_sample"));
  const TempFolder folder;
  folder.write("mixed.yaml", other.at("recipe").dump(2));
  CHECK(json_of("run " + folder.file("mixed.yaml")).at("step_time_s") == other.at("step_time_s"));
}

TEST_CASE("--recipe puts the recipe behind the report, and nothing else changes") {
  const std::string plain = run_simtrain(words(kRow)).out;
  const std::string full = run_simtrain(words(kRow + " --recipe")).out;
  CHECK(full.starts_with(plain));
  CHECK(plain.find("\n  Parameters        8.03B\n") != std::string::npos);
  CHECK(plain.find("\n  Tokens a step     ") != std::string::npos);
  CHECK(plain.find("fp8_params") == std::string::npos);
  CHECK(full.find("\n    fp8_params: false\n") != std::string::npos);
  CHECK(run_simtrain(words(kTable + " --recipe")).err ==
        "simtrain: --steps, traces, --report, --explain, --job, --kernels and --recipe are of one "
        "row "
        "of the table; --row names it\n");
}

TEST_CASE("--tokens and --price tell the same as scale does") {
  const Json run = json_of(kRow + " --tokens 15T --price 2.5").at("training_run");
  const Json size = json_of(
                        "scale scenarios/llama31_8b_h100.yaml --row bf16-8 --gpus 8 "
                        "--tokens 15T --price 2.5")
                        .at("sizes")
                        .at(0);
  for (const char* key : {"days", "gpu_hours", "cost_usd"}) CHECK(run.at(key) == size.at(key));
  CHECK(run.at("tokens") == 15e12);
  CHECK(run.at("usd_per_gpu_hour") == 2.5);
  const Json plain = json_of(kRow);
  CHECK(plain.at("training_run").at("days").get<double>() ==
        doctest::Approx(plain.at("days_per_1t_tokens").get<double>()));
  CHECK(!plain.at("training_run").contains("cost_usd"));

  const std::string text = run_simtrain(words(kRow + " --tokens 15T --price 2.5")).out;
  CHECK(text.find("\n  15T tokens in     ") != std::string::npos);
  CHECK(text.find(" GPU hours, $ ") != std::string::npos);
  CHECK(run_simtrain(words(kRow)).out.find("GPU hours") == std::string::npos);
  const std::string table = run_simtrain(words(kTable + " --price 2")).out;
  CHECK(table.find("\n1T tokens at $ 2 per GPU hour\n") != std::string::npos);
  CHECK(table.starts_with(run_simtrain(words(kTable)).out));
  CHECK(run_simtrain(words(kRow + " --tokens many")).err ==
        "simtrain: --tokens: 'many' is no number of tokens; 15T, 300B or 1e12 would do\n");
  CHECK(run_simtrain(words(kRow + " --price 0")).status == 2);
}

TEST_CASE("--explain leaves out what a GPU cannot do: FP8 on A100") {
  const Json json = json_of("run scenarios/gpt3_7b_golden.yaml --row tp4-pp1-a100 --explain");
  bool any = false;
  for (const Json& change : json.at("explain").at("changes")) {
    CHECK(change.at("name") != "precision");
    any = true;
  }
  CHECK(any);
  CHECK(json.at("explain").at("refused") > 0);
}

TEST_CASE("--version says version and commit") {
  const Outcome outcome = run_simtrain({"--version"});
  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  CHECK(outcome.out.starts_with("simtrain "));
  CHECK(std::count(outcome.out.begin(), outcome.out.end(), '\n') == 1);
  std::string version = words(outcome.out).at(1);
  if (version.ends_with(",")) version.pop_back();
  CHECK(version.find_first_not_of("0123456789.") == std::string::npos);
  CHECK(run_simtrain({"help", "man"}).out.find("\"simtrain " + version + "\"") !=
        std::string::npos);
  CHECK(run_simtrain({"--help"}).out.find("--version") != std::string::npos);
  CHECK(run_simtrain({"--version"}).out == outcome.out);
}

}  // namespace
}  // namespace simtrain::testing::run_recipe_test
