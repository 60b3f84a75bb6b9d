#include "sim/collectives/libraries/nccl/nccl_settings.h"

#include <doctest/doctest.h>

#include "sim/collectives/libraries/nccl/nccl_fields.h"
#include "tests/core/error_of.h"

namespace simtrain::testing::nccl_settings_test {

namespace {

constexpr const char* kStack =
    "version: {value: 2.25.1, source: log}\n"
    "nvls: {value: true, source: default}\n"
    "p2p_net_chunk: {value: 128 KiB, source: default}\n";

NcclSettings settings(const std::string& more = "") {
  return read_yaml<NcclSettings>(load_yaml_text(kStack + more, "a.yaml"), "nccl");
}

NcclOverrides overrides(const std::string& text) {
  return read_yaml<NcclOverrides>(load_yaml_text(text, "b.yaml"), "nccl");
}

}  // namespace

TEST_CASE("what a stack does not set is left to NCCL") {
  const NcclSettings read = settings();
  CHECK(read.version.value == NcclVersion{2, 25, 1});
  CHECK(read.version.source == "log");
  CHECK(read.p2p_net_chunk.value == Bytes(131'072));
  CHECK(!read.collnet);
  CHECK(!read.algo);
  CHECK(!read.proto);
  CHECK(!read.min_channels);
  CHECK(!read.max_channels);
  CHECK(!read.p2p_channels_per_peer);
}

TEST_CASE("an override changes what it names, under its own source, and nothing else") {
  const NcclSettings changed =
      with_overrides(settings("max_channels: {value: 16, source: recipe}\n"),
                     overrides("nvls: false\nalgo: [ring, nvls-tree]\nproto: [ll128]\n"
                               "collnet: true\nmin_channels: 4\np2p_channels_per_peer: 2\n"),
                     "what if");
  CHECK(!changed.nvls.value);
  CHECK(changed.nvls.source == "what if");
  CHECK(changed.algo.value().value == std::vector{Algorithm::ring, Algorithm::nvls_tree});
  CHECK(changed.proto.value().value == std::vector{Protocol::ll128});
  CHECK(changed.collnet.value().value);
  CHECK(changed.min_channels.value().value == 4);
  CHECK(changed.min_channels.value().source == "what if");
  CHECK(changed.p2p_channels_per_peer.value().value == 2);
  CHECK(changed.version.value == NcclVersion{2, 25, 1});
  CHECK(changed.version.source == "log");
  CHECK(changed.max_channels.value().value == 16);
  CHECK(changed.max_channels.value().source == "recipe");
  CHECK(changed.p2p_net_chunk.source == "default");
}

TEST_CASE("an override of the version and the chunk") {
  const NcclSettings changed =
      with_overrides(settings(), overrides("version: 2.29.2\np2p_net_chunk: 2 MiB\n"), "what if");
  CHECK(changed.version.value == NcclVersion{2, 29, 2});
  CHECK(changed.p2p_net_chunk.value == Bytes(2 << 20));
}

TEST_CASE("no override leaves all as it was") {
  const NcclSettings same = with_overrides(settings(), {}, "what if");
  CHECK(same.version.source == "log");
  CHECK(same.nvls.value);
  CHECK(!same.algo);
}

TEST_CASE("wrong settings are refused at their place") {
  CHECK(error_of([] { overrides("algo: [rign]\n"); }) ==
        "b.yaml:1:8: nccl.algo[0]: 'rign' is not known here; did you mean 'ring'?");
  CHECK(error_of([] { overrides("max_channels: 65\n"); }) ==
        "b.yaml:1:15: nccl.max_channels: '65' is out of range; 1 to 64 would do");
  CHECK(error_of([] { overrides("min_channels: 0\n"); }) ==
        "b.yaml:1:15: nccl.min_channels: '0' is out of range; 1 to 64 would do");
  CHECK(error_of([] { overrides("version: 2.17\n"); }).starts_with("b.yaml:1:10: nccl.version: "));
}

}  // namespace simtrain::testing::nccl_settings_test
