#include "sim/core/files/data_folder.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

#include "tests/core/error_of.h"

using namespace simtrain;
using simtrain::testing::error_of;

namespace {

const DataFolder kData(SIMTRAIN_SOURCE_DIR);
const SourcePlace kWhere{"s.yaml", 4, 8};

std::string refused(const std::string& family, const std::string& name) {
  return error_of(
      [&] { static_cast<void>(kData.load_tree(family, name, kWhere, "cluster.name")); });
}

}  // namespace

TEST_CASE("the names of a family are its files, sorted") {
  const std::vector<std::string> names = kData.names("hardware/nodes");
  CHECK(std::is_sorted(names.begin(), names.end()));
  CHECK(std::find(names.begin(), names.end(), "hgx-h100") != names.end());
  CHECK(kData.names("hardware/nothing").empty());
}

TEST_CASE("a known name is read from its file") {
  const YamlNode root = kData.load_tree("hardware/nodes", "hgx-h100", kWhere, "node");
  REQUIRE(root.find("gpus") != nullptr);
  CHECK(root.find("gpus")->text == "8");
}

TEST_CASE("an unknown name is refused at its place, with the closest known one") {
  CHECK(refused("hardware/nodes", "hgx-h10") ==
        "s.yaml:4:8: cluster.name: 'hgx-h10' is not in hardware/nodes; did you mean 'hgx-h100'?");
  CHECK(refused("hardware/nodes", "mainframe").find("known are ") != std::string::npos);
}

TEST_CASE("a family without files is reported") {
  CHECK(refused("hardware/nothing", "x") ==
        "s.yaml:4:8: cluster.name: 'x' is not in hardware/nothing; no files in " +
            std::string(SIMTRAIN_SOURCE_DIR) + "/hardware/nothing");
}

TEST_CASE("a name is never a way out of its folder") {
  CHECK(refused("hardware/nodes", "../gpus/h100-sxm") != "");
  CHECK(refused("hardware/nodes", "") != "");
}

TEST_CASE("a snapshot loads what the folder held, and sees no change") {
  namespace fs = std::filesystem;
  const fs::path root = fs::temp_directory_path() / "simtrain-snapshot";
  fs::remove_all(root);
  fs::create_directories(root / "hardware/gpus");
  std::ofstream(root / "hardware/gpus/a.yaml") << "value: 1\n";
  std::ofstream(root / "hardware/gpus/broken.yaml") << "value: [\n";
  const DataFolder live(root.string());
  const DataFolder kept = live.snapshot();
  const auto value = [&](const DataFolder& data) {
    return data.load_tree("hardware/gpus", "a", kWhere, "gpu").find("value")->text;
  };
  CHECK(value(kept) == value(live));
  CHECK(kept.names("hardware/gpus") == live.names("hardware/gpus"));
  CHECK(kept.fingerprint() != 0);
  CHECK(live.fingerprint() == 0);
  CHECK(error_of([&] {
          static_cast<void>(kept.load_tree("hardware/gpus", "broken", kWhere, "gpu"));
        }).find("is not YAML") != std::string::npos);

  const std::uint64_t before = kept.fingerprint();
  CHECK(live.snapshot().fingerprint() == before);
  std::ofstream(root / "hardware/gpus/a.yaml") << "value: 2\n";
  CHECK(value(kept) == "1");
  CHECK(value(live) == "1");  // read once
  CHECK(value(DataFolder(root.string())) == "2");
  CHECK(live.snapshot().fingerprint() != before);
  fs::remove_all(root);
}
