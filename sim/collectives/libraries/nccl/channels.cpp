#include "sim/collectives/libraries/nccl/channels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace simtrain {
namespace {

// Speeds that the search tries, in GB/s: NVIDIA/nccl src/graph/search.cc.
constexpr std::array kAmpereInside{40.0, 30.0, 20.0, 18.0, 15.0, 12.0, 10.0, 9.0, 7.0, 6.0, 5.0};
constexpr std::array kAmpereBetween{48.0, 30.0, 28.0, 24.0, 20.0, 18.0, 15.0, 12.0,
                                    10.0, 9.0,  7.0,  6.0,  5.0,  4.0,  3.0};
constexpr std::array kHopperInside{60.0, 50.0, 40.0, 30.0, 24.0, 20.0, 15.0, 12.0, 11.0, 6.0, 3.0};
constexpr std::array kHopperBetween{48.0, 45.0, 42.0, 40.0, 30.0, 24.0, 22.0,
                                    20.0, 17.5, 15.0, 12.0, 6.0,  3.0};
constexpr std::array kBlackwellInside{90.0, 80.0, 70.0, 60.0, 50.0, 40.0,
                                      30.0, 24.0, 20.0, 19.0, 18.0};
constexpr std::array kBlackwellBetween{96.0, 48.0, 45.1, 42.0, 40.0, 30.0, 24.0,
                                       22.0, 20.0, 17.5, 15.0, 12.0, 6.0,  3.0};

std::span<const double> speeds(Architecture architecture, bool between) {
  switch (architecture) {
    case Architecture::ampere:
    case Architecture::ada:
      return between ? std::span<const double>(kAmpereBetween) : kAmpereInside;
    case Architecture::hopper:
      return between ? std::span<const double>(kHopperBetween) : kHopperInside;
    case Architecture::blackwell:
      return between ? std::span<const double>(kBlackwellBetween) : kBlackwellInside;
    case Architecture::cdna2:
    case Architecture::cdna3:
    case Architecture::cdna4:
      break;
  }
  return kHopperInside;
}

/// The fastest speed of the list that is not more than `most`, or the slowest.
double fitting_speed(std::span<const double> list, double most) {
  for (const double speed : list) {
    if (speed <= most) return speed;
  }
  return list.back();
}

int most_channels(const NcclSettings& settings) {
  return settings.version.value >= NcclVersion{2, 26, 0} ? 64 : 32;
}

ChannelGraph within_limits(ChannelGraph graph, const NcclSettings& settings) {
  const double total = graph.total();
  int most = most_channels(settings);
  if (settings.max_channels) most = std::min(most, settings.max_channels->value);
  const int least = settings.min_channels ? std::min(settings.min_channels->value, most) : 1;
  const int found = graph.channels;
  graph.channels = std::clamp(found, least, most);
  if (graph.channels > found) graph.bandwidth = total / graph.channels;
  return graph;
}

/// Channels at less than full speed are cheap to double: they share what the search found.
ChannelGraph doubled(ChannelGraph graph) { return {graph.channels * 2, graph.bandwidth / 2}; }

/// That all sends of a communicator share (NVIDIA/nccl src/init.cc).
constexpr int kNetworkChannels = 32;

/// Channels that NCCL lets a pair have between NICs.
int most_network_channels(const NcclEnvironment& environment, int ranks) {
  const NcclSettings& settings = environment.settings;
  if (settings.p2p_channels_per_peer) return settings.p2p_channels_per_peer->value;
  const NcclVersion version = settings.version.value;
  if (version < NcclVersion{2, 20, 0}) return 2;
  if (version < NcclVersion{2, 29, 0}) return 2 * ranks > 4 * kNetworkChannels ? 1 : 2;
  const double nic = environment.cluster.node.nic_bandwidth.value.value() / 1e9;
  int channels = static_cast<int>(std::ceil(nic / 14));
  while (channels > 1 && channels * ((ranks + 7) / 8) > kNetworkChannels) channels /= 2;
  return channels;
}

}  // namespace

ChannelGraph ring_graph(const GroupLayout& layout, const NcclEnvironment& environment) {
  const ClusterSpec& cluster = environment.cluster;
  const Architecture architecture = cluster.gpu.architecture;
  const double links = cluster.gpu.nccl.graph_bandwidth.value.value() / 1e9;
  const bool between = layout.domains > 1;
  ChannelGraph graph;
  if (between) {
    const double nic = 0.96 * cluster.node.nic_bandwidth.value.value() / 1e9;
    graph.bandwidth = fitting_speed(speeds(architecture, true), nic);
    graph.channels = std::max(1, static_cast<int>(layout.ranks_per_domain()));
    graph.channels = std::min(graph.channels, most_channels(environment.settings));
  } else {
    constexpr double kEnough = 0.9;  // of the links, for a speed to be taken
    for (const double speed : speeds(architecture, false)) {
      graph = {std::max(1, static_cast<int>(links / speed)), speed};
      if (graph.total() >= kEnough * links) break;
    }
  }
  const bool few =
      architecture == Architecture::ampere || graph.bandwidth >= 50 || graph.channels <= 4;
  if (graph.bandwidth >= 25 && few) graph = doubled(graph);
  graph = doubled(graph);
  return within_limits(graph, environment.settings);
}

int nvls_heads(const GroupLayout& layout, const NcclSettings& settings) {
  const bool many = layout.domains == 1 && settings.version.value >= NcclVersion{2, 26, 0};
  const int most = many ? 32 : 8;
  return std::clamp(static_cast<int>(layout.ranks_per_domain()), 1, most);
}

ChannelGraph nvls_graph(const GroupLayout& layout, const NcclEnvironment& environment) {
  const GpuSpec& gpu = environment.cluster.gpu;
  const int heads = nvls_heads(layout, environment.settings);
  const double links = gpu.nccl.graph_bandwidth.value.value() / 1e9;
  ChannelGraph graph;
  graph.bandwidth = fitting_speed(speeds(gpu.architecture, false), links / heads);
  const NcclVersion version = environment.settings.version.value;
  graph.channels = gpu.architecture != Architecture::blackwell             ? 16
                   : version < NcclVersion{2, 27, 0} || layout.domains > 1 ? 32
                                                                           : 24;
  if (environment.settings.max_channels)
    graph.channels = std::min(graph.channels, environment.settings.max_channels->value);
  return graph;
}

int nvlink_pair_channels(const ClusterSpec& cluster, int ranks, Bytes bytes) {
  constexpr double kPart = 16.0 * (1 << 20);
  const NcclGpuSpec& nccl = cluster.gpu.nccl;
  const int most = nccl.pair_channels.value;
  int channels = std::clamp(nccl.p2p_channels.value / std::max(2, ranks), 1, most);
  while (channels<most&& static_cast<double>(bytes.value()) / channels> kPart)
    channels = std::min(channels * 2, most);
  return channels;
}

int network_pair_channels(const NcclEnvironment& environment, int ranks, Bytes bytes) {
  const int most = most_network_channels(environment, ranks);
  const auto chunk = static_cast<double>(environment.settings.p2p_net_chunk.value.value());
  int channels = most;
  while (channels > 1 && channels * ranks > kNetworkChannels) channels /= 2;
  while (channels<most&& static_cast<double>(bytes.value()) / channels> 2 * chunk)
    channels = std::min(channels * 2, most);
  return channels;
}

}  // namespace simtrain
