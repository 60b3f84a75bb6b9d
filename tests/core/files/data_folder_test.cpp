#include "sim/core/files/data_folder.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

#include "tests/core/checkout.h"
#include "tests/core/error_of.h"

namespace simtrain::testing::data_folder_test {

namespace {

const DataFolder kData(simtrain::testing::source_dir());
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
            simtrain::testing::source_dir() + "/hardware/nothing");
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

namespace {

/// A data folder with files of hardware/nodes, by name and text.
class OwnNodes {
 public:
  explicit OwnNodes(const std::vector<std::pair<std::string, std::string>>& files)
      : root_(std::filesystem::temp_directory_path() /
              ("simtrain-based-on-" +
               std::to_string(std::hash<std::string>()(files.front().second)))) {
    std::filesystem::create_directories(root_ / "hardware/nodes");
    for (const auto& [name, text] : files)
      std::ofstream(root_ / "hardware/nodes" / (name + ".yaml")) << text;
  }
  OwnNodes(const OwnNodes&) = delete;
  OwnNodes& operator=(const OwnNodes&) = delete;
  ~OwnNodes() { std::filesystem::remove_all(root_); }
  [[nodiscard]] YamlNode tree(const std::string& name) const {
    return DataFolder(root_.string()).load_tree("hardware/nodes", name, kWhere, "node");
  }
  [[nodiscard]] std::string refusal(const std::string& name) const {
    return error_of([&] { static_cast<void>(tree(name)); });
  }

 private:
  std::filesystem::path root_;
};

}  // namespace

TEST_CASE("a file based on another is that one with its own keys laid over, value with source") {
  const OwnNodes nodes({{"new", "name: new\nbased_on: old\nnics: {value: 4}\nlinks:\n  width: 2\n"},
                        {"old", "name: old\nbased_on: oldest\nlinks:\n  width: 1\n  count: 3\n"},
                        {"oldest", "name: oldest\ngpus: 8\nnics: {value: 8, source: there}\n"}});
  const YamlNode tree = nodes.tree("new");
  CHECK(text_at(tree, "name") == "new");
  CHECK(text_at(tree, "gpus") == "8");
  CHECK(text_at(tree, "nics.value") == "4");
  CHECK(text_at(tree, "nics.source").empty());  // the old source is not that of the new value
  CHECK(text_at(tree, "links.width") == "2");
  CHECK(text_at(tree, "links.count") == "3");
  CHECK(tree.find("based_on") == nullptr);
  CHECK(tree.find("nics")->place.file.ends_with("new.yaml"));
}

TEST_CASE("a file is based on a file that is there, and not on itself") {
  const OwnNodes nodes({{"a", "name: a\nbased_on: b\n"},
                        {"b", "name: b\nbased_on: a\n"},
                        {"c", "name: c\nbased_on: d\n"},
                        {"e", "name: e\nbased_on: [a]\n"}});
  CHECK(nodes.refusal("a").ends_with(":2:11: based_on: 'a' is based on this file itself"));
  CHECK(nodes.refusal("c").find(":2:11: based_on: 'd' is not in hardware/nodes") !=
        std::string::npos);
  CHECK(nodes.refusal("e").ends_with(":2:11: based_on: needs the name of a file"));
}

}  // namespace simtrain::testing::data_folder_test
