#include "sim/collectives/libraries/nccl/nccl_settings.h"

namespace simtrain {
namespace {

template <class T>
std::optional<T> value_of(const std::optional<Sourced<T>>& setting) {
  if (!setting) return std::nullopt;
  return setting->value;
}

}  // namespace

NcclSettings usual_nccl(const NcclVersion& version) {
  NcclSettings settings;
  settings.version.value = version;
  settings.nvls.value = true;
  settings.p2p_net_chunk.value = Bytes(128 << 10);
  return settings;
}

NcclOverrides overrides_of(const NcclSettings& settings) {
  NcclOverrides overrides;
  overrides.version = settings.version.value;
  overrides.nvls = settings.nvls.value;
  overrides.collnet = value_of(settings.collnet);
  overrides.algo = value_of(settings.algo);
  overrides.proto = value_of(settings.proto);
  overrides.min_channels = value_of(settings.min_channels);
  overrides.max_channels = value_of(settings.max_channels);
  overrides.p2p_net_chunk = settings.p2p_net_chunk.value;
  overrides.p2p_channels_per_peer = value_of(settings.p2p_channels_per_peer);
  return overrides;
}

NcclSettings with_overrides(NcclSettings settings, const NcclOverrides& overrides,
                            const std::string& source) {
  const auto change = [&](auto& setting, const auto& value) {
    if (value) setting = {*value, source};
  };
  change(settings.version, overrides.version);
  change(settings.nvls, overrides.nvls);
  change(settings.collnet, overrides.collnet);
  change(settings.algo, overrides.algo);
  change(settings.proto, overrides.proto);
  change(settings.min_channels, overrides.min_channels);
  change(settings.max_channels, overrides.max_channels);
  change(settings.p2p_net_chunk, overrides.p2p_net_chunk);
  change(settings.p2p_channels_per_peer, overrides.p2p_channels_per_peer);
  return settings;
}

}  // namespace simtrain
