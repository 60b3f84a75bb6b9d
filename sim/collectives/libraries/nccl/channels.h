#pragma once

#include "sim/collectives/algorithm.h"
#include "sim/collectives/libraries/nccl/nccl_settings.h"

namespace simtrain {

/// What a collective's time depends on beside the call itself.
struct NcclEnvironment {
  const ClusterSpec& cluster;
  const NcclSettings& settings;
};

/// What NCCL's graph search ends with for one pattern: how many channels, and the bandwidth that it
/// counts for each, in GB/s.
struct ChannelGraph {
  int channels = 0;
  double bandwidth = 0;
  [[nodiscard]] double total() const { return channels * bandwidth; }
};

/// Rings, and trees, which NCCL lays over as many channels. Inside one NVLink domain the fastest
/// speed of its list of which the GPU's links carry most; between domains one ring a NIC, at most
/// the NIC's rate. Channels are then doubled as NCCL does (src/graph/search.cc, connect.cc) and
/// held within NCCL_MIN_NCHANNELS and NCCL_MAX_NCHANNELS.
ChannelGraph ring_graph(const GroupLayout& layout, const NcclEnvironment& environment);

/// NVLS: one head for every rank of a domain; NCCL counts a head's share of the GPU's links.
/// `channels` is the number of kernels' CTAs (src/transport/nvls.cc), `bandwidth` that of a head.
ChannelGraph nvls_graph(const GroupLayout& layout, const NcclEnvironment& environment);

/// Ranks of a domain that each own a part of an NVLS buffer: at most 8, or 32 from 2.26 on inside
/// one domain. Over domains 8, each with its NIC: all-reduces over 2 and 20 racks of GB200 move the
/// 400 GB/s of 8 NICs a rack.
int nvls_heads(const GroupLayout& layout, const NcclSettings& settings);

/// Channels of one send and receive between NVLink peers, given the ranks of the communicator: all
/// its channels spread over them at first, doubled while a part is more than 16 MiB.
int nvlink_pair_channels(const ClusterSpec& cluster, int ranks, Bytes bytes);

/// The same between NICs (src/init.cc): 2, halved for large communicators; from 2.29 on by the rate
/// of the NIC. NCCL_NCHANNELS_PER_NET_PEER goes before it. A message starts on its share of 32
/// channels and takes twice as many while a part is more than two chunks.
int network_pair_channels(const NcclEnvironment& environment, int ranks, Bytes bytes);

}  // namespace simtrain
