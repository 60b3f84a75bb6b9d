// simtrain's flows against packets of ns-3: how long sending takes on the same wires.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/ns3/flows.h"
#include "tests/ns3/packets.h"

namespace simtrain::testing {
namespace {

using std::chrono::microseconds;

/// So many bytes, in whole packets.
std::int64_t megabytes(double count) {
  return std::llround(count * 1e6 / kPayloadBytes) * kPayloadBytes;
}

/// What each of `hosts` sends around their ring in an all-reduce of so many megabytes.
std::int64_t all_reduce(double count, std::size_t hosts) {
  const auto ranks = static_cast<double>(hosts);
  return megabytes(count * 2 * (ranks - 1) / ranks);
}

/// Hosts 0 to n - 1 at one switch.
Network star(int hosts, double gbit = 100) {
  Network network{hosts + 1, {}};
  for (int host = 0; host < hosts; ++host) network.wires.push_back({host, hosts, gbit});
  return network;
}

/// Leaves of four hosts each below one spine, so that all ways are one.
Network leaf_spine(int leaves, double uplink_gbit) {
  constexpr int kHostsOfLeaf = 4;
  const int hosts = leaves * kHostsOfLeaf;
  Network network{hosts + leaves + 1, {}};
  for (int host = 0; host < hosts; ++host)
    network.wires.push_back({host, hosts + host / kHostsOfLeaf, 100});
  for (int leaf = 0; leaf < leaves; ++leaf)
    network.wires.push_back({hosts + leaf, hosts + leaves, uplink_gbit});
  return network;
}

TrafficCase one_link() {
  return {"two hosts, one link", {2, {{0, 1, 100}}}, {{{0, 1}, megabytes(64)}}};
}

TrafficCase common_link() {
  // Hosts 0 to 3 at switch 8, 4 to 7 at switch 9.
  Network network{10, {{8, 9, 100}}};
  for (int host = 0; host < 8; ++host) network.wires.push_back({host, host < 4 ? 8 : 9, 100});
  return {"four flows, one link",
          network,
          {{{0, 4}, megabytes(40)},
           {{1, 5}, megabytes(10)},
           {{2, 6}, megabytes(20), microseconds(500)},
           {{3, 7}, megabytes(5), microseconds(1500)}}};
}

TrafficCase incast() {
  TrafficCase one{"incast, 8 to 1", star(9), {}};
  for (int host = 1; host < 9; ++host) one.traffic.push_back({{host, 0}, megabytes(8)});
  return one;
}

TrafficCase long_way() {
  // Switches 4 to 7 in a row; host i at switch 4 + i.
  Network network{8, {{4, 5, 50}, {5, 6, 50}, {6, 7, 50}}};
  for (int host = 0; host < 4; ++host) network.wires.push_back({host, host + 4, 100});
  return {"a long way, one flow on each link",
          network,
          {{{0, 3}, megabytes(20)},
           {{0, 1}, megabytes(20)},
           {{1, 2}, megabytes(20)},
           {{2, 3}, megabytes(20)}}};
}

TrafficCase all_to_all() {
  const std::vector<int> hosts{0, 1, 2, 4, 5, 6};  // of leaves of four
  TrafficCase one{"all-to-all of 6, uplinks 2:1", leaf_spine(2, 150), {}};
  for (const int from : hosts) {
    for (const int to : hosts) {
      if (from != to) one.traffic.push_back({{from, to}, megabytes(8)});
    }
  }
  return one;
}

TrafficCase two_rings() {
  return {
      "two rings, uplinks 4:1",
      leaf_spine(2, 100),
      {{{0, 1, 4, 5}, all_reduce(16, 4)}, {{2, 3, 6, 7}, all_reduce(32, 4), microseconds(300)}}};
}

TrafficCase two_jobs() {
  return {"two jobs of 5 steps, uplinks 4:1",
          leaf_spine(2, 100),
          {{{0, 1, 4, 5}, all_reduce(8, 4), {}, microseconds(700), 5},
           {{2, 3, 6, 7}, all_reduce(12, 4), microseconds(250), microseconds(1100), 5}}};
}

/// Flows and rings between hosts drawn at random on leaves and a spine with uplinks drawn too.
TrafficCase some_case(std::mt19937_64& random) {
  const auto below = [&](std::size_t end) { return random() % end; };
  const int leaves = static_cast<int>(2 + below(2));
  TrafficCase one{{}, leaf_spine(leaves, 100.0 * static_cast<double>(1 + below(4))), {}};
  const std::size_t hosts = 4 * static_cast<std::size_t>(leaves);
  for (std::size_t count = 3 + below(6); count > 0; --count) {
    Traffic traffic;
    const std::size_t ends = below(3) == 0 ? 3 + below(3) : 2;
    while (traffic.hosts.size() < ends) {
      const int host = static_cast<int>(below(hosts));
      if (std::find(traffic.hosts.begin(), traffic.hosts.end(), host) == traffic.hosts.end())
        traffic.hosts.push_back(host);
    }
    const auto size = static_cast<double>(8 + below(16));
    traffic.bytes = traffic.ring() ? all_reduce(size, ends) : megabytes(size);
    traffic.start = microseconds(below(2000));
    one.traffic.push_back(std::move(traffic));
  }
  return one;
}

/// Our times over theirs, less one.
struct Deviation {
  std::size_t sends = 0;
  double largest = 0;  ///< by its amount, with its sign
  double sum = 0;      ///< of amounts
  double last = 0;     ///< likewise, of the times at which the last of a case has ended

