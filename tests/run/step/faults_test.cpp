// What a slow GPU and a slow NIC do to a step, and what they leave alone.
#include <doctest/doctest.h>

#include "tests/run/scenarios.h"

namespace simtrain::testing::faults_test {

namespace {

using Settings = std::vector<std::string>;

/// TP4 CP2 PP4 on eight nodes, with a few micro-batches.
Report llama_70b(Settings settings, bool unfold = false) {
  settings.emplace_back("gbs=16");
  return simulate(scenario("llama31_70b_h100", "bf16-64", settings), {unfold});
}

std::string slow_gpu(int host, int gpu, double slowdown) {
  return "cluster.faults.gpus=[{host: " + std::to_string(host) + ", gpu: " + std::to_string(gpu) +
         ", slowdown: " + std::to_string(slowdown) + "}]";
}

std::string slow_nic(int host, int nic, double share) {
  return "cluster.faults.nics=[{host: " + std::to_string(host) + ", nic: " + std::to_string(nic) +
         ", bandwidth_share: " + std::to_string(share) + "}]";
}

double total(const Report& report, const std::string& group) {
  double sum = 0;
  for (const CommunicationRow& row : report.communication) {
    if (row.group == group) sum += row.total_s;
  }
  return sum;
}

void check_alike(const Report& folded, const Report& unfolded) {
  CHECK(folded.engine.ranks_simulated < folded.gpus);
  CHECK(unfolded.engine.ranks_simulated == unfolded.gpus);
  CHECK(folded.step_time_s == unfolded.step_time_s);
  CHECK(folded.engine.fingerprint == unfolded.engine.fingerprint);
}

}  // namespace

TEST_CASE("faulty jobs folded by class and unfolded agree exactly") {
  for (const Settings& faults :
       {Settings{slow_gpu(3, 5, 1.2)}, Settings{slow_gpu(0, 0, 2)}, Settings{slow_nic(5, 2, 0.5)},
        Settings{slow_gpu(3, 5, 1.2), slow_nic(3, 5, 0.25)},
        Settings{slow_gpu(7, 1, 1.5), "tp=2", "cp=1", "vp=1"},
        Settings{slow_nic(1, 0, 0.1), "tp=8", "pp=2"},
        Settings{slow_nic(1, 0, 0.1), "cluster.rank_order=round-robin"},
        Settings{"cluster.faults.gpus=[{host: 1, gpu: 2, slowdown: 1.2}, {host: 6, gpu: 2, "
                 "slowdown: 1.3}]"}}) {
    CAPTURE(faults.front());
    check_alike(llama_70b(faults), llama_70b(faults, true));
  }
}

TEST_CASE("a slow GPU slows the step by at most its slowdown") {
  const double healthy = llama_70b({}).step_time_s;
  for (const double slowdown : {1.01, 1.2, 2.0}) {
    for (const auto& [host, gpu] : {std::pair{0, 0}, {3, 5}, {7, 7}}) {
      const double slow = llama_70b({slow_gpu(host, gpu, slowdown)}).step_time_s;
      CHECK(slow > healthy);
      CHECK(slow <= healthy * slowdown * (1 + 1e-9));
    }
  }
}

// One GPU of eight, TP1 PP1: the critical path runs on the slow GPU, whose GEMMs take 1.5 times as
// long to the picosecond of each kernel.
TEST_CASE("a slow GPU's kernels take its slowdown times as long") {
  const auto step = [](const Settings& settings) {
    return simulate(scenario("llama31_8b_h100", "bf16-8", settings));
  };
  const Report healthy = step({});
  const Report slow = step({slow_gpu(0, 3, 1.5)});
  for (const Share share : {Share::gemm, Share::memory_bound, Share::attention}) {
    CHECK(part(slow.breakdown, share) ==
          doctest::Approx(1.5 * part(healthy.breakdown, share)).epsilon(1e-6));
  }
}

TEST_CASE("a fault that is none, or on a host that the job does not use, changes nothing") {
  const Report healthy = llama_70b({});
  const Settings spare{"cluster.available_nodes=9"};
  for (const Settings& settings :
       {Settings{slow_gpu(3, 5, 1)}, Settings{slow_nic(3, 5, 1)},
        Settings{slow_gpu(8, 5, 2), spare[0]}, Settings{slow_nic(8, 5, 0.5), spare[0]}}) {
    const Report report = llama_70b(settings);
    CHECK(report.step_time_s == healthy.step_time_s);
    CHECK(report.engine.fingerprint == healthy.engine.fingerprint);
    CHECK(report.engine.ranks_simulated == 4);
  }
}

// Llama 3.1 8B on four nodes, CP2 inside them: only the data ring uses NICs. Each NIC carries an
// eighth of its channels, so that at half the rate the ring takes up to twice as long.
TEST_CASE(
    "a NIC at half rate makes its data ring at most twice as slow and no other group slower") {
  const auto step = [](const Settings& settings) {
    return simulate(scenario("llama31_8b_h100", "bf16-32", settings));
  };
  const Report healthy = step({});
  const Report slow = step({slow_nic(2, 3, 0.5)});
  CHECK(total(slow, "dp") > total(healthy, "dp") * 1.2);
  CHECK(total(slow, "dp") <= total(healthy, "dp") * 2);
  CHECK(total(slow, "cp") == total(healthy, "cp"));
  CHECK(slow.step_time_s > healthy.step_time_s);
  CHECK(slow.step_time_s <= healthy.step_time_s + total(healthy, "dp"));
}

TEST_CASE("the report names the faults") {
  const Report report = llama_70b({slow_gpu(3, 5, 1.2), slow_nic(3, 2, 0.5)});
  CHECK(report.faults == std::vector<std::string>{"GPU 5 of host 3: kernels take 1.2 times as long",
                                                  "NIC 2 of host 3: 0.5 of its bandwidth"});
}

}  // namespace simtrain::testing::faults_test
