#pragma once

#include <string>

namespace simtrain {

struct YamlNode;

/// An NCCL release, `2.25.1`: what its tuning tables and channel rules depend on.
struct NcclVersion {
  int major = 2;
  int minor = 0;
  int patch = 0;
  /// As NCCL_VERSION counts: 22501 for 2.25.1.
  [[nodiscard]] constexpr int code() const { return major * 10000 + minor * 100 + patch; }
  friend constexpr bool operator==(const NcclVersion&, const NcclVersion&) = default;
  friend constexpr bool operator<(NcclVersion a, NcclVersion b) { return a.code() < b.code(); }
  friend constexpr bool operator>=(NcclVersion a, NcclVersion b) { return a.code() >= b.code(); }
  [[nodiscard]] std::string text() const;
};

/// Reads `2.25.1` or `2.25`; throws InputError at anything else and at releases whose rules are not
/// carried here (before 2.18, or not major version 2).
void scalar_quantity(const YamlNode& node, const std::string& key, NcclVersion& version);

}  // namespace simtrain
