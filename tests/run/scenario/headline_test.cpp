#include "sim/run/figures/headline.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "sim/core/input/yaml_text.h"
#include "tests/core/error_of.h"
#include "tests/run/scenarios.h"

namespace simtrain::testing::headline_test {

namespace {

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::vector<std::string> lines(const Scenario& read) {
  return change_lines(read.changed_from->keys);
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("a row as its file has it keeps the file's title and source") {
  const Scenario read = scenario("llama31_8b_h100", "bf16-8");
  CHECK(read.name == "Llama 3.1 8B on H100, 8 to 128 GPUs [bf16-8]");
  CHECK(read.source.starts_with("001_"));
  CHECK(!read.changed_from);
}

TEST_CASE("settings that change nothing leave the title") {
  const Scenario read = scenario("llama31_8b_h100", "bf16-8", {"model=llama3.1-8b", "nodes=1"});
  CHECK(read.name == "Llama 3.1 8B on H100, 8 to 128 GPUs [bf16-8]");
  CHECK(!read.changed_from);
}

TEST_CASE("the title of a changed scenario names what is simulated, and the changes") {
  const Scenario read =
      scenario("llama31_70b_h100", "bf16-64",
               {"cluster.name=dgx-superpod-b200", "model_overrides.num_layers=40", "vp=1"});
  CHECK(read.name == "llama3.1-70b with num_layers 40, bf16, on b200-sxm (dgx-superpod-b200)");
  CHECK(read.source.starts_with("llama31_70b_h100.yaml [bf16-64] with changes; unchanged its"));
  REQUIRE(read.changed_from);
  CHECK(read.changed_from->file == "llama31_70b_h100.yaml [bf16-64]");
  CHECK(read.changed_from->name == "Llama 3.1 70B on H100, 64 to 2048 GPUs [bf16-64]");
  const Lines changes = lines(read);
  CHECK(changes.size() == 3);
  CHECK(std::count(changes.begin(), changes.end(),
                   "cluster.name dgx-superpod-h100 -> dgx-superpod-b200") == 1);
  CHECK(std::count(changes.begin(), changes.end(), "model_overrides.num_layers (not set) -> 40") ==
        1);
  CHECK(read.changed_from->gpus.empty());
}

TEST_CASE("a changed title never names the file's model or hardware") {
  for (const std::string setting : {"model=llama3.1-8b", "cluster.name=dgx-superpod-gb200"}) {
    CAPTURE(setting);
    const Scenario read = scenario("llama31_70b_h100", "bf16-64", {setting, "vp=1"});
    CHECK(!holds(read.name, setting[0] == 'm' ? "70b" : "h100"));
    CHECK(!holds(read.name, "70B"));
  }
}

TEST_CASE("a name and a source of one's own are taken") {
  const Scenario read =
      scenario("llama31_8b_h100", "bf16-8", {"gbs=64", "name=mine", "source=by hand"});
  CHECK(read.name == "mine");
  CHECK(read.source == "by hand");
  CHECK(lines(read) == Lines{"training.global_batch_size 128 -> 64"});
}

TEST_CASE("changed hardware changes the title") {
  const Scenario read = scenario("llama31_8b_h100", "bf16-8", {"hardware.nic_bandwidth=200Gb/s"});
  CHECK(read.name == "llama3.1-8b, bf16, on h100-sxm (dgx-superpod-h100, hardware changed)");
  REQUIRE(read.changed_from);
  CHECK(read.changed_from->keys.empty());
}

TEST_CASE("another cluster keeps the nodes and says what became of the GPUs") {
  const Scenario nodes =
      scenario("llama31_70b_h100", "bf16-64", {"cluster.name=dgx-superpod-gb200"});
  CHECK(nodes.gpus() == 32);
  CHECK(nodes.changed_from->gpus ==
        "64 GPUs became 32: the 8 nodes stay, and a node of dgx-superpod-gb200 holds 4 GPUs, not "
        "8; --set gpus=64 keeps the GPUs");
  const Scenario gpus =
      scenario("llama31_70b_h100", "bf16-64", {"cluster.name=dgx-superpod-gb200", "gpus=64"});
  CHECK(gpus.gpus() == 64);
  CHECK(gpus.placement.nodes == 16);
  CHECK(gpus.changed_from->gpus.empty());
}

TEST_CASE("a scenario says its size in nodes or in GPUs") {
  YamlNode tree = scenario_file("llama31_70b_h100").tree("bf16-64", {parse_setting("gpus=64")});
  const auto read = [&](const std::string& edit, const Lines& settings) {
    std::vector<Setting> parsed;
    for (const std::string& text : settings) parsed.push_back(parse_setting(text));
    return ScenarioSource::from_text(block_text(tree) + edit, "s.yaml")
        .scenario(data_folder(), "", parsed);
  };
  CHECK(find_yaml_value(tree, "cluster.nodes") == nullptr);
  CHECK(read("", {}).placement.nodes == 8);
  CHECK(read("", {"cluster.name=dgx-superpod-gb200"}).gpus() == 64);
  CHECK(read("", {"nodes=16"}).gpus() == 128);
  CHECK(!read("", {"nodes=8"}).changed_from);
  CHECK(holds(error_of([&] { static_cast<void>(read("", {"gpus=60"})); }),
              "--set gpus=60:1:6: cluster.gpus: 60 GPUs are no whole number of nodes of 8 "
              "(hgx-h100); 64 would do"));
  CHECK(holds(error_of([&] { static_cast<void>(read("", {"gpus=16"})); }),
              "cluster.gpus: 16 GPUs are no multiple of"));
  CHECK(holds(error_of([&] { static_cast<void>(read("", {"gpus=80000"})); }),
              "cluster.gpus: 10000 is more than the"));
  CHECK(holds(error_of([&] {
                static_cast<void>(
                    ScenarioSource::from_text(
                        block_text(tree).insert(block_text(tree).find("  gpus:"), "  nodes: 8\n"),
                        "s.yaml")
                        .scenario(data_folder(), "", {}));
              }),
              "cluster.gpus: is given beside cluster.nodes; one of them would do"));
}

TEST_CASE("a scenario written with changes is a file of its own") {
  const std::vector<Setting> settings{parse_setting("cluster.name=dgx-superpod-b200"),
                                      parse_setting("hardware.nic_bandwidth=200 Gb/s")};
  const ScenarioSource source = scenario_file("llama31_8b_h100");
  const std::string text = block_text(source.titled_tree(data_folder(), "bf16-8", settings));
  const ScenarioSource written = ScenarioSource::from_text(text, "w.yaml");
  const Scenario read = written.scenario(data_folder(), "", {});
  CHECK(read.name == "llama3.1-8b, bf16, on b200-sxm (dgx-superpod-b200, hardware changed)");
  CHECK(!holds(text, "divides a BF16 step time"));
  CHECK(holds(text, "cluster.name dgx-superpod-h100 -> dgx-superpod-b200"));
  CHECK(holds(text, "hardware.node.nic_bandwidth 400 Gb/s -> 200 Gb/s"));
  CHECK(simulate(read).engine.fingerprint ==
        simulate(source.scenario(data_folder(), "bf16-8", settings)).engine.fingerprint);
  const std::string same = block_text(source.titled_tree(data_folder(), "bf16-8", {}));
  CHECK(holds(same, "Llama 3.1 8B on H100, 8 to 128 GPUs [bf16-8]"));
  CHECK(holds(same, "divides a BF16 step time"));
}

}  // namespace simtrain::testing::headline_test
