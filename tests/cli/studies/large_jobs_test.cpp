// What is sure only for whole published jobs, or for all of them.
#include <algorithm>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"
#include "tests/core/checkout.h"

namespace simtrain::testing::large_jobs_test {
namespace {

const std::string kFlagship = "scenarios/llama405b_a4_224.yaml";
const std::string kTable = "scenarios/llama31_8b_h100.yaml";
const std::string kCompared = "compare " + kFlagship + " tests/measured/data/dllogger-step-12.json";

/// How a command ends; it is asked once.
const Outcome& outcome_of(const std::string& line) {
  static std::map<std::string, Outcome> known;
  const auto [entry, fresh] = known.try_emplace(line);
  if (fresh) entry->second = run_simtrain(words(line));
  return entry->second;
}

/// What the program prints where all goes well: status 0 and nothing on standard error.
const std::string& printed(const std::string& line) {
  CAPTURE(line);
  CHECK(outcome_of(line).status == 0);
  CHECK(outcome_of(line).err.empty());
  return outcome_of(line).out;
}

TEST_CASE("Every scenario file runs with all of its rows") {
  for (const auto& entry : std::filesystem::directory_iterator(source_dir() + "/scenarios")) {
    if (entry.path().extension() != ".yaml") continue;
    const nlohmann::json json =
        nlohmann::json::parse(printed("run " + entry.path().string() + " --format json"));
    if (json.at("schema") == "simtrain.result/1") {
      CHECK(json.at("step_time_s").at("mean") > 0);
      continue;
    }
    CHECK(json.at("schema") == "simtrain.results/1");
    CHECK(!json.at("rows").empty());
    for (const auto& row : json.at("rows")) {
      CAPTURE(row.at("row"));
      CHECK(row.at("result").at("schema") == "simtrain.result/1");
      CHECK(row.at("result").at("step_time_s").at("mean") > 0);
    }
  }
}

TEST_CASE("validate compares the documented runs, and they are inside their bounds") {
  CHECK(printed("validate").find("\nAll: 70 rows, mean absolute error ") != std::string::npos);
}

TEST_CASE("compare: the logged step of the A4 recipe is inside the interval of its scenario") {
  const std::string& text = printed(kCompared);
  CHECK(text.find("Measured          118.190 s, one step") != std::string::npos);
  CHECK(text.find("less one: inside the") != std::string::npos);
}

/// Reports of every command. Not among them, for they are as wide as what others define: the tables
/// of nccl-tests (nccl) and of gpu-recipes' script (metrics of several logs), the keys of scenarios
/// as Markdown (help scenario), CSV and JSON.
const std::vector<std::string>& text_reports() {
  static const std::vector<std::string> lines{
      kFlagship,
      "scenarios/llama31_405b_h100.yaml",
      "sweep " + kFlagship + " --vary vp=1,3,9 --vary mbs=1,2 --vary recompute=none,selective",
      "sweep " + kFlagship + " --vary tp=3,4 --vary cp=2,64",
      "tune " + kTable + " --row bf16-8",
      "tune " + kTable + " --row bf16-8 --price 2.5 --tokens 15T",
      "tune " + kFlagship + " --gpus 8",
      "tune scenarios/llama31_405b_h100.yaml --row fp8-64 --limit cp=1 --limit mbs=1",
      "scale " + kFlagship + " --gpus 112,224,230 --price 2.5",
      "scale " + kTable + " --row bf16-8 --gpus 8:64:x2,12 --tokens 15T --mode strong",
      "scale scenarios/llama31_405b_h100.yaml --row bf16-512 --gpus 512",
      "validate --breakdown",
      "validate --nccl",
      "validate --kernels",
      "calibrate --rows llama-405b-a4",
      "calibrate --kernels --gpu h100-sxm",
      "metrics tests/measured/data/log-llama31-8b-step-49.out --scenario " + kTable +
          " --row bf16-8",
      kCompared,
      "profile " + kTable + " --row bf16-8 tests/measured/data/nsys-kern-sum.csv",
      "profile " + kTable + " --row bf16-8 tests/measured/data/kineto-rank3.json",
      "topology dgx-superpod-h100 --nodes 512",
      "topology gcp-a4 --from 0 --to 100",
      "topology " + kFlagship,
      "list",
      "bench",
      "help"};
  return lines;
}

void check_columns(const std::string& line) {
  CAPTURE(line);
  std::istringstream text(outcome_of(line).out);
  for (std::string row; std::getline(text, row);) {
    CAPTURE(row);
    const auto columns = std::count_if(row.begin(), row.end(), [](char c) {
      return (static_cast<unsigned>(c) & 0xc0U) != 0x80U;  // the first byte of a character
    });
    CHECK(columns <= 80);
  }
}

TEST_CASE("Text reports, lists and help fit 80 columns") {
  for (const std::string& line : text_reports()) check_columns(line);
  for (const std::string& family : words(printed("list"))) check_columns("list " + family);
  for (const std::string command :
       {"run", "new", "sweep", "tune", "scale", "validate", "calibrate", "metrics", "compare",
        "profile", "nccl", "topology", "import", "list", "bench", "help"})
    check_columns("help " + command);
}

}  // namespace
}  // namespace simtrain::testing::large_jobs_test
