#include "sim/run/flow_network.h"

#include <map>
#include <random>

#include <doctest/doctest.h>

using namespace simtrain;

namespace {

using Rates = std::map<std::uint32_t, double>;

void take(Rates& rates, const std::vector<FlowNetwork::RateChange>& changes) {
  for (const auto& change : changes) rates[change.tag] = change.rate;
}

}  // namespace

TEST_CASE("a flow alone runs at its limit or at what its links allow") {
  FlowNetwork network({100, 40});
  const std::vector<LinkShare> wide{{0, 1}};
  const std::vector<LinkShare> narrow{{0, 1}, {1, 0.5}};
  Rates rates;
  network.add(wide, 60, 7);
  take(rates, network.settle());
  CHECK(rates[7] == 60);
  FlowNetwork other({100, 40});
  other.add(narrow, 90, 8);
  take(rates, other.settle());
  CHECK(rates[8] == 80);
}

TEST_CASE("a flow that nothing limits but itself needs no links") {
  FlowNetwork network({});
  const std::vector<LinkShare> none;
  network.add(none, 5, 1);
  const auto& changes = network.settle();
  REQUIRE(changes.size() == 1);
  CHECK(changes[0].rate == 5);
}

TEST_CASE("only rates that changed are reported") {
  FlowNetwork network({100, 100});
  const std::vector<LinkShare> first{{0, 1}};
  const std::vector<LinkShare> second{{1, 1}};
  network.add(first, 90, 1);
  CHECK(network.settle().size() == 1);
  CHECK(network.settle().empty());
  network.add(second, 90, 2);
  const auto& changes = network.settle();
  REQUIRE(changes.size() == 1);
  CHECK(changes[0].tag == 2);
}

TEST_CASE("a flow that leaves lets the others have its part") {
  FlowNetwork network({100});
  const std::vector<LinkShare> link{{0, 1}};
  Rates rates;
  const auto first = network.add(link, 100, 1);
  network.add(link, 100, 2);
  take(rates, network.settle());
  CHECK(rates == Rates{{1, 50}, {2, 50}});
  network.remove(first);
  take(rates, network.settle());
  CHECK(rates[2] == 100);
}

TEST_CASE("a flow that leaves before anyone asked was never there") {
  FlowNetwork network({100});
  const std::vector<LinkShare> link{{0, 1}};
  network.remove(network.add(link, 100, 1));
  network.add(link, 100, 2);
  Rates rates;
  take(rates, network.settle());
  CHECK(rates == Rates{{2, 100}});
}

TEST_CASE("rates after any arrivals and departures are those of the solver over all flows") {
  constexpr std::uint64_t kSeed = 99;
  std::mt19937_64 random(kSeed);
  const auto below = [&](std::size_t most) { return static_cast<std::size_t>(random() % most); };
  for (int test = 0; test < 60; ++test) {
    std::vector<double> capacities;
    for (std::size_t i = 0; i < 1 + below(8); ++i)
      capacities.push_back(10.0 * static_cast<double>(1 + below(20)));
    struct Flow {
      std::vector<LinkShare> links;
      double limit;
      FlowNetwork::FlowId id;
    };
    std::map<std::uint32_t, Flow> flows;  // a map keeps the links where they are
    FlowNetwork network(capacities);
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
          Flow& flow = flows[next];
          for (std::size_t link = 0; link < capacities.size(); ++link) {
            if (below(3) == 0)
              flow.links.push_back(
                  {static_cast<int>(link), 0.25 * static_cast<double>(1 + below(4))});
          }
          flow.limit = 5.0 * static_cast<double>(1 + below(30));
          flow.id = network.add(flow.links, flow.limit, next++);
        }
      }
      for (const auto& change : network.settle()) {
        if (flows.contains(change.tag)) rates[change.tag] = change.rate;
      }
      std::vector<SharedFlow> shared;
      for (const auto& [tag, flow] : flows) shared.push_back({&flow.links, flow.limit});
      const std::vector<double> expected = share_links(capacities, shared);
      INFO("seed ", kSeed, ", case ", test, ", step ", step);
      std::size_t at = 0;
      for (const auto& [tag, flow] : flows)
        CHECK(rates[tag] == doctest::Approx(expected[at++]).epsilon(1e-9));
    }
  }
}
