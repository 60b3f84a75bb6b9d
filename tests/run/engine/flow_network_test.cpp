#include "sim/run/engine/flow_network.h"

#include <map>
#include <random>

#include <doctest/doctest.h>

namespace simtrain::testing::flow_network_test {

namespace {

using Links = std::vector<LinkShare>;
using Rates = std::map<std::uint32_t, double>;

void take(Rates& rates, const std::vector<FlowNetwork::RateChange>& changes) {
  for (const auto& change : changes) rates[change.tag] = change.rate;
}

}  // namespace

TEST_CASE("a flow alone runs at its limit or at what its links allow") {
  const Links wide{{0, 1}};
  const Links narrow{{0, 1}, {1, 0.5}};
  Rates rates;
  FlowNetwork network({100, 40}, {&wide, &narrow});
  network.add(0, 60, 7);
  take(rates, network.settle());
  CHECK(rates[7] == 60);
  FlowNetwork other({100, 40}, {&wide, &narrow});
  other.add(1, 90, 8);
  take(rates, other.settle());
  CHECK(rates[8] == 80);
}

// Two flows as one that takes both parts: what they lose to each other is no rounding.
TEST_CASE("a route that stands for many flows limits each by what it has alone") {
  const Links both{{0, 2}};
  FlowNetwork network({100}, {&both});
  CHECK(network.limit_of(0, 80) == 80);
  CHECK(network.limit_of(0, 50 * (1 + 1e-12)) == 50);
  CHECK(network.limit_of(0, 40) == 40);
  Rates rates;
  network.add(0, network.limit_of(0, 80), 1);
  take(rates, network.settle());
  CHECK(rates[1] == 50);
}

TEST_CASE("a flow that nothing limits but itself needs no links") {
  const Links none;
  FlowNetwork network({}, {&none});
  network.add(0, 5, 1);
  const auto& changes = network.settle();
  REQUIRE(changes.size() == 1);
  CHECK(changes[0].rate == 5);
}

TEST_CASE("only rates that changed are reported") {
  const Links first{{0, 1}};
  const Links second{{1, 1}};
  FlowNetwork network({100, 100}, {&first, &second});
  network.add(0, 90, 1);
  CHECK(network.settle().size() == 1);
  CHECK(network.settle().empty());
  network.add(1, 90, 2);
  const auto& changes = network.settle();
  REQUIRE(changes.size() == 1);
  CHECK(changes[0].tag == 2);
}

TEST_CASE("a flow that leaves lets the others have its part") {
  const Links link{{0, 1}};
  FlowNetwork network({100}, {&link});
  Rates rates;
  const auto first = network.add(0, 100, 1);
  network.add(0, 100, 2);
  take(rates, network.settle());
  CHECK(rates == Rates{{1, 50}, {2, 50}});
  network.remove(first);
  take(rates, network.settle());
  CHECK(rates[2] == 100);
}

TEST_CASE("a flow that leaves before anyone asked was never there") {
  const Links link{{0, 1}};
  FlowNetwork network({100}, {&link});
  network.remove(network.add(0, 100, 1));
  network.add(0, 100, 2);
  Rates rates;
  take(rates, network.settle());
  CHECK(rates == Rates{{2, 100}});
}

TEST_CASE("links that all routes take alike are one, with the least capacity") {
  const Links both{{0, 1}, {1, 1}, {2, 0.5}};
  const Links first{{0, 1}, {1, 1}};
  FlowNetwork network({100, 70, 90}, {&both, &first});
  CHECK(network.links() == 2);  // 0 and 1 together; 2 in one route only
  network.add(0, 200, 1);
  network.add(1, 200, 2);
  Rates rates;
  take(rates, network.settle());
  CHECK(rates == Rates{{1, 35}, {2, 35}});
}

TEST_CASE("links of other shares or other routes are distinguished") {
  const Links uneven{{0, 1}, {1, 0.5}};
  const Links second{{1, 0.5}, {2, 0.5}};
  CHECK(FlowNetwork({9, 9, 9, 9}, {&uneven}).links() == 2);
  CHECK(FlowNetwork({9, 9, 9, 9}, {&uneven, &second}).links() == 3);
}

TEST_CASE("rates after any arrivals and departures are those of the solver over all flows") {
  constexpr std::uint64_t kSeed = 99;
  std::mt19937_64 random(kSeed);
  const auto below = [&](std::size_t most) { return static_cast<std::size_t>(random() % most); };
  for (int test = 0; test < 60; ++test) {
    std::vector<double> capacities;
    for (std::size_t i = 0; i < 1 + below(8); ++i)
      capacities.push_back(10.0 * static_cast<double>(1 + below(20)));
    std::vector<Links> routes(1 + below(12));
    std::vector<const Links*> known;
    for (Links& route : routes) {
      for (std::size_t link = 0; link < capacities.size(); ++link) {
        if (below(3) == 0)
          route.push_back({static_cast<int>(link), 0.25 * static_cast<double>(1 + below(4))});
      }
      known.push_back(&route);
    }
    struct Flow {
      const Links* links;
      double limit;
      FlowNetwork::FlowId id;
    };
    std::map<std::uint32_t, Flow> flows;
    FlowNetwork network(capacities, known);
    Rates rates;
    std::uint32_t next = 0;
    for (int step = 0; step < 60; ++step) {
      for (std::size_t i = 0; i < 1 + below(3); ++i) {
        if (!flows.empty() && below(5) < 2) {
          const auto gone =
              std::next(flows.begin(), static_cast<std::ptrdiff_t>(below(flows.size())));
          network.remove(gone->second.id);
          rates.erase(gone->first);
          flows.erase(gone);
        } else {
          const auto route = static_cast<FlowNetwork::RouteId>(below(routes.size()));
          const double limit = 5.0 * static_cast<double>(1 + below(30));
          flows[next] = {known[route], limit, network.add(route, limit, next)};
          ++next;
        }
      }
      for (const auto& change : network.settle()) {
        if (flows.contains(change.tag)) rates[change.tag] = change.rate;
      }
      std::vector<SharedFlow> shared;
      for (const auto& [tag, flow] : flows) shared.push_back({flow.links, flow.limit});
      const std::vector<double> expected = share_links(capacities, shared);
      INFO("seed ", kSeed, ", case ", test, ", step ", step);
      std::size_t at = 0;
      for (const auto& [tag, flow] : flows)
        CHECK(rates[tag] == doctest::Approx(expected[at++]).epsilon(1e-9));
    }
  }
}

TEST_CASE("hundreds of flows over few narrow links get what the solver over all of them gives") {
  std::mt19937_64 random(7);
  const auto below = [&](std::size_t most) { return static_cast<std::size_t>(random() % most); };
  for (int test = 0; test < 4; ++test) {
    std::vector<double> capacities;
    for (std::size_t link = 0; link < 40; ++link)
      capacities.push_back(100.0 * static_cast<double>(1 + below(30)));
    std::vector<Links> routes(120);
    std::vector<const Links*> known;
    for (Links& route : routes) {
      for (int link = static_cast<int>(below(20)); link < 40;
           link += 3 + static_cast<int>(below(20)))
        route.push_back({link, below(2) == 0 ? 1.0 : 0.5});
      known.push_back(&route);
    }
    struct Flow {
      std::size_t route;
      double limit;
      FlowNetwork::FlowId id;
    };
    std::map<std::uint32_t, Flow> flows;
    FlowNetwork network(capacities, known);
    Rates rates;
    for (std::uint32_t next = 0; next < 600; ++next) {
      const std::size_t route = below(routes.size());
      const double limit = 5.0 * static_cast<double>(1 + below(30));
      const auto id = network.add(static_cast<FlowNetwork::RouteId>(route), limit, next);
      flows[next] = {route, limit, id};
      if (flows.size() > 300 || below(4) == 0) {
        const auto gone =
            std::next(flows.begin(), static_cast<std::ptrdiff_t>(below(flows.size())));
        network.remove(gone->second.id);  // also one that has only come
        flows.erase(gone);
      }
      if (next % 7 != 0) continue;
      take(rates, network.settle());
      std::vector<SharedFlow> shared;
      for (const auto& [tag, flow] : flows) shared.push_back({&routes[flow.route], flow.limit});
      const std::vector<double> expected = share_links(capacities, shared);
      std::size_t at = 0;
      for (const auto& [tag, flow] : flows)
        REQUIRE(rates[tag] == doctest::Approx(expected[at++]).epsilon(1e-9));
    }
  }
}

}  // namespace simtrain::testing::flow_network_test
