#include "sim/topology/link_sharing.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

#include <doctest/doctest.h>

namespace simtrain::testing::link_sharing_test {

namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

struct Flow {
  std::vector<LinkShare> links;
  double limit = kNoLimit;
};

std::vector<double> rates(const std::vector<double>& capacities, const std::vector<Flow>& flows) {
  std::vector<SharedFlow> shared;
  for (const Flow& flow : flows) shared.push_back({&flow.links, flow.limit});
  return share_links(capacities, shared);
}

struct Case {
  std::vector<double> capacities;
  std::vector<Flow> flows;
};

/// A share as the graph gives it: whole, or split evenly over planes, spines or ranks.
double some_share(std::mt19937& random) {
  constexpr std::array kWays{1, 1, 1, 2, 3, 4, 5, 7, 8, 9, 16, 18};
  return 1.0 / kWays[random() % kWays.size()];
}

Case some_case(std::mt19937& random) {
  std::uniform_real_distribution<double> capacity(1, 100);
  Case result;
  for (std::size_t links = 1 + random() % 8; links > 0; --links) {
    result.capacities.push_back(random() % 3 == 0 ? 50 : capacity(random));
  }
  for (std::size_t flows = 1 + random() % 12; flows > 0; --flows) {
    Flow flow;
    for (std::size_t link = 0; link < result.capacities.size(); ++link) {
      if (random() % 2 == 0) flow.links.push_back({static_cast<int>(link), some_share(random)});
    }
    if (random() % 2 == 0 || flow.links.empty()) flow.limit = capacity(random);
    result.flows.push_back(flow);
  }
  return result;
}

/// Progressive filling as it is defined, link by link and flow by flow in every round.
std::vector<double> plain_rates(const Case& c) {
  constexpr double kParts = 3'084'035'834'880;
  std::vector<double> left = c.capacities;
  std::vector<double> rate(c.flows.size(), -1);
  while (std::count(rate.begin(), rate.end(), -1.0) > 0) {
    std::vector<double> full(left.size(), kNoLimit);  // the level at which a link is full
    double level = kNoLimit;
    for (std::size_t link = 0; link < left.size(); ++link) {
      std::int64_t rising = 0;
      for (std::size_t i = 0; i < rate.size(); ++i) {
        if (rate[i] >= 0) continue;
        for (const LinkShare& use : c.flows[i].links) {
          if (use.link == static_cast<int>(link)) rising += parts_of(use.share);
        }
      }
      if (rising > 0) full[link] = left[link] / (static_cast<double>(rising) / kParts);
      level = std::min(level, full[link]);
    }
    for (std::size_t i = 0; i < rate.size(); ++i) {
      if (rate[i] < 0) level = std::min(level, c.flows[i].limit);
    }
    std::vector<std::int64_t> stopped(left.size(), 0);
    for (std::size_t i = 0; i < rate.size(); ++i) {
      const auto& links = c.flows[i].links;
      if (rate[i] >= 0) continue;
      if (c.flows[i].limit > level &&
          std::none_of(links.begin(), links.end(), [&](const auto& use) {
            return full[static_cast<std::size_t>(use.link)] <= level;
          }))
        continue;
      rate[i] = level;
      for (const LinkShare& use : links)
        stopped[static_cast<std::size_t>(use.link)] += parts_of(use.share);
    }
    for (std::size_t link = 0; link < left.size(); ++link) {
      const double taken = static_cast<double>(stopped[link]) / kParts;
      left[link] = std::max(0.0, left[link] - level * taken);
    }
  }
  return rate;
}

/// Many flows of few links each, as a fabric has them.
Case large_case(std::mt19937& random) {
  std::uniform_real_distribution<double> capacity(1, 100);
  Case result;
  for (std::size_t links = 20 + random() % 60; links > 0; --links)
    result.capacities.push_back(random() % 2 == 0 ? 50 : capacity(random));
  for (std::size_t flows = 50 + random() % 200; flows > 0; --flows) {
    Flow flow;
    for (int uses = 1 + static_cast<int>(random() % 4); uses > 0; --uses) {
      const int link = static_cast<int>(random() % result.capacities.size());
      if (std::none_of(flow.links.begin(), flow.links.end(),
                       [&](const LinkShare& use) { return use.link == link; }))
        flow.links.push_back({link, some_share(random)});
    }
    if (random() % 2 == 0) flow.limit = random() % 2 == 0 ? 4 : capacity(random);
    result.flows.push_back(flow);
  }
  return result;
}

std::vector<double> loads(const Case& c, const std::vector<double>& rate) {
  std::vector<double> result(c.capacities.size());
  for (std::size_t i = 0; i < rate.size(); ++i) {
    for (const LinkShare& use : c.flows[i].links) {
      result[static_cast<std::size_t>(use.link)] += rate[i] * use.share;
    }
  }
  return result;
}

/// True where some full link of flow `i` carries no flow with a higher rate.
bool held_by_a_link(const Case& c, const std::vector<double>& rate, std::size_t i) {
  const std::vector<double> load = loads(c, rate);
  const auto holds = [&](const LinkShare& use) {
    const auto link = static_cast<std::size_t>(use.link);
    if (load[link] < c.capacities[link] * (1 - 1e-9)) return false;
    for (std::size_t other = 0; other < c.flows.size(); ++other) {
      const auto& uses = c.flows[other].links;
      const bool there = std::any_of(uses.begin(), uses.end(),
                                     [&](const LinkShare& u) { return u.link == use.link; });
      if (there && rate[other] > rate[i] * (1 + 1e-9)) return false;
    }
    return true;
  };
  return std::any_of(c.flows[i].links.begin(), c.flows[i].links.end(), holds);
}

}  // namespace

