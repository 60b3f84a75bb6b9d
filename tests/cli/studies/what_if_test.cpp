#include <sstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace simtrain::testing::what_if_test {
using nlohmann::json;

namespace {

const std::string k8b = "scenarios/llama31_8b_h100.yaml --row bf16-8 ";

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

json json_of(const std::string& line) {
  const Outcome outcome = run_simtrain(words(line + " --format json"));
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  return json::parse(outcome.out);
}

std::size_t widest(const std::string& text) {
  std::istringstream lines(text);
  std::size_t most = 0;
  for (std::string line; std::getline(lines, line);) most = std::max(most, line.size());
  return most;
}

}  // namespace

TEST_CASE("run on another cluster says what became of the GPUs, and has a title of its own") {
  const std::string line =
      "run scenarios/llama31_70b_h100.yaml --row bf16-64 --set cluster.name=dgx-superpod-gb200 "
      "--set vp=1 --set pp=2";
  const Outcome text = run_simtrain(words(line));
  CHECK(text.status == 0);
  CHECK(holds(text.err, "simtrain: note: 64 GPUs became 32: the 8 nodes stay"));
  CHECK(text.out.starts_with("llama3.1-70b, bf16, on gb200 (dgx-superpod-gb200)\n"));
  CHECK(holds(text.out, "\n  cluster.name dgx-superpod-h100 -> dgx-superpod-gb200\n"));
  CHECK(widest(text.out) <= 80);
  const json result = json_of(line);
  CHECK(result["gpus"] == 32);
  CHECK(result["changed_from"]["file"] == "llama31_70b_h100.yaml [bf16-64]");
  CHECK(result["changed_from"]["keys"].size() == 3);
  CHECK(holds(result["changed_from"]["gpus"], "64 GPUs became 32"));
  CHECK(holds(result["source"], "with changes; unchanged its source is: "));
  const Outcome asked = run_simtrain(words(line + " --set gpus=64"));
  CHECK(asked.err.empty());
  CHECK(holds(asked.out, "(64 gb200)"));
}

TEST_CASE("changed hardware is named in text, JSON and on the page") {
  const TempFolder folder;
  const std::string line = "run " + k8b + "--set hardware.nic_bandwidth=200Gb/s";
  const std::string page = folder.file("page.html");
  const Outcome text = run_simtrain(words(line + " --report " + page));
  CHECK(text.status == 0);
  const std::string change = "hardware.node.nic_bandwidth 400 Gb/s -> 200 Gb/s";
  CHECK(holds(text.out, "Hardware changed:\n  " + change + "\n"));
  CHECK(holds(read_file(page), "hardware.node.nic_bandwidth 400 Gb/s -&gt; 200 Gb/s"));
  const json result = json_of(line);
  REQUIRE(result["hardware_changes"].size() == 1);
  CHECK(result["hardware_changes"][0] ==
        json{{"key", "hardware.node.nic_bandwidth"}, {"from", "400 Gb/s"}, {"to", "200 Gb/s"}});
  CHECK(!json_of("run " + k8b).contains("hardware_changes"));
  CHECK(!json_of("run " + k8b).contains("changed_from"));
}

TEST_CASE("a sweep varies values of the hardware") {
  const Outcome csv =
      run_simtrain(words("sweep scenarios/llama31_8b_h100.yaml --row bf16-16 --format csv "
                         "--vary hardware.nic_bandwidth=25Gb/s,400Gb/s --set gbs=32"));
  CAPTURE(csv.err);
  REQUIRE(csv.status == 0);
  CHECK(holds(csv.out, "25Gb/s"));
  CHECK(holds(csv.out, "400Gb/s"));
  const json rows = json_of(
      "sweep scenarios/llama31_8b_h100.yaml --row bf16-16 --vary "
      "hardware.nic_bandwidth=25Gb/s,400Gb/s --set gbs=32");
  CHECK(rows["scenario"] == "llama31_8b_h100.yaml [bf16-16] with gbs=32");
  REQUIRE(rows["rows"].size() == 2);
  CHECK(rows["rows"][0]["step_time_s"] > rows["rows"][1]["step_time_s"]);
  const Outcome wrong = run_simtrain(words("sweep " + k8b + "--vary hardware.nic_bandwidth=1,2"));
  CHECK(wrong.status == 2);
  CHECK(holds(wrong.err, "--vary hardware.nic_bandwidth=1,2:1:"));
}

TEST_CASE("what a sweep makes of the GPUs by varying the cluster is reported") {
  const Outcome sweep = run_simtrain(
      words("sweep scenarios/llama31_70b_h100.yaml --row bf16-64 --set vp=1 --set pp=2 "
            "--vary cluster.name=dgx-superpod-h100,dgx-superpod-gb200"));
  CHECK(sweep.status == 0);
  CHECK(holds(sweep.err, "64 GPUs became 32"));
  const Outcome gpus = run_simtrain(
      words("sweep scenarios/llama31_70b_h100.yaml --row bf16-64 --set vp=1 --set pp=2 --set "
            "gpus=64 --vary cluster.name=dgx-superpod-h100,dgx-superpod-gb200"));
  CHECK(gpus.status == 0);
  CHECK(!holds(gpus.err, "became"));
}

TEST_CASE("nodes and GPUs are not both given") {
  const Outcome both = run_simtrain(words("run " + k8b + "--set nodes=1 --set gpus=8"));
  CHECK(both.status == 2);
  CHECK(holds(both.err, "cluster.gpus: is set, and so is cluster.nodes; one of them would do"));
  const Outcome varied = run_simtrain(words("sweep " + k8b + "--set nodes=1 --vary gpus=8,16"));
  CHECK(varied.status == 2);
  CHECK(holds(varied.err, "is varied, and cluster.nodes is set by --set"));
}

TEST_CASE("what tune writes is a scenario of its own, on the hardware that was asked for") {
  const TempFolder folder;
  const std::string best = folder.file("best.yaml");
  const Outcome tuned =
      run_simtrain(words("tune " + k8b +
                         "--set hardware.memory_bandwidth=2TB/s --top 1 --limit mbs=1,2 "
                         "--limit tp=1,2 --output " +
                         best));
  CAPTURE(tuned.err);
  REQUIRE(tuned.status == 0);
  CHECK(holds(tuned.out, "hardware.gpu.memory_bandwidth 3.35 TB/s -> 2 TB/s"));
  const std::string written = read_file(best);
  CHECK(!holds(written, "Llama 3.1 8B on H100, 8 to 128 GPUs, tuned"));
  CHECK(!holds(written, "divides a BF16 step time"));
  const json result = json_of("run " + best);
  CHECK(holds(result["scenario"], "hardware changed), tuned"));
  CHECK(result["hardware_changes"][0]["to"] == "2 TB/s");
  const json shown = json_of("tune " + k8b +
                             "--set hardware.memory_bandwidth=2TB/s --top 1 --limit mbs=1,2 "
                             "--limit tp=1,2");
  CHECK(shown["best"][0]["step_time_s"] == result["step_time_s"]["mean"]);
}

TEST_CASE("help lists the values of the hardware, each by a key that can be set") {
  const Outcome help = run_simtrain({"help", "hardware"});
  CHECK(help.status == 0);
  CHECK(widest(help.out) <= 80);
  CHECK(holds(help.out, "- `hardware.nic_bandwidth`\n"));
  CHECK(holds(help.out, "- `hardware.gemm.rates[].burst`\n"));
}

}  // namespace simtrain::testing::what_if_test
