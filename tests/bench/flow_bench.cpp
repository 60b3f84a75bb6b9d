// The event loop against SimGrid's engine: jobs that compute and send again and again, each over a
// link of its own and an uplink that it shares with others.
#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <simgrid/s4u.hpp>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "sim/run/engine/executor.h"
#include "tests/run/plans.h"

namespace simtrain::testing {
namespace {

namespace s4u = simgrid::s4u;

constexpr int kSteps = 20;
constexpr double kOwn = 12.5e9;    // bytes per second
constexpr double kUplink = 50e9;   // likewise
constexpr int kJobsOfUplink = 16;  // who ask four times what it has

struct Job {
  std::vector<Duration> computes;  ///< by step
  std::vector<std::int64_t> bytes;
};

std::vector<Job> some_jobs(int count) {
  std::mt19937_64 random(1);
  std::vector<Job> jobs(static_cast<std::size_t>(count));
  for (Job& job : jobs) {
    for (int step = 0; step < kSteps; ++step) {
      job.computes.push_back(std::chrono::microseconds(1 + random() % 2000));
      job.bytes.push_back(static_cast<std::int64_t>(1'000'000 + random() % 20'000'000));
    }
  }
  return jobs;
}

Plan our_plan(const std::vector<Job>& jobs) {
  HandMade made;
  int uplink = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (i % kJobsOfUplink == 0) uplink = made.link(kUplink);
    const std::uint32_t rank = made.rank();
    made.group(GroupKind::data, {rank}, {{made.link(kOwn), 1}, {uplink, 1}});
    std::uint32_t before = made.compute(rank, jobs[i].computes[0]);
    for (std::size_t step = 0; step < kSteps; ++step) {
      if (step > 0) before = made.compute(rank, jobs[i].computes[step], {before});
      before = made.transfer(rank, Stream::data, GroupKind::data,
                             HandMade::bytes(jobs[i].bytes[step], kOwn), {before});
    }
  }
  return made.plan;
}

/// SimGrid's engine, of which a process has one, and a platform for the most jobs.
class SimGrid {
 public:
  static SimGrid& get() {
    static SimGrid only;
    return only;
  }

  /// Actors for the jobs, which start when run() is called.
  void start(const std::vector<Job>& jobs) {
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      s4u::Actor::create("job", ends_[i].first, [&job = jobs[i], ends = ends_[i]] {
        for (std::size_t step = 0; step < kSteps; ++step) {
          s4u::this_actor::sleep_for(to_seconds(job.computes[step]));
          s4u::Comm::sendto(ends.first, ends.second, static_cast<std::uint64_t>(job.bytes[step]));
        }
      });
    }
  }
  /// Until all have ended: how many seconds that took them.
  double run() {
    const double begun = s4u::Engine::get_clock();
    engine_->run();
    return s4u::Engine::get_clock() - begun;
  }

  static constexpr int kMost = 1024;  ///< jobs

 private:
  SimGrid() {
    std::vector<std::string> words{"bench", "--log=root.thresh:critical",
                                   "--cfg=network/model:CM02"};
    for (const char* setting :
         {"network/crosstraffic:0", "network/TCP-gamma:0", "network/weight-S:0",
          "network/bandwidth-factor:1", "network/latency-factor:1"})
      words.push_back(fmt::format("--cfg={}", setting));
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    int count = static_cast<int>(arguments.size());
    engine_ = std::make_unique<s4u::Engine>(&count, arguments.data());
    s4u::NetZone* zone = s4u::create_full_zone("fabric");
    const s4u::Link* uplink = nullptr;
    for (int i = 0; i < kMost; ++i) {
      if (i % kJobsOfUplink == 0)
        uplink = zone->create_link(fmt::format("uplink_{}", i), kUplink)->set_latency(0)->seal();
      const s4u::Link* own =
          zone->create_link(fmt::format("link_{}", i), kOwn)->set_latency(0)->seal();
      ends_.emplace_back(zone->create_host(fmt::format("from_{}", i), 1e9)->seal(),
                         zone->create_host(fmt::format("to_{}", i), 1e9)->seal());
      zone->add_route(ends_.back().first->get_netpoint(), ends_.back().second->get_netpoint(),
                      nullptr, nullptr, {s4u::LinkInRoute(own), s4u::LinkInRoute(uplink)}, false);
    }
    zone->seal();
  }

  std::unique_ptr<s4u::Engine> engine_;
  std::vector<std::pair<s4u::Host*, s4u::Host*>> ends_;
};

void measure_ours(benchmark::State& state, int jobs) {
  const Plan plan = our_plan(some_jobs(jobs));
  for ([[maybe_unused]] auto turn : state) benchmark::DoNotOptimize(execute(plan));
}

void measure_simgrid(benchmark::State& state, int count) {
  const std::vector<Job> jobs = some_jobs(count);
  const double ours = to_seconds(execute(our_plan(jobs)).end);
  for ([[maybe_unused]] auto turn : state) {
    state.PauseTiming();
    SimGrid::get().start(jobs);
    state.ResumeTiming();
    constexpr double kSame = 1e-4;
    if (std::abs(SimGrid::get().run() / ours - 1) > kSame)
      return state.SkipWithError("another end than ours");
  }
}

const bool kAdded = [] {
  for (const int jobs : {16, 128, SimGrid::kMost}) {
    const std::string work = fmt::format("{} sends of {} jobs", kSteps * jobs, jobs);
    benchmark::RegisterBenchmark(fmt::format("{}/simtrain", work).c_str(),
                                 [=](benchmark::State& state) { measure_ours(state, jobs); });
    benchmark::RegisterBenchmark(fmt::format("{}/SimGrid", work).c_str(),
                                 [=](benchmark::State& state) { measure_simgrid(state, jobs); });
  }
  return true;
}();

}  // namespace
}  // namespace simtrain::testing
