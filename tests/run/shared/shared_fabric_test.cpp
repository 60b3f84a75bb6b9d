// Jobs of scenarios on one cluster: what holds of them whatever they are.
#include "sim/run/shared/shared_fabric.h"

#include <algorithm>
#include <numeric>
#include <random>

#include <doctest/doctest.h>

#include "sim/run/engine/executor.h"
#include "sim/run/shared/plan_union.h"
#include "sim/run/step/planned_step.h"
#include "tests/run/scenarios.h"

namespace simtrain::testing::shared_fabric_test {
namespace {

constexpr const char* kFile = "llama31_8b_h100";

/// A job of 8 nodes on some of 32 hosts: units of 4, blocks of 8, 4:1 oversubscribed above these.
FabricJob job_on(const std::string& name, const std::vector<int>& hosts,
                 const std::vector<std::string>& settings = {}, Duration start = {}) {
  std::vector<std::string> all{"cluster.name=clos-h100-4to1", "hardware.nodes_per_unit=4",
                               "hardware.nodes_per_block=8",  "cluster.nodes=8",
                               "cluster.available_nodes=32",  "gbs=128"};
  all.insert(all.end(), settings.begin(), settings.end());
  FabricJob job{name, scenario(kFile, "bf16-64", all), "hosts", start, {}};
  place_on(job.scenario, hosts);
  return job;
}

/// Hosts that go to and fro between the first two blocks.
std::vector<int> across(int first) {
  std::vector<int> hosts;
  for (int i = 0; i < 8; ++i) hosts.push_back(first + i / 2 + (i % 2 == 0 ? 0 : 8));
  return hosts;
}

std::vector<int> beside(int first) {
  std::vector<int> hosts(8);
  std::iota(hosts.begin(), hosts.end(), first);
  return hosts;
}

const std::vector<std::string> kTensor{"tp=4", "cp=1", "gbs=256"};

FabricScenario fabric_of(std::vector<FabricJob> jobs) { return {"test", std::move(jobs), {1, 2}}; }

double step_of(const FabricJob& job) { return simulate(job.scenario).step_time_s; }

/// How long the steps of jobs take on a plan as it is.
std::vector<std::vector<Duration>> steps_of(const PlanUnion& all) {
  std::vector<RepeatedJob> jobs;
  for (std::uint32_t job = 0; job < all.jobs; ++job) {
    const auto [begin, end] = std::equal_range(all.job_of_rank.begin(), all.job_of_rank.end(), job);
    jobs.push_back({static_cast<std::uint32_t>(begin - all.job_of_rank.begin()),
                    static_cast<std::uint32_t>(end - all.job_of_rank.begin()),
                    std::chrono::milliseconds(50) * job});
  }
  JobSteps log(std::move(jobs), {1, 2});
  execute_steps(all.plan, log);
  std::vector<std::vector<Duration>> steps;
  for (std::uint32_t job = 0; job < all.jobs; ++job) steps.push_back(log.counted(job));
  return steps;
}

std::vector<std::uint32_t> all_of(const PlanUnion& all) {
  std::vector<std::uint32_t> jobs(all.jobs);
  std::iota(jobs.begin(), jobs.end(), 0U);
  return jobs;
}

}  // namespace

TEST_CASE("A job by itself takes what `run` says") {
  const FabricScenario fabric = fabric_of({job_on("a", across(0))});
  const FabricResult result = share_fabric(fabric);
  CHECK(result.jobs.front().alone_s == step_of(fabric.jobs.front()));
  CHECK(result.jobs.front().together_s == result.jobs.front().alone_s);
  CHECK(result.links.empty());
}

TEST_CASE("Jobs on links that bind: alone as `run` says, together slower, the third not at all") {
  const FabricScenario fabric =
      fabric_of({job_on("a", across(0)), job_on("b", across(4)), job_on("c", beside(16), kTensor)});
  const FabricResult result = share_fabric(fabric);
  CHECK(!result.links_never_bind);
  CHECK(result.ranks == 192);
  CHECK(result.ranks_simulated < 192);
  for (std::size_t i = 0; i < 3; ++i) {
    CAPTURE(i);
    CHECK(result.jobs[i].alone_s == doctest::Approx(step_of(fabric.jobs[i])).epsilon(0.0005));
  }
  CHECK(result.meeting == std::vector<std::vector<int>>{{0, 1}, {2}});
  for (const std::size_t i : {0U, 1U}) {
    const JobOnFabric& job = result.jobs[i];
    CHECK(job.together_s > job.alone_s);
    CHECK(job.least_s <= job.together_s);
    CHECK(job.together_s <= job.most_s);
    CHECK(job.steps >= 2);
    CHECK(job.without_s[1 - i] == job.alone_s);
    CHECK(job.without_s[2] == job.together_s);
  }
  CHECK(result.jobs[2].together_s == result.jobs[2].alone_s);
  CHECK(result.jobs[2].steps == 0);
  REQUIRE(!result.links.empty());
  CHECK(result.links.front().held_up_s[0][1] > 0);
  CHECK(result.links.front().held_up_s[1][0] > 0);
  for (const SharedLink& link : result.links) {
    CHECK(std::accumulate(link.used.begin(), link.used.end(), 0.0) <= 1 + 1e-9);
    CHECK(link.used[2] == 0);
  }
}

TEST_CASE("Jobs in blocks of their own do not meet on the cores") {
  const FabricScenario fabric = fabric_of({job_on("a", beside(0)), job_on("b", beside(8))});
  const FabricResult result = share_fabric(fabric);
  CHECK(result.meeting == std::vector<std::vector<int>>{{0}, {1}});
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(result.jobs[i].together_s == result.jobs[i].alone_s);
    CHECK(result.jobs[i].alone_s == doctest::Approx(step_of(fabric.jobs[i])).epsilon(0.0005));
  }
}

