#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/bad_edit.h"
#include "tests/core/checkout.h"

namespace simtrain::testing::topology_test {
namespace {

const std::string kFlagship = source_dir() + "/scenarios/llama405b_a4_224.yaml";

Outcome in_folder(const TempFolder& folder, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "topology");
  return run_simtrain(std::move(arguments), {folder.path().string(), {}, ""});
}

nlohmann::json facts(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--format", "json"});
  const Outcome outcome = in_folder(TempFolder(), std::move(arguments));
  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  return nlohmann::json::parse(outcome.out);
}

TEST_CASE("topology prints a cluster in 80 columns") {
  for (const char* name : {"gcp-a4", "dgx-superpod-gb200", "dgx-superpod-h100"}) {
    CAPTURE(name);
    const Outcome outcome = in_folder(TempFolder(), {name, "--from", "0", "--to", "100"});
    CHECK(outcome.status == 0);
    CHECK(outcome.err.empty());
    CHECK(outcome.out.starts_with(name));
    CHECK(outcome.out.find("32 of up to ") != std::string::npos);
    std::istringstream text(outcome.out);
    for (std::string line; std::getline(text, line);) {
      CAPTURE(line);
      CHECK(line.size() <= 80);
    }
  }
}

TEST_CASE("topology as JSON: the same numbers in plain units") {
  const nlohmann::json json = facts({"gcp-a4", "--nodes", "28", "--from", "0", "--to", "130"});
  CHECK(json.at("schema") == "simtrain.topology/1");
  CHECK(json.at("counts").at("gpus") == 224);
  CHECK(json.at("counts").at("leaf_switches") == 16);
  CHECK(json.at("bisection").at("method") == "max-flow");
  CHECK(json.at("bisection").at("bandwidth_bytes_per_s").get<double>() ==
        doctest::Approx(14 * 8 * 47e9));
  CHECK(json.at("path").at("distance") == "fabric");
  CHECK(json.at("path").at("hops").size() == 8);  // NVLink to the target's rail first
  CHECK(json.at("path").at("hops")[4].size() == 4);
}

TEST_CASE("a scenario brings its cluster, and --set changes it") {
  CHECK(facts({kFlagship}).at("counts") == facts({"gcp-a4", "--nodes", "28"}).at("counts"));
  CHECK(facts({kFlagship, "--set", "nodes=56"}).at("counts").at("gpus") == 448);
}

TEST_CASE("a cluster too large for max flow says how its bisection was computed") {
  const nlohmann::json json = facts({"dgx-superpod-h100", "--nodes", "1024"});
  CHECK(json.at("bisection").at("method") == "level-arithmetic");
}

TEST_CASE("--svg writes a drawing that is XML, and nothing beside it") {
  const TempFolder folder;
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"gcp-a4", "--nodes", "28"},
        {"dgx-superpod-gb200", "--nodes", "144"},
        {"dgx-superpod-h100", "--nodes", "1000"},
        {kFlagship, "--highlight", "pp"}}) {
    CAPTURE(arguments.front());
    std::vector<std::string> call = arguments;
    call.insert(call.end(), {"--svg", "drawing.svg"});
    CHECK(in_folder(folder, call).status == 0);
    const Outcome parsed = shell(
        "python3 -c 'import xml.etree.ElementTree as t; "
        "print(t.parse(\"drawing.svg\").getroot().tag)'",
        {folder.path().string(), {}, ""});
    CHECK(parsed.out == "{http://www.w3.org/2000/svg}svg\n");
    const std::filesystem::directory_iterator files(folder.path());
    CHECK(std::distance(begin(files), end(files)) == 1);
  }
}

TEST_CASE("the drawings of the documents are what is drawn now") {
  const TempFolder folder;
  in_folder(folder, {"gcp-a4", "--nodes", "28", "--svg", "a4.svg"});
  CHECK(read_file(folder.file("a4.svg")) ==
        read_file(source_dir() + "/docs/pictures/topology-a4-28.svg"));
  in_folder(folder, {"dgx-superpod-gb200", "--nodes", "144", "--svg", "nvl72.svg"});
  CHECK(read_file(folder.file("nvl72.svg")) ==
        read_file(source_dir() + "/docs/pictures/topology-nvl72-8.svg"));
}

TEST_CASE("wrong questions are refused in one line") {
  const TempFolder folder;
  folder.write("good.yaml", kBaseScenario);
  const std::vector<std::pair<std::vector<std::string>, std::string>> calls{
      {{}, "topology: takes one cluster or one scenario file (.yaml)"},
      {{"gcp-a4", "gcp-a4"}, "topology: takes one cluster or one scenario file (.yaml)"},
      {{"gcp-a5"}, "topology: 'gcp-a5' is not in hardware/clusters; did you mean 'gcp-a4'?"},
      {{"none.yaml"}, "none.yaml: there is no such file"},
      {{"gcp-a4", "--nodes", "1025"}, "--nodes: 1025 is not possible; gcp-a4 has 1 to 1024 nodes"},
      {{"gcp-a4", "--nodes", "0"}, "--nodes: 0 is not possible; gcp-a4 has 1 to 1024 nodes"},
      {{"gcp-a4", "--nodes", "-1"}, "--nodes: -1 is not possible; gcp-a4 has 1 to 1024 nodes"},
      {{"good.yaml", "--nodes", "2"},
       "--nodes: is for a cluster; a scenario gives its own, --set nodes=N changes it"},
      {{"gcp-a4", "--from", "0"}, "topology: --from and --to go together: the two ends of a path"},
      {{"gcp-a4", "--from", "0", "--to", "256"}, "--to: 256 is no rank; there are 0 to 255"},
      {{"gcp-a4", "--from", "-1", "--to", "2"}, "--from: -1 is no rank; there are 0 to 255"},
      {{"gcp-a4", "--row", "one"},
       "topology: --row, --set, --machine and --highlight need a scenario (.yaml)"},
      {{"good.yaml", "--highlight", "tp"},
       "--highlight: marks GPUs in a drawing; --svg FILE or --report FILE.html draws one"},
      {{"good.yaml", "--highlight", "zp", "--svg", "a.svg"},
       "--highlight: 'zp' is not known; tp, cp, dp or pp would do"},
      {{"gcp-a4", "--format", "xml"}, "--format: 'xml' is not known; text or json would do"},
      {{"gcp-a4", "--svg", "no/such/folder.svg"},
       "no/such/folder.svg: cannot be written: its folder: No such file or directory"},
      {{"gcp-a4", "--svg", "."}, ".: is no regular file; name another"},
  };
  for (const auto& [arguments, message] : calls) {
    const auto& shown = message;
    CAPTURE(shown);
    check_refused(in_folder(folder, arguments), message);
  }
  const std::filesystem::directory_iterator files(folder.path());
  CHECK(std::distance(begin(files), end(files)) == 1);  // nothing half written is left
}

}  // namespace
}  // namespace simtrain::testing::topology_test
