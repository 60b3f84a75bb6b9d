// share_links against SimGrid's max-min solver on random cases.
//
// SimGrid's solver is reached through its public interface: flows of network model CM02 without
// latency, windows or cross traffic, started together; what each has moved after one second is its
// rate. A link of share m/n is a link of n times the capacity that the flow's route crosses m
// times. The limit of a flow is a link of its own.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "sim/topology/link_sharing.h"

namespace simtrain::testing {
namespace {

namespace s4u = simgrid::s4u;

constexpr int kCases = 1000;         // SimGrid takes the square of them
constexpr double kFlowBytes = 1e11;  // more than any flow moves in its second

struct Use {
  int link;
  int parts;  ///< of the link's own
};

struct Flow {
  std::vector<Use> uses;
  double limit = std::numeric_limits<double>::infinity();
};

struct SharedLink {
  double capacity;
  int parts;
};

struct Case {
  std::vector<SharedLink> links;
  std::vector<Flow> flows;
};

Case some_case(std::mt19937_64& random) {
  constexpr std::array kParts{1, 1, 1, 2, 3, 4, 8, 9, 16, 18};
  const auto rate = [&] { return 1e6 * static_cast<double>(1 + random() % 1000); };
  Case result;
  for (std::size_t links = 1 + random() % 8; links > 0; --links) {
    result.links.push_back({random() % 3 == 0 ? 5e8 : rate(), kParts[random() % kParts.size()]});
  }
  for (std::size_t flows = 1 + random() % 12; flows > 0; --flows) {
    Flow flow;
    for (std::size_t link = 0; link < result.links.size(); ++link) {
      const auto parts = static_cast<std::uint64_t>(result.links[link].parts);
      if (random() % 2 == 0)
        flow.uses.push_back({static_cast<int>(link), static_cast<int>(1 + random() % parts)});
    }
    if (random() % 2 == 0 || flow.uses.empty()) flow.limit = rate();
    result.flows.push_back(std::move(flow));
  }
  return result;
}

std::vector<double> our_rates(const Case& c) {
  std::vector<double> capacities;
  for (const SharedLink& link : c.links) capacities.push_back(link.capacity);
  std::vector<std::vector<LinkShare>> shares;
  for (const Flow& flow : c.flows) {
    auto& links = shares.emplace_back();
    for (const Use& use : flow.uses) {
      const int whole = c.links[static_cast<std::size_t>(use.link)].parts;
      links.push_back({use.link, static_cast<double>(use.parts) / whole});
    }
  }
  std::vector<SharedFlow> flows;
  for (std::size_t i = 0; i < shares.size(); ++i) flows.push_back({&shares[i], c.flows[i].limit});
  return share_links(capacities, flows);
}

using Ends = std::pair<s4u::Host*, s4u::Host*>;

/// Puts one case into SimGrid's platform, in a zone of its own; the ends of its flows.
std::vector<Ends> build(const Case& c, const std::string& name, s4u::NetZone* root) {
  s4u::NetZone* zone = s4u::create_full_zone(name);
  zone->set_parent(root);
  std::vector<s4u::Link*> links;
  const auto add_link = [&](double capacity) {
    return zone->create_link(name + "_" + std::to_string(links.size()), capacity)
        ->set_latency(0)
        ->seal();
  };
  for (const SharedLink& link : c.links) links.push_back(add_link(link.capacity * link.parts));
  std::vector<Ends> ends;
  for (const Flow& flow : c.flows) {
    std::vector<s4u::LinkInRoute> route;
    for (const Use& use : flow.uses) {
      for (int i = 0; i < use.parts; ++i)
        route.emplace_back(links[static_cast<std::size_t>(use.link)]);
    }
    if (std::isfinite(flow.limit)) {
      links.push_back(add_link(flow.limit));
      route.emplace_back(links.back());
    }
    const std::string host = name + "_" + std::to_string(ends.size());
    ends.emplace_back(zone->create_host(host + "_from", 1e9)->seal(),
                      zone->create_host(host + "_to", 1e9)->seal());
    zone->add_route(ends.back().first->get_netpoint(), ends.back().second->get_netpoint(), nullptr,
                    nullptr, route, false);
  }
  zone->seal();
  return ends;
}

/// The rates of flows that run together; called in an actor.
std::vector<double> measured_rates(const std::vector<Ends>& ends) {
  std::vector<s4u::CommPtr> flows;
  for (const auto& [from, to] : ends) {
    flows.push_back(s4u::Comm::sendto_init());
    flows.back()->set_payload_size(static_cast<std::uint64_t>(kFlowBytes));
    flows.back()->set_source(from);
    flows.back()->set_destination(to);  // starts it
  }
  s4u::this_actor::sleep_for(1);
  std::vector<double> rates;
  for (const s4u::CommPtr& flow : flows) rates.push_back(kFlowBytes - flow->get_remaining());
  for (const s4u::CommPtr& flow : flows) flow->cancel();
  return rates;
}

std::vector<std::vector<double>> simgrid_rates(const std::vector<Case>& cases) {
  std::vector<std::string> words{"share_links_test", "--log=root.thresh:warning",
                                 "--cfg=contexts/factory:thread", "--cfg=network/model:CM02"};
  for (const char* setting :
       {"network/crosstraffic:0", "network/TCP-gamma:0", "network/weight-S:0",
        "network/bandwidth-factor:1", "network/latency-factor:1", "maxmin/precision:1e-14"}) {
    words.push_back(std::string("--cfg=") + setting);
  }
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  int count = static_cast<int>(arguments.size());
  s4u::Engine engine(&count, arguments.data());
  s4u::NetZone* root = s4u::create_full_zone("root");
  std::vector<std::vector<Ends>> ends;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    ends.push_back(build(cases[i], "case" + std::to_string(i), root));
  }
  root->seal();
  std::vector<std::vector<double>> rates;
  s4u::Actor::create("measure", ends.front().front().first, [&] {
    for (const std::vector<Ends>& one : ends) rates.push_back(measured_rates(one));
  });
  engine.run();
  return rates;
}

TEST_CASE("share_links gives the rates that SimGrid's max-min solver gives") {
  std::mt19937_64 random(20240607);
  std::vector<Case> cases;
  for (int i = 0; i < kCases; ++i) cases.push_back(some_case(random));
  const std::vector<std::vector<double>> theirs = simgrid_rates(cases);
  REQUIRE(theirs.size() == cases.size());
  double largest = 0;
  std::size_t flows = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    CAPTURE(i);
    const std::vector<double> ours = our_rates(cases[i]);
    REQUIRE(ours.size() == theirs[i].size());
    for (std::size_t k = 0; k < ours.size(); ++k) {
      CAPTURE(k);
      REQUIRE(theirs[i][k] > 0);
      const double difference = std::abs(ours[k] / theirs[i][k] - 1);
      largest = std::max(largest, difference);
      CHECK(difference <= 1e-9);
      ++flows;
    }
  }
  MESSAGE(flows, " flows of ", cases.size(), " cases, largest relative difference ", largest);
}

}  // namespace
}  // namespace simtrain::testing
