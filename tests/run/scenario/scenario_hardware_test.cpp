#include "sim/run/scenario/scenario_hardware.h"

#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "sim/core/input/yaml_text.h"
#include "sim/run/scenario/hardware_keys.h"
#include "sim/run/scenario/provenance.h"
#include "tests/cli/data_copy.h"
#include "tests/core/error_of.h"
#include "tests/run/scenarios.h"

namespace simtrain::testing::scenario_hardware_test {

namespace {

Scenario changed(const std::vector<std::string>& settings) {
  return scenario("llama31_8b_h100", "bf16-8", settings);
}

std::string refusal(const std::string& setting) {
  return error_of([&] { static_cast<void>(changed({setting})); });
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a value of each kind of file can be changed, by its short key and in full") {
  const Scenario read = changed(
      {"hardware.nic_bandwidth=200Gb/s", "hardware.gpu.memory_bandwidth=1 TB/s",
       "hardware.cable_latency=700 ns", "hardware.software.memory.reserved_per_allocated=1.5"});
  CHECK(read.cluster.node.nic_bandwidth.value.value() == 200e9 / 8);
  CHECK(read.cluster.gpu.memory_bandwidth.value.value() == 1e12);
  CHECK(read.cluster.fabric.cable_latency.value == std::chrono::nanoseconds(700));
  CHECK(read.recipe.software.memory.reserved_per_allocated.value == 1.5);
  CHECK(read.cluster.node.nic_bandwidth.source == "--set");
  REQUIRE(read.hardware.size() == 4);
  CHECK(read.hardware[0].key == "hardware.node.nic_bandwidth");
  CHECK(read.hardware[0].from == "400 Gb/s");
  CHECK(read.hardware[0].to == "200 Gb/s");
}

TEST_CASE("rows of lists, words and values that a file leaves out can be set") {
  const Scenario read = changed({"hardware.gemm.rates[data_type=fp8].burst=500 TFLOP/s",
                                 "hardware.nodes_per_block=64", "hardware.routing=ecmp"});
  CHECK(read.cluster.gpu.gemm_rate(DataType::fp8).burst.value() == 500e12);
  CHECK(read.cluster.fabric.routing.value == Routing::ecmp);
  CHECK(read.cluster.fabric.nodes_per_block->value == 64);
  CHECK(read.hardware.back().from == "(not set)");
}

TEST_CASE("a scenario's own file may hold them, and settings stand above it") {
  const auto source = [](const std::string& hardware) {
    YamlNode tree = simtrain::testing::scenario_file("llama31_8b_h100").tree("bf16-8", {});
    return ScenarioSource::from_text(block_text(tree) + "hardware: " + hardware + "\n", "s.yaml");
  };
  const ScenarioSource own = source("{node: {nic_bandwidth: 100 Gb/s}}");
  const Scenario file = own.scenario(data_folder(), "", {});
  CHECK(file.cluster.node.nic_bandwidth.value.value() == 100e9 / 8);
  CHECK(file.cluster.node.nic_bandwidth.source == "s.yaml");
  CHECK(!file.changed_from);
  REQUIRE(file.hardware.size() == 1);
  const Scenario set =
      own.scenario(data_folder(), "", {parse_setting("hardware.nic_bandwidth=50 Gb/s")});
  CHECK(set.cluster.node.nic_bandwidth.value.value() == 50e9 / 8);
  REQUIRE(set.hardware.size() == 1);
  CHECK(set.hardware[0].from == "400 Gb/s");
  CHECK(set.changed_from);
  CHECK(holds(error_of([&] { static_cast<void>(source("5").scenario(data_folder(), "", {})); }),
              "hardware: must be a map of keys"));
}

TEST_CASE("what is wrong with a changed value is reported where it is set") {
  CHECK(holds(refusal("hardware.nic_bandwith=1 GB/s"),
              "--set hardware.nic_bandwith=1 GB/s:1:1: hardware.nic_bandwith: is no value of this "
              "scenario's GPU, node, fabric and software files; did you mean 'nic_bandwidth'?"));
  CHECK(holds(refusal("hardware.zzzzzz=1"), "'simtrain help hardware' lists the keys"));
  CHECK(holds(refusal("hardware.nic_bandwidth=200"), "--set hardware.nic_bandwidth=200:1:24: "));
  CHECK(holds(refusal("hardware.link_efficiency=2"), "--set hardware.link_efficiency=2:1:26: "));
  CHECK(holds(refusal("hardware.switch_latency=2 ms"), "--set hardware.switch_latency=2 ms:1:1: "));
  CHECK(holds(refusal("hardware.nics=16"), "--set hardware.nics=16:1:1: nics: "));
  CHECK(holds(refusal("hardware.nic_bandwidth=[1]"), "must be one value, found a list"));
  CHECK(holds(refusal("hardware.gpu=h200-sxm"), "hardware.gpu: is no value"));
  CHECK(holds(refusal("hardware.gpu.nccl.ll.source=x"), "is no value"));
}

TEST_CASE("a key of two files needs its kind; one that a single file resolves does not") {
  CHECK(changed({"hardware.nccl.nvls=true"}).hardware[0].key == "hardware.software.nccl.nvls");
  CHECK(changed({"hardware.nccl.slice_turnaround=1 us"}).hardware[0].key ==
        "hardware.gpu.nccl.slice_turnaround");
  const simtrain::testing::Data copy;
  const std::string fabric = "hardware/fabrics/infiniband-ndr-superpod.yaml";
  copy.write(fabric, copy.read(fabric) + "nic_bandwidth: 1 GB/s\n");
  const DataFolder data(copy.path("."));
  CHECK(holds(error_of([&] {
                static_cast<void>(simtrain::testing::scenario_file("llama31_8b_h100")
                                      .scenario(data, "bf16-8",
                                                {parse_setting("hardware.nic_bandwidth=1 GB/s")}));
              }),
              "hardware.nic_bandwidth: is in more than one file; hardware.node.nic_bandwidth or "
              "hardware.fabric.nic_bandwidth would do"));
}

TEST_CASE("a slower network makes a slower step, and provenance says what set it") {
  const std::vector<std::string> slow{"hardware.nic_bandwidth=100Gb/s"};
  const Scenario base = scenario("llama31_8b_h100", "bf16-16");
  const Scenario slower = scenario("llama31_8b_h100", "bf16-16", slow);
  CHECK(simulate(slower).step_time_s > simulate(base).step_time_s);
  const YamlNode keys =
      simtrain::testing::scenario_file("llama31_8b_h100").tree("bf16-16", {parse_setting(slow[0])});
  bool found = false;
  for (const ProvenanceFile& file : provenance_of(data_folder(), keys)) {
    for (const ProvenanceRow& row : file.rows) {
      if (file.path != "hardware/nodes/hgx-h100.yaml" || row.key != "nic_bandwidth") continue;
      found = true;
      CHECK(row.source == "--set");
      CHECK(row.set_by == "--set " + slow[0]);
    }
  }
  CHECK(found);
}

TEST_CASE("a power limit of a scenario's own slows the clock, and draws stay under it") {
  const auto at = [](const std::string& limit) {
    return simulate(changed({"hardware.power.limit=" + limit}));
  };
  const Report base = simulate(changed({}));
  CHECK(at("700 W").step_time_s == base.step_time_s);
  const Report half = at("350 W");
  CHECK(half.clock == doctest::Approx(base.clock * std::pow(0.5, 1 / 2.1)).epsilon(0.05));
  CHECK(half.step_time_s > 1.2 * base.step_time_s);
  CHECK(half.energy.gpu_w() < 350);
  CHECK(half.energy.limit_w == doctest::Approx(350));
  CHECK(at("1400 W").clock == 1);
  CHECK(holds(refusal("hardware.power.limit=100 W"),
              "hardware.gpu.power.limit: 100 W is no more than the 126 W that a GPU draws while "
              "nothing runs"));
}

TEST_CASE("provenance names the file and line of a value that comes from the file below") {
  const YamlNode tree = data_folder().load_tree("hardware/nodes", "hgx-a100-4hdr", {}, "node");
  for (const ProvenanceRow& row : provenance_rows(tree)) {
    CAPTURE(row.key);
    const bool own = row.key == "nics";
    CHECK((row.line > 0) == own);
    CHECK(row.set_by.starts_with("dgx-a100.yaml:") != own);
  }
}

TEST_CASE("numbers that a study sets stand above those of the scenario") {
  const DataFolder data =
      data_folder().with({{"nodes/hgx-h100.yaml", "nic_bandwidth", 800, {"study"}}});
  const Scenario read =
      simtrain::testing::scenario_file("llama31_8b_h100")
          .scenario(data, "bf16-8", {parse_setting("hardware.nic_bandwidth=25 GB/s")});
  CHECK(read.cluster.node.nic_bandwidth.value.value() == 800e9);  // in the unit of the setting
}

TEST_CASE("every value of the files can be set, and set to what it is changes nothing") {
  const ScenarioSource source = simtrain::testing::scenario_file("llama31_8b_h100");
  const std::string before = simulate(scenario("llama31_8b_h100", "bf16-8")).engine.fingerprint;
  std::vector<Setting> all;
  for (const HardwareFile& file : hardware_files(data_folder(), source.tree("bf16-8", {}))) {
    const auto& kinds = hardware_kinds();
    const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const HardwareKind& row) {
      return row.family == file.family;
    });
    if (kind == kinds.end()) continue;
    for (const ProvenanceRow& row : provenance_rows(file.tree)) {
      if (row.value.starts_with("[") || row.key == "gpu") continue;  // lists, the name of a file
      const std::string unit = row.unit.empty() ? "" : " " + row.unit;
      all.push_back(
          parse_setting(fmt::format("hardware.{}.{}={}{}", kind->name, row.key, row.value, unit)));
      CAPTURE(all.back().key);
      CHECK_NOTHROW(static_cast<void>(source.scenario(data_folder(), "bf16-8", {all.back()})));
    }
  }
  CHECK(all.size() > 100);
  CHECK(simulate(source.scenario(data_folder(), "bf16-8", all)).engine.fingerprint == before);
}

}  // namespace simtrain::testing::scenario_hardware_test