  void add(double deviation) {
    ++sends;
    sum += std::abs(deviation);
    if (std::abs(deviation) > std::abs(largest)) largest = deviation;
  }
  [[nodiscard]] double mean() const { return sum / static_cast<double>(sends); }
};

double last_end(const TrafficCase& one, const SendTimes& times) {
  double last = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const Traffic& traffic = one.traffic[i];
    double end = to_seconds(traffic.start + traffic.computes * traffic.steps);
    for (const double time : times[i]) end += time;
    last = std::max(last, end);
  }
  return last;
}

/// Adds the deviations of a case to `sum`.
void compare(const TrafficCase& one, Fabric fabric, Deviation& sum) {
  const SendTimes ours = flow_times(one);
  const SendTimes theirs = packet_times(one, fabric);
  REQUIRE(ours.size() == theirs.size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    REQUIRE(ours[i].size() == theirs[i].size());
    for (std::size_t step = 0; step < ours[i].size(); ++step)
      sum.add(ours[i][step] / theirs[i][step] - 1);
  }
  const double last = last_end(one, ours) / last_end(one, theirs) - 1;
  if (std::abs(last) > std::abs(sum.last)) sum.last = last;
}

/// A row of the table of docs/validation.md.
void print(std::string_view name, const Deviation& deviation) {
  fmt::print("| {} | {} | {:+.1f} % | {:.1f} % | {:+.1f} % |\n", name, deviation.sends,
             100 * deviation.largest, 100 * deviation.mean(), 100 * deviation.last);
  std::fflush(stdout);
}

std::vector<TrafficCase> small_cases() {
  return {one_link(), common_link(), incast(), long_way(), all_to_all(), two_rings(), two_jobs()};
}

/// All cases drawn, their rings in chunks of so many bytes.
Deviation compare_drawn(std::int64_t chunk) {
  constexpr int kCases = 6;
  std::mt19937_64 random(20261125);
  Deviation sum;
  for (int i = 0; i < kCases; ++i) {
    TrafficCase one = some_case(random);
    for (Traffic& traffic : one.traffic) traffic.chunk = chunk;
    compare(one, Fabric::fair_queues, sum);
  }
  return sum;
}

constexpr double kBound = 0.05;

}  // namespace

TEST_CASE("flows take what packets take in ns-3 where ports serve flows in turn") {
  for (const TrafficCase& one : small_cases()) {
    CAPTURE(one.name);
    Deviation deviation;
    compare(one, Fabric::fair_queues, deviation);
    print(one.name, deviation);
    CHECK(std::abs(deviation.largest) <= kBound);
  }
}

TEST_CASE("flows and rings drawn at random take what packets take in ns-3") {
  // Little more than is on its way from host to host: hops of a ring are as fast as each other.
  const Deviation deviation = compare_drawn(96 * 1024);
  print("drawn at random, rings in chunks of 96 KiB", deviation);
  CHECK(std::abs(deviation.largest) <= kBound);
}

TEST_CASE("hops of a ring that are ahead of each other hinder others sooner or later than a flow") {
  const Deviation deviation = compare_drawn(kNcclSlot);
  print("drawn at random, rings in chunks of 512 KiB", deviation);
  CHECK(deviation.mean() <= 0.03);
  CHECK(std::abs(deviation.largest) > kBound);
}

TEST_CASE("under DCTCP single flows are faster or slower, and the last ends little later") {
  for (const TrafficCase& one : small_cases()) {
    CAPTURE(one.name);
    Deviation deviation;
    compare(one, Fabric::marking, deviation);
    print(one.name, deviation);
    CHECK(deviation.last >= -0.125);
    CHECK(deviation.last <= kBound);
  }
}

}  // namespace simtrain::testing
