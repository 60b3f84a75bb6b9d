#pragma once

#include <string>

#include "sim/core/yaml_reader.h"

namespace simtrain {

/// How NCCL is built and told to behave by a software stack.
struct NcclSettings {
  Sourced<std::string> version;
  Sourced<bool> nvls;                  ///< NCCL_NVLS_ENABLE
  Sourced<Bytes> p2p_net_chunk;        ///< NCCL_P2P_NET_CHUNKSIZE
  Sourced<int> p2p_channels_per_peer;  ///< channels of a send/receive pair over the network
  template <class Visitor>
  void fields(Visitor& v) {
    v("version", version);
    v("nvls", nvls);
    v("p2p_net_chunk", p2p_net_chunk);
    v("p2p_channels_per_peer", p2p_channels_per_peer, Limits{1, 64});
  }
};

}  // namespace simtrain
