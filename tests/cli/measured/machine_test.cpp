// Machine files: made by `calibrate --machine`, named by `--machine` and `cluster.machine`.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/data_copy.h"
#include "tests/core/checkout.h"

namespace simtrain::testing::machine_test {
namespace {

constexpr const char* kMachine =
    "name: lab-7\ndescription: a node of ours\nnode: hgx-h100\nvalues:\n"
    "  - key: gpu.power.available\n    value: 0.7\n    source: \"our GEMM loops\"\n"
    "  - key: node.nic_bandwidth\n    value: 200 Gb/s\n    source: \"half of the cables\"\n"
    "relative_error: {value: 0.01, source: \"ten runs\"}\n";

nlohmann::json result(const Data& data, const std::string& options) {
  const Outcome outcome = data.run(options + " --format json");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  return nlohmann::json::parse(outcome.out);
}

double cause(const nlohmann::json& result, const std::string& name) {
  for (const auto& one : result.at("step_time_s").at("error_causes")) {
    if (one.at("cause") == name) return one.at("relative_error");
  }
  return 0;
}

}  // namespace

TEST_CASE("a machine's values take the place of its files'; a scenario's own count more") {
  const Data data;
  data.write("hardware/machines/lab-7.yaml", kMachine);
  const auto plain = result(data, "");
  const auto machine = result(data, "--machine lab-7");
  CHECK(machine.at("step_time_s").at("mean") > plain.at("step_time_s").at("mean"));
  CHECK(machine.at("hardware_changes").size() == 2);
  CHECK(cause(machine, "machine") == 0.01);
  CHECK(cause(plain, "machine") > 0.01);
  const std::string values =
      "--set hardware.gpu.power.available=0.7 "
      "--set hardware.node.nic_bandwidth=200Gb/s";
  CHECK(result(data, values).at("step_time_s").at("mean") == machine.at("step_time_s").at("mean"));
  const auto own = result(data, "--machine lab-7 --set hardware.gpu.power.available=1");
  CHECK(own.at("step_time_s").at("mean") < machine.at("step_time_s").at("mean"));
  CHECK(result(data, "--set cluster.machine=lab-7").at("step_time_s") == machine.at("step_time_s"));
}

TEST_CASE("the resolved recipe names the machine and gives the same step") {
  const Data data;
  data.write("hardware/machines/lab-7.yaml", kMachine);
  const auto before = result(data, "--machine lab-7");
  CHECK(before.at("recipe").at("cluster").at("machine") == "lab-7");
  data.write("again.yaml", before.at("recipe").dump());
  const Outcome again = run_simtrain({data.path("again.yaml"), "--format", "json"},
                                     {data.path(""), {{"SIMTRAIN_DATA", data.path("")}}, ""});
  REQUIRE(again.status == 0);
  CHECK(nlohmann::json::parse(again.out).at("step_time_s") == before.at("step_time_s"));
}

TEST_CASE("wrong machines are one line with their place") {
  const Data data;
  const auto refused = [&](const std::string& text, const std::string& message) {
    data.write("hardware/machines/lab-7.yaml", text);
    const Outcome outcome = data.run("--machine lab-7");
    INFO(outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(outcome.err.find(message) != std::string::npos);
  };
  const auto edited = [](const std::string& from, const std::string& to) {
    std::string text = kMachine;
    return text.replace(text.find(from), from.size(), to);
  };
  refused(edited("hgx-h100", "hgx-b200"),
          "cluster.machine: 'lab-7' is a machine of hgx-b200; the nodes of dgx-superpod-h100 are "
          "hgx-h100");
  refused(edited("gpu.power.available", "gpu.power.avail"),
          "lab-7.yaml:5:5: hardware.gpu.power.avail: is no value of this scenario's");
  refused(edited("0.7", "7"), "lab-7.yaml:5:");
  refused(edited("0.7", "much"), "lab-7.yaml:5:");
  refused(edited("relative_error", "error"), "lab-7.yaml:11:1: error: is not known");
  refused(edited("0.01", "-1"), "lab-7.yaml:11:");
  const Outcome unknown = data.run("--machine lab-8");
  CHECK(unknown.status == 2);
  CHECK(unknown.err.find("cluster.machine") != std::string::npos);
  CHECK(unknown.err.find("lab-7") != std::string::npos);
}

TEST_CASE("calibrate --machine writes a file that --machine takes") {
  const Data data;
  const std::string file = data.path("hardware/machines/made.yaml");
  const CallOptions there{data.path(""), {{"SIMTRAIN_DATA", data.path("")}}, ""};
  const std::string kernels = source_dir() + "/hardware/measured/simumax-b200";
  const std::vector<std::string> call{"calibrate", "--machine",         "made",
                                      "--cluster", "dgx-superpod-b200", "--kernels",
                                      kernels,     "--write",           file};
  const Outcome made = run_simtrain(call, there);
  INFO(made.err);
  REQUIRE(made.status == 0);
  CHECK(made.out.find("gpu.power.available") != std::string::npos);
  CHECK(run_simtrain(call, there).status == 2);  // the file is there
  const auto b200 = result(data, "--set cluster.name=dgx-superpod-b200 --machine made");
  CHECK(b200.at("hardware_changes").at(0).at("key") == "hardware.gpu.power.available");
  CHECK(run_simtrain({"calibrate", "--machine", "made", "--cluster", "dgx-superpod-b200"}, there)
            .err.find("needs something measured on it") != std::string::npos);
  CHECK(run_simtrain({"calibrate", "--machine", "made", "--kernels", kernels}, there)
            .err.find("--cluster: is missing") != std::string::npos);
  CHECK(run_simtrain({"calibrate", "--machine", "made", "--cluster", "dgx-superpod-h100",
                      "--kernels", kernels},
                     there)
            .err.find("found nothing that sets a value") != std::string::npos);
}

TEST_CASE("nccl-tests output sets what limits the calls that it shows") {
  const Outcome outcome =
      run_simtrain(words("calibrate --machine lab --cluster dgx-superpod-h100 --format json --nccl "
                         "tests/measured/data/nccl-tests-all-reduce.txt"));
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto values = nlohmann::json::parse(outcome.out).at("values");
  REQUIRE_FALSE(values.empty());
  CHECK(values.at(0).at("key").get<std::string>().starts_with("fabric.link"));
}

TEST_CASE("the machine file of SimuMax's node is what its measurements give") {
  const Outcome outcome = run_simtrain(
      words("calibrate --machine simumax-b200 --cluster dgx-superpod-b200 --format json --kernels "
            "hardware/measured/simumax-b200"));
  REQUIRE(outcome.status == 0);
  const auto value =
      nlohmann::json::parse(outcome.out).at("values").at(0).at("value").get<double>();
  const std::string file = read_file(source_dir() + "/hardware/machines/simumax-b200.yaml");
  CHECK(file.find("value: " + nlohmann::json(value).dump()) != std::string::npos);
}

}  // namespace simtrain::testing::machine_test
