// Jobs that repeat a step of computing and sending over common links, against SimGrid: one actor a
// job, flows of network model CM02 without latency, windows or cross traffic.
#include <algorithm>
#include <cmath>
#include <random>
#include <simgrid/s4u.hpp>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "sim/run/engine/executor.h"
#include "tests/run/plans.h"

namespace simtrain::testing {
namespace {

namespace s4u = simgrid::s4u;

constexpr int kCases = 200;
constexpr int kSteps = 6;

struct JobCase {
  Duration start{};
  Duration computes{};
  std::int64_t bytes = 0;
  std::vector<int> links;
};

struct Case {
  std::vector<double> capacities;
  std::vector<JobCase> jobs;
};

Case some_case(std::mt19937_64& random) {
  const auto milliseconds = [&](int most) {
    return Duration(std::chrono::milliseconds(1 + random() % static_cast<std::uint64_t>(most)));
  };
  Case drawn;
  for (std::size_t links = 1 + random() % 4; links > 0; --links)
    drawn.capacities.push_back(1e6 * static_cast<double>(50 + random() % 100));
  for (std::size_t jobs = 2 + random() % 3; jobs > 0; --jobs) {
    JobCase job{milliseconds(900),
                milliseconds(2000),
                static_cast<std::int64_t>(1'000'000 * (1 + random() % 150)),
                {}};
    for (std::size_t link = 0; link < drawn.capacities.size(); ++link) {
      if (random() % 2 == 0) job.links.push_back(static_cast<int>(link));
    }
    if (job.links.empty()) job.links.push_back(0);
    drawn.jobs.push_back(std::move(job));
  }
  return drawn;
}

/// By job, how long the steps take that begin when all jobs have started.
using Steps = std::vector<std::vector<double>>;

/// The same of SimGrid, with the time at which each step ends.
struct TimedSteps {
  Steps took;
  Steps ended;

  /// Up to when all jobs still run.
  [[nodiscard]] double all_run_until() const {
    double until = ended.front().back();
    for (const std::vector<double>& job : ended) until = std::min(until, job.back());
    return until;
  }
};

Steps our_steps(const Case& drawn) {
  HandMade made;
  std::vector<RepeatedJob> jobs;
  for (const double capacity : drawn.capacities) made.link(capacity);
  for (const JobCase& job : drawn.jobs) {
    const std::uint32_t rank = made.rank();
    std::vector<LinkShare> links;
    for (const int link : job.links) links.push_back({link, 1});
    made.group(GroupKind::data, {rank}, links);
    const std::uint32_t computed = made.compute(rank, job.computes);
    made.transfer(rank, Stream::data, GroupKind::data, HandMade::bytes(job.bytes, 1e9), {computed});
    jobs.push_back({rank, rank + 1, job.start});
  }
  JobSteps log(jobs, {0, kSteps});
  execute_steps(made.plan, log);
  Steps steps;
  for (std::uint32_t job = 0; job < jobs.size(); ++job) {
    std::vector<double>& own = steps.emplace_back();
    for (const Duration step : log.counted(job)) own.push_back(to_seconds(step));
  }
  return steps;
}

/// Puts one case into SimGrid's platform; its actors note their steps.
void build(const Case& drawn, const std::string& name, s4u::NetZone* root, TimedSteps& steps) {
  s4u::NetZone* zone = s4u::create_full_zone(name);
  zone->set_parent(root);
  std::vector<s4u::Link*> links;
  for (const double capacity : drawn.capacities)
    links.push_back(zone->create_link(name + "_" + std::to_string(links.size()), capacity)
                        ->set_latency(0)
                        ->seal());
  double all_started = 0;
  for (const JobCase& job : drawn.jobs) all_started = std::max(all_started, to_seconds(job.start));
  steps.took.resize(drawn.jobs.size());
  steps.ended.resize(drawn.jobs.size());
  std::vector<std::pair<s4u::Host*, s4u::Host*>> ends;
  for (std::size_t i = 0; i < drawn.jobs.size(); ++i) {
    const std::string host = name + "_" + std::to_string(i);
    ends.emplace_back(zone->create_host(host + "_from", 1e9)->seal(),
                      zone->create_host(host + "_to", 1e9)->seal());
    std::vector<s4u::LinkInRoute> route;
    for (const int link : drawn.jobs[i].links)
      route.emplace_back(links[static_cast<std::size_t>(link)]);
    zone->add_route(ends[i].first->get_netpoint(), ends[i].second->get_netpoint(), nullptr, nullptr,
                    route, false);
  }
  zone->seal();
  for (std::size_t i = 0; i < drawn.jobs.size(); ++i) {
    const JobCase& job = drawn.jobs[i];
    s4u::Actor::create(
        "job", ends[i].first, [=, &took = steps.took[i], &ended = steps.ended[i], ends = ends[i]] {
          s4u::this_actor::sleep_until(to_seconds(job.start));
          // More than are compared, so that the quickest job goes on beside the slowest.
          constexpr int kRounds = 40 * kSteps;
          for (int round = 0; round < kRounds; ++round) {
            const double begun = s4u::Engine::get_clock();
            s4u::this_actor::sleep_for(to_seconds(job.computes));
            s4u::Comm::sendto(ends.first, ends.second, static_cast<std::uint64_t>(job.bytes));
            if (begun < all_started - 1e-9) continue;
            took.push_back(s4u::Engine::get_clock() - begun);
            ended.push_back(s4u::Engine::get_clock());
          }
        });
  }
}

TEST_CASE("Jobs that repeat steps on common links take what they take in SimGrid") {
  std::vector<std::string> words{"repeated_jobs_test", "--log=root.thresh:warning",
                                 "--cfg=contexts/factory:thread", "--cfg=network/model:CM02"};
  for (const char* setting :
       {"network/crosstraffic:0", "network/TCP-gamma:0", "network/weight-S:0",
        "network/bandwidth-factor:1", "network/latency-factor:1", "maxmin/precision:1e-14"})
    words.push_back(std::string("--cfg=") + setting);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  int count = static_cast<int>(arguments.size());
  s4u::Engine engine(&count, arguments.data());
  s4u::NetZone* root = s4u::create_full_zone("root");
  std::mt19937_64 random(42);
  std::vector<Case> cases;
  std::vector<TimedSteps> theirs(kCases);
  for (std::size_t i = 0; i < kCases; ++i) {
    cases.push_back(some_case(random));
    build(cases.back(), "case" + std::to_string(i), root, theirs[i]);
  }
  root->seal();
  engine.run();
  double largest = 0;
  std::size_t compared = 0;
  for (std::size_t i = 0; i < kCases; ++i) {
    CAPTURE(i);
    const Steps ours = our_steps(cases[i]);
    for (std::size_t job = 0; job < ours.size(); ++job) {
      CAPTURE(job);
      REQUIRE(ours[job].size() >= kSteps);
      const std::vector<double>& took = theirs[i].took[job];
      for (std::size_t step = 0; step < std::min(ours[job].size(), took.size()); ++step) {
        if (theirs[i].ended[job][step] > theirs[i].all_run_until()) break;
        const double difference = std::abs(ours[job][step] / took[step] - 1);
        largest = std::max(largest, difference);
        CHECK(difference <= 1e-6);
        ++compared;
      }
    }
  }
  MESSAGE(compared, " steps of ", kCases, " cases, largest relative difference ", largest);
}

}  // namespace
}  // namespace simtrain::testing