TEST_CASE("rates are those of plain filling, digit by digit") {
  std::mt19937 random(21);
  for (int i = 0; i < 400; ++i) {
    const Case c = i % 4 == 0 ? large_case(random) : some_case(random);
    CAPTURE(i);
    REQUIRE(rates(c.capacities, c.flows) == plain_rates(c));
  }
}

TEST_CASE("a solver that is used again forgets the flows before") {
  const std::vector<LinkParts> one{{0, parts_of(1)}};
  const std::vector<LinkParts> both{{0, parts_of(1)}, {1, parts_of(0.5)}};
  LinkSharing sharing;
  CHECK(sharing.add_link(10) == 0);
  CHECK(sharing.add_link(2) == 1);
  sharing.add(one, kNoLimit);
  sharing.add(both, kNoLimit);
  CHECK(sharing.rates() == std::vector<double>{6, 4});
  sharing.clear_flows();
  sharing.add(both, kNoLimit);
  CHECK(sharing.rates() == std::vector<double>{4});
  sharing.clear();
  CHECK(sharing.add_link(3) == 0);
  sharing.add(one, kNoLimit);
  CHECK(sharing.rates() == std::vector<double>{3});
}

TEST_CASE("a lone flow gets the narrowest of its links, or its limit") {
  CHECK(rates({10, 4}, {{{{0, 1}, {1, 1}}}}) == std::vector<double>{4});
  CHECK(rates({10, 4}, {{{{0, 1}, {1, 0.25}}}}) == std::vector<double>{10});  // 4 / 0.25 = 16
  CHECK(rates({10, 4}, {{{{0, 1}, {1, 1}}, 3}}) == std::vector<double>{3});
  CHECK(rates({}, {{{}, 7}}) == std::vector<double>{7});
  CHECK(rates({}, {}).empty());
}

TEST_CASE("equal flows share a link equally") {
  CHECK(rates({12}, {{{{0, 1}}}, {{{0, 1}}}, {{{0, 1}}}}) == std::vector<double>{4, 4, 4});
}

TEST_CASE("what a limited flow leaves goes to the others") {
  // 12 for three, one of which takes at most 2: (12 - 2) / 2 = 5 for each other.
  CHECK(rates({12}, {{{{0, 1}}, 2}, {{{0, 1}}}, {{{0, 1}}}}) == std::vector<double>{2, 5, 5});
}

TEST_CASE("the classic line of three links: one long flow against a short one on each link") {
  // Capacities 10, 6, 8. The long flow L shares every link with one short flow.
  // All rise together to 3: link 1 is full (L and B: 3 + 3 = 6), so L = B = 3.
  // A then has link 0 less L: 10 - 3 = 7. C has link 2 less L: 8 - 3 = 5.
  const Flow whole{{{0, 1}, {1, 1}, {2, 1}}};
  CHECK(rates({10, 6, 8}, {whole, {{{0, 1}}}, {{{1, 1}}}, {{{2, 1}}}}) ==
        std::vector<double>{3, 7, 3, 5});
}

TEST_CASE("a flow that spreads over two links takes a share of each") {
  // Flow S puts half of its rate on link 0 (capacity 6) and half on link 1 (capacity 10); A is on
  // link 0, B on link 1. At level 4 link 0 carries 4 / 2 + 4 = 6: full, S = A = 4.
  // B gets the rest of link 1: 10 - 4 / 2 = 8.
  CHECK(rates({6, 10}, {{{{0, 0.5}, {1, 0.5}}}, {{{0, 1}}}, {{{1, 1}}}}) ==
        std::vector<double>{4, 4, 8});
}

