#include "sim/collectives/libraries/nccl/nccl_settings.h"

namespace simtrain {

NcclSettings untold_nccl(const NcclVersion& version) {
  NcclSettings settings;
  settings.version.value = version;
  settings.nvls.value = true;
  settings.p2p_net_chunk.value = Bytes(128 << 10);
  return settings;
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
