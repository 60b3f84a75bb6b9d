#include <algorithm>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/browser.h"
#include "tests/cli/program.h"

namespace simtrain::testing::run_against_test {
namespace {

const std::string kTable = "scenarios/llama31_8b_h100.yaml";
const std::string kAgainst = "run " + kTable + " --row bf16-8 --set tp=2 --against " + kTable;

TEST_CASE("--against shows two runs side by side, 80 columns wide") {
  const Outcome outcome = run_simtrain(words(kAgainst + " --against-row bf16-8"));
  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  CHECK(outcome.out.find("\nKeys that differ (") != std::string::npos);
  CHECK(outcome.out.find("\n  parallelism.tensor_model_parallel_size: 1 -> 2\n") !=
        std::string::npos);
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
}

TEST_CASE("The two results of --against are those of two runs") {
  const auto json = [](const std::string& line) {
    return nlohmann::json::parse(run_simtrain(words(line + " --format json")).out);
  };
  const auto both = json(kAgainst + " --against-row bf16-8 --against-set gbs=64");
  const auto run = json("run " + kTable + " --row bf16-8 --set tp=2");
  const auto against = json("run " + kTable + " --row bf16-8 --set gbs=64");
  CHECK(both.at("schema") == "simtrain.difference/1");
  CHECK(both.at("same_tokens_per_step") == false);
  CHECK(both.at("run").at("breakdown_s") == run.at("breakdown_s"));
  CHECK(both.at("against").at("breakdown_s") == against.at("breakdown_s"));
  CHECK(both.at("against").at("engine").at("fingerprint") ==
        against.at("engine").at("fingerprint"));
}

TEST_CASE("--against is refused without a row of a table, and with what is of one run") {
  const TempFolder folder;
  const std::string row = " --against-row bf16-8 ";
  for (const auto& [line, message] : std::vector<std::pair<std::string, std::string>>{
           {kAgainst, "--against-row: the scenario has a table"},
           {kAgainst + " --against-row none", "none"},
           {"run " + kTable + " --against " + kTable + row, "--row: the scenario has a table"},
           {kAgainst + row + "--explain", "--explain: is of one run"},
           {kAgainst + row + "--kernels", "--kernels: is of one run"},
           {kAgainst + row + "--steps 3", "--steps: is of one run"},
           {kAgainst + row + "--tokens 2T", "--tokens: is of one run"},
           {kAgainst + row + "--trace " + folder.file("t.json"), "--trace: is of one run"},
           {"run " + kTable + " --row bf16-8 --against-row bf16-8", "--against"},
           {"run " + kTable + " --row bf16-8 --against none.yaml", "none.yaml"}}) {
    const std::string& shown = line;
    CAPTURE(shown);
    const Outcome outcome = run_simtrain(words(line));
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(outcome.err.find(message) != std::string::npos);
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
  }
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("The page of two runs is written whole, never over a scenario, and opens in a browser") {
  const TempFolder folder;
  const std::string file = folder.file("page.html");
  const std::string call = kAgainst + " --against-row fp8-8 --report ";
  CHECK(run_simtrain(words(call + kTable)).status == 2);
  REQUIRE(run_simtrain(words(call + file)).status == 0);
  CHECK(read_file(file).ends_with("</html>\n"));
  if (!browser_here()) return;
  const std::string dom = in_browser(file).out;
  CHECK(dom.find("CONSOLE") == std::string::npos);
  CHECK(drawn(dom, "fall", "<svg"));
  CHECK(width_on_phone(file) <= 390);
}

}  // namespace
}  // namespace simtrain::testing::run_against_test
