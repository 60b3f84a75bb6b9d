#include <algorithm>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/base_scenario.h"
#include "tests/cli/program.h"
#include "tests/core/checkout.h"

namespace simtrain::testing::commands_test {
namespace {

const std::string kFlagship = "scenarios/llama405b_a4_224.yaml";
const std::string kTable = "scenarios/llama31_8b_h100.yaml";

/// What the program prints where all goes well: status 0 and nothing on standard error.
std::string printed(const std::string& arguments) {
  CAPTURE(arguments);
  const Outcome outcome = run_simtrain(words(arguments));
  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  CHECK(outcome.out.ends_with("\n"));
  return outcome.out;
}

nlohmann::json result(const std::string& arguments) {
  return nlohmann::json::parse(printed(arguments + " --format json"));
}

bool has_line(const std::string& text, const std::string& start) {
  const std::vector<std::string> all = lines(text);
  return std::any_of(all.begin(), all.end(), [&](auto& line) { return line.starts_with(start); });
}

TEST_CASE("A scenario file alone is run") { CHECK(printed(kTable) == printed("run " + kTable)); }

TEST_CASE("The text report opens with the scenario's name and names what was simulated") {
  const std::string text = printed(kFlagship);
  CHECK(lines(text).front() == "Llama 3.1 405B, FP8, 28 x a4-highgpu-8g (224 B200)");
  for (const char* label :
       {"  Cluster           gcp-a4: 28 x hgx-b200 (224 b200-sxm)", "  Model             ",
        "  Software          nemo-25.02", "  Recipe            fp8, TP 4, PP 14, VP 9, CP 2, DP 2",
        "  Step time         ", "  Throughput        ", "  MFU               ",
        "Where the step goes", "Communication of", "Memory of the fullest stage", "Engine: "}) {
    CAPTURE(label);
    CHECK(has_line(text, label));
  }
}

TEST_CASE("A scenario with a table prints a line a row") {
  const std::vector<std::string> all = lines(printed("scenarios/llama31_8b_h100.yaml"));
  CHECK(all.size() == 11);
  CHECK(all[0].starts_with("row "));
  CHECK(all[1].starts_with("bf16-8 "));
  CHECK(all[10].starts_with("fp8-128 "));
}

TEST_CASE("--row runs one row, and its result is the one that the table holds") {
  const nlohmann::json table = result("scenarios/llama31_8b_h100.yaml");
  nlohmann::json row = result("scenarios/llama31_8b_h100.yaml --row fp8-64");
  nlohmann::json same;
  for (const auto& entry : table.at("rows")) {
    if (entry.at("row") == "fp8-64") same = entry.at("result");
  }
  row.at("engine").erase("wall_s");
  same.at("engine").erase("wall_s");
  CHECK(row == same);
  CHECK(row.at("scenario").get<std::string>().ends_with(" [fp8-64]"));
  CHECK(row.at("gpus") == 64);
}

TEST_CASE("--set changes any key, by its dotted name or its short one") {
  const std::string row = "scenarios/llama31_8b_h100.yaml --row bf16-8";
  const nlohmann::json plain = result(row);
  const nlohmann::json dotted = result(row + " --set training.global_batch_size=256");
  const nlohmann::json brief = result(row + " --set gbs=256");
  CHECK(dotted.at("step_time_s").at("mean") > plain.at("step_time_s").at("mean"));
  CHECK(dotted.at("step_time_s") == brief.at("step_time_s"));
}

TEST_CASE("The last --set of a key counts") {
  const std::string row = "scenarios/llama31_8b_h100.yaml --row bf16-8";
  CHECK(result(row + " --set gbs=256 --set gbs=128").at("step_time_s") ==
        result(row).at("step_time_s"));
}

TEST_CASE("--set reaches into the model") {
  const std::string row = "scenarios/llama31_8b_h100.yaml --row bf16-8";
  const nlohmann::json half = result(row + " --set model_overrides.num_layers=16");
  CHECK(half.at("step_time_s").at("mean").get<double>() <
        0.7 * result(row).at("step_time_s").at("mean").get<double>());
}

TEST_CASE("--unfold simulates every rank and prints the same numbers") {
  for (const std::string scenario : {"scenarios/llama31_8b_h100.yaml --row bf16-16",
                                     "scenarios/llama31_70b_h100.yaml --row fp8-64"}) {
    CAPTURE(scenario);
    nlohmann::json folded = result(scenario);
    nlohmann::json unfolded = result(scenario + " --unfold");
    CHECK(unfolded.at("engine").at("ranks_simulated") == unfolded.at("engine").at("ranks"));
    CHECK(unfolded.at("engine").at("fingerprint") == folded.at("engine").at("fingerprint"));
    folded.erase("engine");
    unfolded.erase("engine");
    CHECK(folded == unfolded);
  }
}

TEST_CASE("Two runs print the same text") { CHECK(printed(kTable) == printed(kTable)); }

TEST_CASE("list prints the families, and each of them prints names") {
  const std::vector<std::string> families = lines(printed("list"));
  CHECK(families.size() >= 12);
  for (const std::string& family : families) CHECK(!printed("list " + family).empty());
}

TEST_CASE("list prints every collective, library, algorithm and protocol with what it is") {
  const std::string collectives = printed("list collectives");
  for (const char* name :
       {"all_reduce", "all_gather", "reduce_scatter", "broadcast", "alltoall", "send_receive"})
    CHECK(has_line(collectives, std::string(name) + " "));
  const std::string algorithms = printed("list algorithms");
  for (const char* name : {"ring", "tree", "collnet-direct", "collnet-chain", "nvls", "nvls-tree",
                           "pat", "direct", "user-buffers"})
    CHECK(has_line(algorithms, std::string(name) + " "));
  CHECK(has_line(printed("list libraries"), "nccl "));
  CHECK(has_line(printed("list libraries"), "rccl "));
  CHECK(has_line(printed("list algorithms"), "mesh "));
  CHECK(has_line(printed("list gpus"), "mi300x"));
  CHECK(has_line(printed("list nodes"), "mi300x-8gpu"));
  CHECK(has_line(printed("list clusters"), "oci-mi300x"));
  const std::string protocols = printed("list protocols");
  for (const char* name : {"ll", "ll128", "simple", "ce"})
    CHECK(has_line(protocols, std::string(name) + " "));
  CHECK(lines(collectives).size() == 6);
  const std::vector<std::string> listed =
      lines(algorithms);  // what goes on below a name is indented
  CHECK(std::count_if(listed.begin(), listed.end(), [](auto& line) { return line[0] != ' '; }) ==
        12);
  CHECK(lines(protocols).size() == 4);
}

TEST_CASE("list precisions prints in what linear modules multiply") {
  const std::string precisions = printed("list precisions");
  for (const char* format : {"bf16", "e4m3", "e5m2", "e4m3/128x128", "mxfp8", "nvfp4"})
    CHECK(precisions.find(format) != std::string::npos);
  for (const char* name : {"bf16 ", "fp8 ", "fp8_cs ", "fp8_mx ", "fp8_sc ", "nvfp4 "})
    CHECK(("\n" + precisions).find(std::string("\n") + name) != std::string::npos);
}

TEST_CASE("list scenarios prints what can be run") {
  std::string file;
  for (const std::string& line : lines(printed("list scenarios"))) {
    CAPTURE(line);
    if (line.starts_with("scenarios/")) {
      file = line;
      CHECK(std::filesystem::exists(std::filesystem::path(source_dir()) / line));
    } else {
      CHECK(line.starts_with("  --row "));
      CHECK(!file.empty());
    }
  }
}

TEST_CASE("help tells of every command, and --help behind a command tells the same") {
  const std::string overview = printed("help");
  CHECK(printed("--help") == overview);
  CHECK(printed("-h") == overview);
  CHECK(printed("") == overview);
  for (const std::string command : {"run", "validate", "nccl", "topology", "import", "list",
                                    "schema", "serve", "bench", "help"}) {
    CAPTURE(command);
    CHECK(has_line(overview, "  " + command + " "));
    CHECK(printed("help " + command).starts_with("Example\n  simtrain "));
    CHECK(has_line(printed("help " + command), "simtrain "));
    CHECK(printed(command + " --help") == printed("help " + command));
  }
}

// Where a change is meant: tools/update_golden.
TEST_CASE("Pages of the reference are what help prints") {
  for (const std::string topic : {"scenario", "hardware", "options"}) {
    CAPTURE(topic);
    const std::filesystem::path page(source_dir() + "/docs/" + topic + ".md");
    if (std::filesystem::exists(page)) CHECK(read_file(page) == printed("help " + topic));
  }
}

TEST_CASE("A scenario of one's own runs from any folder") {
  const TempFolder folder;
  folder.write("own.yaml", kBaseScenario);
  const Outcome outcome = run_simtrain({"own.yaml"}, {folder.path().string(), {}, ""});
  CHECK(outcome.status == 0);
  CHECK(outcome.out.starts_with("base\n"));
}

}  // namespace
}  // namespace simtrain::testing::commands_test
