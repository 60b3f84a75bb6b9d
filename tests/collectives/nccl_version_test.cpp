#include "sim/collectives/libraries/nccl/nccl_version.h"

#include <doctest/doctest.h>

#include "sim/core/input/yaml_tree.h"
#include "tests/core/error_of.h"

namespace simtrain::testing::nccl_version_test {

namespace {

NcclVersion version(const std::string& text) {
  YamlNode node;
  node.kind = YamlNode::Kind::scalar;
  node.place = {"a.yaml", 3, 9};
  node.text = text;
  NcclVersion result;
  scalar_quantity(node, "nccl.version", result);
  return result;
}

}  // namespace

TEST_CASE("a version has two or three numbers") {
  CHECK(version("2.25.1") == NcclVersion{2, 25, 1});
  CHECK(version("2.25") == NcclVersion{2, 25, 0});
  CHECK(version("2.30.7").text() == "2.30.7");
  CHECK(version("2.25").text() == "2.25.0");
}

TEST_CASE("versions are ordered by number, not by text") {
  CHECK(version("2.18.6") < version("2.21"));
  CHECK(version("2.28.3") < version("2.28.9"));
  CHECK(version("2.28.9") < version("2.28.10"));
}

TEST_CASE("what is no version is refused at its place") {
  for (const char* text : {"2", "2.", "2.x", "2.25.", "2.25.1.0", "2.25.1rc", "v2.25", "2,25",
                           " 2.25", "2.25.-1", "2.99999999999", "latest"}) {
    CAPTURE(text);
    CHECK(error_of([&] { version(text); }) == "a.yaml:3:9: nccl.version: '" + std::string(text) +
                                                  "' is no NCCL version; 2.25.1 would do");
  }
}

TEST_CASE("releases whose rules are not known are refused at their place") {
  for (const char* text : {"2.17.1", "2.31", "1.30", "3.0", "0.0.0"}) {
    CAPTURE(text);
    CHECK(error_of([&] { version(text); }) ==
          "a.yaml:3:9: nccl.version: '" + std::string(text) +
              "' is an NCCL whose rules are not known here; 2.18 to 2.30 are");
  }
  CHECK(version("2.18") == NcclVersion{2, 18, 0});
  CHECK(version("2.30.4") == NcclVersion{2, 30, 4});
}

}  // namespace simtrain::testing::nccl_version_test
