#pragma once

#include "sim/collectives/libraries/nccl/nccl_settings.h"
#include "sim/core/input/yaml_reader.h"

namespace simtrain {

template <>
struct Fields<NcclSettings> {
  template <class Visitor>
  static void visit(Visitor& v, NcclSettings& settings) {
    constexpr Limits kChannels{1, 64};
    v("version", settings.version);
    v("nvls", settings.nvls);
    v.optional("collnet", settings.collnet);
    v.optional("algo", settings.algo);
    v.optional("proto", settings.proto);
    v.optional("min_channels", settings.min_channels, kChannels);
    v.optional("max_channels", settings.max_channels, kChannels);
    v("p2p_net_chunk", settings.p2p_net_chunk);
    v.optional("p2p_channels_per_peer", settings.p2p_channels_per_peer, kChannels);
  }
};

template <>
struct Fields<NcclOverrides> {
  template <class Visitor>
  static void visit(Visitor& v, NcclOverrides& overrides) {
    constexpr Limits kChannels{1, 64};
    v.optional("version", overrides.version);
    v.optional("nvls", overrides.nvls);
    v.optional("collnet", overrides.collnet);
    v.optional("algo", overrides.algo);
    v.optional("proto", overrides.proto);
    v.optional("min_channels", overrides.min_channels, kChannels);
    v.optional("max_channels", overrides.max_channels, kChannels);
    v.optional("p2p_net_chunk", overrides.p2p_net_chunk);
    v.optional("p2p_channels_per_peer", overrides.p2p_channels_per_peer, kChannels);
  }
};

}  // namespace simtrain