TEST_CASE("two bottlenecks fill one after the other") {
  // Link 0 (4) has A, B; link 1 (9) has B, C, D. Level 2 fills link 0: A = B = 2.
  // Link 1 has 9 - 2 = 7 left for C and D: 3.5 each.
  CHECK(rates({4, 9}, {{{{0, 1}}}, {{{0, 1}, {1, 1}}}, {{{1, 1}}}, {{{1, 1}}}}) ==
        std::vector<double>{2, 2, 3.5, 3.5});
}

TEST_CASE("a link that a flow crosses twice counts twice") {
  CHECK(rates({12}, {{{{0, 1}, {0, 1}}}, {{{0, 1}}}}) == std::vector<double>{4, 4});
}

TEST_CASE("a link without capacity gives nothing, and only to those who use it") {
  CHECK(rates({0, 5}, {{{{0, 1}}}, {{{1, 1}}}}) == std::vector<double>{0, 5});
}

TEST_CASE(
    "no link carries more than its capacity, and each flow is held by its limit or a full "
    "link on which nobody has more") {
  std::mt19937 random(20240602);
  for (int round = 0; round < 5000; ++round) {
    CAPTURE(round);
    const Case c = some_case(random);
    const std::vector<double> rate = rates(c.capacities, c.flows);
    const std::vector<double> load = loads(c, rate);
    for (std::size_t link = 0; link < load.size(); ++link) {
      REQUIRE(load[link] <= c.capacities[link] * (1 + 1e-12));
    }
    for (std::size_t i = 0; i < rate.size(); ++i) {
      REQUIRE(rate[i] <= c.flows[i].limit);
      REQUIRE((rate[i] == c.flows[i].limit || held_by_a_link(c, rate, i)));
    }
  }
}

TEST_CASE("the order of the flows makes no difference at all") {
  std::mt19937 random(20240603);
  for (int round = 0; round < 3000; ++round) {
    const Case c = some_case(random);
    std::vector<std::size_t> order(c.flows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), random);
    std::vector<Flow> shuffled;
    for (const std::size_t i : order) shuffled.push_back(c.flows[i]);
    const std::vector<double> straight = rates(c.capacities, c.flows);
    const std::vector<double> mixed = rates(c.capacities, shuffled);
    for (std::size_t i = 0; i < order.size(); ++i) REQUIRE(mixed[i] == straight[order[i]]);
  }
}

TEST_CASE("n equal flows get exactly what one flow with n-fold shares gets") {
  std::mt19937 random(20240604);
  for (int round = 0; round < 3000; ++round) {
    Case folded = some_case(random);
    Case unfolded = folded;
    unfolded.flows.clear();
    std::vector<std::size_t> source;
    for (std::size_t i = 0; i < folded.flows.size(); ++i) {
      const auto copies = static_cast<int>(1 + random() % 200);
      for (int copy = 0; copy < copies; ++copy) {
        unfolded.flows.push_back(folded.flows[i]);
        source.push_back(i);
      }
      for (LinkShare& use : folded.flows[i].links) use.share *= copies;
    }
    const std::vector<double> few = rates(folded.capacities, folded.flows);
    const std::vector<double> many = rates(unfolded.capacities, unfolded.flows);
    for (std::size_t i = 0; i < many.size(); ++i) REQUIRE(many[i] == few[source[i]]);
  }
}

TEST_CASE("twice the capacities and limits are exactly twice the rates") {
  std::mt19937 random(20240605);
  for (int round = 0; round < 3000; ++round) {
    Case c = some_case(random);
    const std::vector<double> once = rates(c.capacities, c.flows);
    for (double& capacity : c.capacities) capacity *= 2;
    for (Flow& flow : c.flows) flow.limit *= 2;
    const std::vector<double> twice = rates(c.capacities, c.flows);
    for (std::size_t i = 0; i < once.size(); ++i) REQUIRE(twice[i] == 2 * once[i]);
  }
}

TEST_CASE("one more flow on a link never gives the others more") {
  std::mt19937 random(20240606);
  for (int round = 0; round < 1000; ++round) {
    Case c = some_case(random);
    c.capacities.resize(1);
    for (Flow& flow : c.flows) flow.links = {{0, 1}};
    const std::vector<double> all = rates(c.capacities, c.flows);
    c.flows.pop_back();
    const std::vector<double> fewer = rates(c.capacities, c.flows);
    for (std::size_t i = 0; i < fewer.size(); ++i) REQUIRE(all[i] <= fewer[i] * (1 + 1e-12));
  }
}

}  // namespace simtrain::testing::link_sharing_test
