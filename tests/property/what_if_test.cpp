// What a change of hardware or batch may and may not do to a step.
#include <doctest/doctest.h>

#include "sim/run/engine/executor.h"
#include "tests/property/rows.h"

namespace simtrain::testing::what_if_test {

namespace {

/// The first BF16 and the first FP8 row of each file: rows differ within it by their size alone.
std::vector<ScenarioRow> one_row_a_precision() {
  std::vector<ScenarioRow> chosen;
  std::string last;
  for (const ScenarioRow& row : all_rows()) {
    const std::string kind = row.file + row.row.substr(0, row.row.find('-'));
    if (kind != last) chosen.push_back(row);
    last = kind;
  }
  return chosen;
}

double step_time(const Scenario& scenario) { return simulate(scenario).step_time_s; }

/// Rounding to picoseconds, and rates that are not exact multiples.
constexpr double kSlack = 1 + 1e-9;

using Change = void (*)(ClusterSpec&);

void double_rates(ClusterSpec& cluster) {
  for (GemmRate& rate : cluster.gpu.gemm.rates) {
    rate.sustained = rate.sustained * 2;
    rate.burst = rate.burst * 2;
  }
  for (AttentionSpec& row : cluster.gpu.attention) row.rate = row.rate * 2;
}
void double_memory(ClusterSpec& cluster) {
  Bandwidth& bandwidth = cluster.gpu.memory_bandwidth.value;
  bandwidth = bandwidth * 2;
}
void double_nvlink(ClusterSpec& cluster) {
  NcclGpuSpec& nccl = cluster.gpu.nccl;
  for (Bandwidth* rate :
       {&cluster.gpu.nvlink.bandwidth.value, &cluster.gpu.nvlink.copy_engine_bandwidth.value,
        &nccl.ll.bandwidth, &nccl.ll128.bandwidth, &nccl.simple.bandwidth, &nccl.nvls.bandwidth,
        &nccl.pair.bandwidth, &nccl.channel_bandwidth.value, &nccl.lone_channel_bandwidth.value,
        &nccl.copy_bandwidth.value})
    *rate = *rate * 2;
}
void double_network(ClusterSpec& cluster) {
  Bandwidth& bandwidth = cluster.node.nic_bandwidth.value;
  bandwidth = bandwidth * 2;
}
void double_all(ClusterSpec& cluster) {
  for (const Change change : {double_rates, double_memory, double_nvlink, double_network})
    change(cluster);
}

using Slack = double (*)(const ScenarioRow&);
double no_slack(const ScenarioRow& /*row*/) { return kSlack; }

void never_longer(Change change, Slack slack = no_slack) {
  for (const ScenarioRow& row : one_row_a_precision()) {
    INFO(row.file, " ", row.row);
    Scenario scenario = small_scenario_of(row);
    const double before = step_time(scenario);
    change(scenario.cluster);
    CHECK(step_time(scenario) <= before * slack(row));
  }
}

}  // namespace

TEST_CASE("doubling every bandwidth and rate of the cluster never lengthens the step") {
  never_longer(double_all);
}

TEST_CASE("doubling the rate of the tensor cores never lengthens the step") {
  never_longer(double_rates);
}

TEST_CASE("doubling the memory bandwidth never lengthens the step") { never_longer(double_memory); }

/// Of one row: replicas that wait for a slow network do not wait for stragglers, and what it brings
/// more slowly takes less of NVLink from tensor parallelism meanwhile.
double hidden_by_network(const ScenarioRow& row) {
  return row.file == "gpt3_15b_golden" && row.row == "gb200" ? 1.01 : kSlack;
}

TEST_CASE("doubling the network never lengthens the step, but for one row") {
  never_longer(double_network, hidden_by_network);
}

TEST_CASE("more micro-batches never shorten the step") {
  for (const ScenarioRow& row : one_row_a_precision()) {
    INFO(row.file, " ", row.row);
    Scenario scenario = small_scenario_of(row);
    const int batch = scenario.recipe.training.global_batch_size;
    double before = 0;
    for (int times = 1; times <= 4; ++times) {
      scenario.recipe.training.global_batch_size = times * batch;
      const double now = step_time(scenario);
      CHECK(now >= before);
      before = now;
    }
  }
}

TEST_CASE("more layers never shorten the step") {
  double before = 0;
  for (const char* layers : {"8", "16", "32", "64"}) {
    const double now =
        step_time(scenario_of({"llama31_8b_h100", "bf16-8"},
                              {std::string("model_overrides.num_layers=") + layers, "gbs=16"}));
    CHECK(now > before);
    before = now;
  }
}

}  // namespace simtrain::testing::what_if_test