TEST_CASE("On a fabric that never binds jobs do not meet") {
  FabricScenario fabric = fabric_of({});
  for (const int first : {0, 4}) {
    FabricJob job{"a", scenario(kFile, "bf16-64", {"cluster.available_nodes=32"}), "", {}, {}};
    place_on(job.scenario, across(first));
    fabric.jobs.push_back(job);
  }
  const FabricResult result = share_fabric(fabric);
  CHECK(result.links_never_bind);
  CHECK(result.ranks_simulated == 0);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(result.jobs[i].together_s == step_of(fabric.jobs[i]));
    CHECK(result.jobs[i].without_s == std::vector<double>(2, result.jobs[i].together_s));
  }
}

TEST_CASE("The order of jobs does not matter") {
  std::vector<FabricJob> jobs{
      job_on("a", {0, 8, 1, 9, 2, 10, 16, 24}),
      job_on("b", {3, 11, 4, 12, 17, 25, 18, 26}, {"tp=4", "cp=1", "gbs=64"}),
      job_on("c", {5, 13, 6, 14, 19, 27, 20, 28}, {}, std::chrono::milliseconds(30))};
  const FabricResult one = share_fabric(fabric_of(jobs));
  CHECK(one.meeting.size() == 1);
  std::rotate(jobs.begin(), jobs.begin() + 1, jobs.end());
  const FabricResult other = share_fabric(fabric_of(jobs));
  for (std::size_t i = 0; i < 3; ++i) {
    const JobOnFabric& turned = other.jobs[(i + 2) % 3];
    CHECK(one.jobs[i].name == turned.name);
    CHECK(one.jobs[i].alone_s == turned.alone_s);
    CHECK(one.jobs[i].together_s == doctest::Approx(turned.together_s).epsilon(1e-10));
    CHECK(one.jobs[i].together_s > one.jobs[i].alone_s);
    for (std::size_t by = 0; by < 3; ++by)
      CHECK(one.jobs[i].without_s[by] ==
            doctest::Approx(turned.without_s[(by + 2) % 3]).epsilon(1e-10));
  }
}

TEST_CASE("A folded plan of jobs does what that of all their ranks does") {
  std::mt19937_64 random(11);
  const std::vector<std::vector<std::string>> plans{
      {"tp=1", "cp=2"}, kTensor, {"tp=2", "cp=2", "pp=2"}, {"tp=8", "cp=1", "pp=4"}};
  for (std::size_t round = 0; round < 12; ++round) {
    CAPTURE(round);
    std::vector<int> hosts = beside(0);
    hosts.resize(32);
    std::iota(hosts.begin(), hosts.end(), 0);
    for (std::size_t i = 0; i < 16; ++i) std::swap(hosts[i], hosts[i + random() % (32 - i)]);
    const bool drawn = round % 3 > 0;
    std::vector<std::string> settings = plans[round % plans.size()];
    const bool hashed = round % 3 == 2;
    if (hashed) settings.emplace_back("cluster.name=fat-tree-h100-2to1");
    if (hashed) settings.emplace_back("hardware.nodes_per_block=32");
    std::vector<std::string> others = plans[(round / 2) % plans.size()];
    if (hashed) others.insert(others.end(), settings.end() - 2, settings.end());
    const std::vector<FabricJob> jobs{
        job_on("a", drawn ? std::vector<int>(hosts.begin(), hosts.begin() + 8) : across(0),
               settings),
        job_on("b", drawn ? std::vector<int>(hosts.begin() + 8, hosts.begin() + 16) : across(4),
               others)};
    ClusterCache clusters;
    const Plan one = plan_step(jobs[0].scenario, {.unfold = true, .clusters = &clusters}).plan;
    const Plan other = plan_step(jobs[1].scenario, {.unfold = true, .clusters = &clusters}).plan;
    const PlanUnion all = united({&one, &other});
    const PlanUnion fold = folded(all);
    CHECK(all.plan.ranks.size() == 128);
    if (!hashed) CHECK(fold.plan.ranks.size() < 128);
    CHECK(std::accumulate(fold.link_copies.begin(), fold.link_copies.end(), 0) ==
          static_cast<int>(all.plan.link_capacities.size()));
    const auto every = steps_of(only(all, all_of(all)));
    const auto few = steps_of(only(fold, all_of(fold)));
    for (std::size_t job = 0; job < 2; ++job) {
      REQUIRE(every[job].size() == few[job].size());
      for (std::size_t i = 0; i < every[job].size(); ++i)
        CHECK(std::abs((every[job][i] - few[job][i]).count()) <= 10);  // picoseconds
    }
  }
}

}  // namespace simtrain::testing::shared_fabric_test
