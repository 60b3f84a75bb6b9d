// Steps on nodes whose GPUs are joined pair by pair, with RCCL, and jobs in segments of racks.
#include <doctest/doctest.h>

#include "sim/run/uncertainty/uncertainty.h"
#include "tests/core/error_of.h"
#include "tests/run/report_text.h"
#include "tests/run/scenarios.h"

namespace simtrain::testing::mesh_run_test {

namespace {

Report run(const std::string& file, const std::string& row,
           const std::vector<std::string>& settings, bool unfold = false) {
  SimulateOptions options;
  options.unfold = unfold;
  return simulate(scenario(file, row, settings), options);
}

}  // namespace

TEST_CASE("folded and unfolded steps on a mesh agree exactly") {
  const std::vector<Case> rows{
      {"llama31_mi300x", "8b-8", {"gbs=16"}},
      {"llama31_mi300x", "70b-8", {"gbs=8"}},
      {"llama31_mi300x", "70b-64", {"gbs=32"}},
      {"llama31_mi300x",
       "8b-64",
       {"nodes=2", "gbs=32", "cp=4", "tp=2", "parallelism.sequence_parallel=true"}},
      {"llama31_mi300x", "70b-64", {"nodes=2", "gbs=16", "tp=2", "cp=2", "pp=4"}}};
  for (const Case& row : rows) {
    CAPTURE(row.row);
    CAPTURE(row.settings.back());
    const Report folded = run(row.file, row.row, row.settings);
    const Report unfolded = run(row.file, row.row, row.settings, true);
    CHECK(folded.step_time_s == unfolded.step_time_s);
    CHECK(text_of(folded) == text_of(unfolded));
  }
}

TEST_CASE("a stack runs on GPUs that its library knows, with that library's map") {
  const auto refused = [](const std::string& file, const std::string& row,
                          const std::vector<std::string>& settings) {
    return error_of([&] { static_cast<void>(scenario(file, row, settings)); });
  };
  CHECK(refused("llama31_mi300x", "8b-8", {"software=nemo-25.02"})
            .find("nemo-25.02 runs nccl, of which hardware/gpus/mi300x.yaml has no numbers") !=
        std::string::npos);
  CHECK(refused("llama31_8b_h100", "bf16-8", {"software=megatron-rocm-2025"})
            .find("runs rccl, of which hardware/gpus/h100-sxm.yaml has no numbers") !=
        std::string::npos);
  CHECK(refused("llama31_mi300x", "8b-8", {"nccl.nvls=false"})
            .find("is of a library that megatron-rocm-2025 does not run; it runs rccl") !=
        std::string::npos);
  CHECK(refused("llama31_mi300x", "8b-8", {"rccl.msccl=false"}).empty());
}

TEST_CASE("intervals are wider on GPUs whose kernels are derived, and widest where assumed") {
  const auto relative = [](const char* file, const char* row,
                           const std::vector<std::string>& settings) {
    const Scenario asked = scenario(file, row, settings);
    const Report report = simulate(asked);
    return step_error(asked.uncertainty, predicted_step(asked, report)).relative;
  };
  const double measured = relative("llama31_8b_h100", "bf16-8", {"gbs=16"});
  const double derived = relative("llama31_8b_h100", "bf16-8", {"gbs=16", "cluster.name=h800-ndr"});
  const double assumed = relative("llama31_mi300x", "8b-8", {"gbs=16"});
  CHECK(derived > measured * 1.2);
  CHECK(assumed > derived * 1.2);
}

TEST_CASE("a job of 32 trays is in segments of 16, which keep groups of 64 GPUs within racks") {
  const auto job = [](const std::string& setting) {
    return run("nemotron4_340b_gb200", "fp8-128",
               {"nodes=32", "tp=8", "pp=4", "vp=1", "gbs=32", setting});
  };
  const Report compact = job("cluster.placement={kind: compact, segment: 1}");
  const Report placed = job("cluster.placement=compact");
  CHECK(compact.placement.available_nodes == 32);
  CHECK(placed.placement.available_nodes == 34);
  CHECK(job("cluster.placement={kind: compact, segment: 16}").step_time_s == placed.step_time_s);
  CHECK(job("cluster.available_nodes=33").step_time_s == compact.step_time_s);  // has no room
  const auto beyond = [](const Report& report, const std::string& group) {
    std::int64_t hops = 0;
    for (const HopRow& row : report.placement.hops) {
      if (row.group != group) continue;
      for (std::size_t i = static_cast<std::size_t>(Distance::unit); i < kDistances; ++i)
        hops += row.hops[i];
    }
    return hops;
  };
  CHECK(beyond(compact, "tp") == 0);
  CHECK(beyond(placed, "tp") == 0);
  CHECK(beyond(placed, "dp") <= beyond(compact, "dp"));
}

TEST_CASE("segments must divide the job and fit an NVLink domain") {
  const auto refused = [](const std::string& placement) {
    return error_of([&] {
      static_cast<void>(scenario("nemotron4_340b_gb200", "fp8-128",
                                 {"nodes=32", "gbs=32", "cluster.placement=" + placement}));
    });
  };
  CHECK(
      refused("{kind: compact, segment: 12}")
          .find("cluster.placement: has segments of 12 nodes, which do not divide the job's 32; 36 "
                "nodes would do") != std::string::npos);
  CHECK(refused("{kind: compact, segment: 32}")
            .find("cluster.placement: has segments of 32 nodes, more than the 18 of an NVLink "
                  "domain") != std::string::npos);
  CHECK(refused("{kind: spread, segment: 16}")
            .find("cluster.placement.segment: does not apply to placement spread") !=
        std::string::npos);
}

}  // namespace simtrain::testing::mesh_run_test
