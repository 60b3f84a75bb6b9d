#include "sim/collectives/libraries/library_maps.h"

#include <doctest/doctest.h>

#include "sim/collectives/libraries/nccl/nccl_library.h"
#include "tests/collectives/fixed_ring.h"

namespace simtrain::testing::library_maps_test {

TEST_CASE("overrides change the settings of their library and name their source") {
  LibraryOverrides overrides;
  overrides.nccl.nvls = false;
  const CommunicationLibrary changed =
      with_overrides(usual_library(nccl_row()), overrides, "scenario");
  const NcclSettings* nccl = nccl_settings_of(changed);
  REQUIRE(nccl != nullptr);
  CHECK(!nccl->nvls.value);
  CHECK(nccl->nvls.source == "scenario");
  CHECK(nccl->version.value == kUsualNccl);
}

TEST_CASE("the overrides of a library's settings give them again over any others") {
  NcclSettings settings = usual_nccl({2, 20, 3});
  settings.nvls.value = false;
  settings.proto = Sourced<std::vector<Protocol>>{{Protocol::ll}, ""};
  settings.max_channels = Sourced<int>{4, ""};
  const LibraryOverrides overrides = overrides_of(nccl_library(settings));
  const CommunicationLibrary again =
      with_overrides(usual_library(nccl_row()), overrides, "scenario");
  const NcclSettings* nccl = nccl_settings_of(again);
  REQUIRE(nccl != nullptr);
  CHECK(nccl->version.value == NcclVersion{2, 20, 3});
  CHECK(!nccl->nvls.value);
  REQUIRE(nccl->proto);
  CHECK(nccl->proto->value == std::vector<Protocol>{Protocol::ll});
  REQUIRE(nccl->max_channels);
  CHECK(nccl->max_channels->value == 4);
  CHECK(!nccl->algo);
}

TEST_CASE("overrides of one library leave another as it is") {
  LibraryOverrides overrides;
  overrides.nccl.nvls = false;
  const CommunicationLibrary other =
      with_overrides(usual_library(fixed_ring_row()), overrides, "scenario");
  CHECK(other.row == &fixed_ring_row());
  CHECK(std::any_cast<const FixedRing&>(other.settings).rate == FixedRing{}.rate);
}

}  // namespace simtrain::testing::library_maps_test
