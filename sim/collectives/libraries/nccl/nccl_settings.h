#pragma once

#include <optional>
#include <vector>

#include "sim/collectives/libraries/nccl/nccl_version.h"
#include "sim/collectives/names.h"
#include "sim/core/fields.h"
#include "sim/core/quantity.h"
#include "sim/core/sourced.h"

namespace simtrain {

/// How a software stack builds and configures NCCL: the `nccl` map of
/// `hardware/software/NAME.yaml`. What is not set is left to NCCL's own choice.
struct NcclSettings {
  Sourced<NcclVersion> version;
  Sourced<bool> nvls;                                   ///< NCCL_NVLS_ENABLE
  std::optional<Sourced<bool>> collnet;                 ///< NCCL_COLLNET_ENABLE; needs SHARP
  std::optional<Sourced<std::vector<Algorithm>>> algo;  ///< NCCL_ALGO: only these
  std::optional<Sourced<std::vector<Protocol>>> proto;  ///< NCCL_PROTO: only these
  std::optional<Sourced<int>> min_channels;             ///< NCCL_MIN_NCHANNELS, NCCL_MIN_CTAS
  std::optional<Sourced<int>> max_channels;             ///< NCCL_MAX_NCHANNELS, NCCL_MAX_CTAS
  Sourced<Bytes> p2p_net_chunk;                         ///< NCCL_P2P_NET_CHUNKSIZE
  std::optional<Sourced<int>> p2p_channels_per_peer;    ///< NCCL_NCHANNELS_PER_NET_PEER
};
template <>
struct Fields<NcclSettings>;

/// The release of the time of this program; recipes and logs name their own.
inline constexpr NcclVersion kUsualNccl{2, 27, 3};

/// An NCCL release as it comes: NVLS on, network chunks of 128 KiB, the rest its own choice.
NcclSettings usual_nccl(const NcclVersion& version);

/// What a scenario's own `nccl` map, or the options of a command, change of a software stack's.
struct NcclOverrides {
  std::optional<NcclVersion> version;
  std::optional<bool> nvls;
  std::optional<bool> collnet;
  std::optional<std::vector<Algorithm>> algo;
  std::optional<std::vector<Protocol>> proto;
  std::optional<int> min_channels;
  std::optional<int> max_channels;
  std::optional<Bytes> p2p_net_chunk;
  std::optional<int> p2p_channels_per_peer;
};
template <>
struct Fields<NcclOverrides>;

/// The overrides that give these settings, whatever they are laid over.
NcclOverrides overrides_of(const NcclSettings& settings);

/// The settings with the overrides over them; the source of a changed value is `source`.
NcclSettings with_overrides(NcclSettings settings, const NcclOverrides& overrides,
                            const std::string& source);

}  // namespace simtrain
