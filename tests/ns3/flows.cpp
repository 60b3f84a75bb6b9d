#include "tests/ns3/flows.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "sim/run/engine/executor.h"
#include "tests/run/plans.h"

namespace simtrain::testing {
namespace {

constexpr double kBytesPerGbit = 1e9 / 8;

/// The links from one node to another: 2 * wire, and one more against its direction.
bool find_way(const Network& network, int from, int to, std::vector<int>& links) {
  if (from == to) return true;
  for (std::size_t i = 0; i < network.wires.size(); ++i) {
    const Wire& wire = network.wires[i];
    if (from != wire.from && from != wire.to) continue;
    const bool against = from == wire.to;
    const int link = 2 * static_cast<int>(i) + (against ? 1 : 0);
    if (!links.empty() && links.back() / 2 == link / 2) continue;  // where it came from
    links.push_back(link);
    if (find_way(network, against ? wire.from : wire.to, to, links)) return true;
    links.pop_back();
  }
  return false;
}

/// The last packet is stored and forwarded by each switch of the way.
Duration latency(const Network& network, const std::vector<int>& way) {
  Duration sum{};
  for (std::size_t i = 0; i < way.size(); ++i) {
    const Wire& wire = network.wires[static_cast<std::size_t>(way[i] / 2)];
    sum += kWireDelay;
    if (i > 0) sum += to_duration(kPacketBytes / (wire.gbit * kBytesPerGbit));
  }
  return sum;
}

}  // namespace

SendTimes flow_times(const TrafficCase& one) {
  HandMade made;
  for (const Wire& wire : one.network.wires) {
    for (int direction = 0; direction < 2; ++direction)
      made.link(wire.gbit * kBytesPerGbit * kPayloadBytes / kPacketBytes);
  }
  constexpr double kNoLimit = 1e15;
  std::vector<std::vector<std::uint32_t>> sends;  // ops, by traffic and step
  for (const Traffic& traffic : one.traffic) {
    std::map<int, double> taken;  // by link, times the traffic's rate
    Duration longest{};
    for (std::size_t i = 0; i < traffic.connections(); ++i) {
      std::vector<int> way;
      find_way(one.network, traffic.hosts[i], traffic.hosts[traffic.after(i)], way);
      for (const int link : way) taken[link] += 1;
      longest = std::max(longest, latency(one.network, way));
    }
    std::vector<LinkShare> links;
    for (const auto& [link, share] : taken) links.push_back({link, share});
    const std::uint32_t rank = made.rank();
    made.group(GroupKind::data, {rank}, links);
    std::uint32_t before = made.compute(rank, traffic.start);
    auto& ops = sends.emplace_back();
    for (int step = 0; step < traffic.steps; ++step) {
      before = made.compute(rank, traffic.computes, {before});
      before = made.transfer(rank, Stream::data, GroupKind::data,
                             HandMade::bytes(traffic.bytes, kNoLimit, longest), {before});
      ops.push_back(before);
    }
  }
  const Timeline timeline = execute(made.plan);
  SendTimes times;
  for (std::uint32_t rank = 0; rank < sends.size(); ++rank) {
    auto& own = times.emplace_back();
    for (const std::uint32_t op : sends[rank]) {
      const Span& span = timeline.span(rank, op);
      own.push_back(to_seconds(span.end - span.start));
    }
  }
  return times;
}

}  // namespace simtrain::testing
