#include "sim/core/input/number_key.h"

#include <doctest/doctest.h>

#include "sim/core/files/data_folder.h"
#include "tests/core/checkout.h"
#include "tests/core/error_of.h"

namespace simtrain::testing::number_key_test {

namespace {

constexpr const char* kText =
    "gemm:\n"
    "  slowdown: {value: 0.035, source: s}\n"
    "  rates:\n"
    "    - {data_type: bf16, burst: 813 TFLOP/s}\n"
    "    - {data_type: fp8, burst: 1615 TFLOP/s}\n"
    "kernels:\n"
    "  - {name: a, direction: forward, rate: 1.5e3 TFLOP/s}\n"
    "  - {name: a, direction: backward, rate: 900TFLOP/s}\n";

const SourcePlace kAsker{"parameters.yaml", 3, 5};

std::string text_at(const std::string& key) {
  YamlNode root = load_yaml_text(kText, "gpu.yaml");
  return find_number(root, key, kAsker).text;
}

}  // namespace

TEST_CASE("A number is found by keys and by what its row holds; a sourced one by its value") {
  CHECK(text_at("gemm.slowdown") == "0.035");
  CHECK(text_at("gemm.slowdown.value") == "0.035");
  CHECK(text_at("gemm.rates[data_type=fp8].burst") == "1615 TFLOP/s");
  CHECK(text_at("kernels[name=a][direction=backward].rate") == "900TFLOP/s");
}

TEST_CASE("A number that is not there is refused where it is asked for") {
  for (const auto& [asked, message] : std::vector<std::pair<std::string, std::string>>{
           {"gem.slowdown", "gpu.yaml has no 'gem'; did you mean 'gemm'?"},
           {"gemm.rates[data_type=fp4].burst", "no row of 'rates' is that"},
           {"kernels[name=a].rate", "more than one row of 'kernels' is that"},
           {"gemm.rates", "must name a number, found a list"},
           {"gemm.slowdown.value.more", "gpu.yaml has no 'more'; no keys are there"},
           {"gemm..slowdown", "is not a dotted key with rows as [field=text]"},
           {"gemm.", "is not a dotted key with rows as [field=text]"},
           {"gemm.rates[data_type=fp8", "is not a dotted key with rows as [field=text]"},
           {"gemm.rates[data_type].burst", "is not a dotted key with rows as [field=text]"},
           {"", "is not a dotted key with rows as [field=text]"}}) {
    const std::string& key = asked;  // a structured binding is not captured
    CAPTURE(key);
    const std::string where = "parameters.yaml:3:5: " + key + (key.empty() ? "" : ": ");
    CHECK(error_of([&] { text_at(key); }) == where + message);
  }
}

TEST_CASE("A number set keeps its unit and is read again to the bit") {
  for (const double value : {712.34567890123456, 0.1, 1e-7, 3e20}) {
    YamlNode root = load_yaml_text(kText, "gpu.yaml");
    set_number(root, {"gpus/x.yaml", "kernels[name=a][direction=forward].rate", value, kAsker});
    const YamlNode& set = find_number(root, "kernels[name=a][direction=forward].rate", kAsker);
    const WrittenNumber read = written_number(set, "rate");
    CHECK(read.value == value);
    CHECK(read.unit == "TFLOP/s");
  }
  YamlNode root = load_yaml_text(kText, "gpu.yaml");
  set_number(root, {"gpus/x.yaml", "gemm.slowdown", 0.05, kAsker});
  CHECK(find_number(root, "gemm.slowdown", kAsker).text == "0.05");
}

TEST_CASE("A written value takes the place of a value and its source, or is added") {
  YamlNode root = load_yaml_text(
      "bandwidth: {value: 400 Gb/s, source: sheet}\nrows: [{type: a, rate: 1 TB/s}]\n",
      "node.yaml");
  const auto set = [&](const std::string& key, const std::string& text) {
    set_number(root, {"nodes/x.yaml", key, 0, kAsker, load_yaml_text(text, "--set"), "--set"});
  };
  set("bandwidth", "25 GB/s");
  CHECK(find_number(root, "bandwidth", kAsker).text == "25 GB/s");
  CHECK(find_number(root, "bandwidth", kAsker).place.file == "--set");
  CHECK(root.find("bandwidth")->find("source")->text == "--set");
  set("rows[type=a].rate", "2 TB/s");
  CHECK(find_number(root, "rows[type=a].rate", kAsker).text == "2 TB/s");
  CHECK(find_keyed(root, "routing", kAsker) == nullptr);
  CHECK(find_keyed(root, "rows[type=b]", kAsker) == nullptr);
  set("routing", "ecmp");
  CHECK(find_number(root, "routing", kAsker).text == "ecmp");
}

TEST_CASE("Numbers set beneath those of a folder give way to them") {
  const DataFolder data(simtrain::testing::source_dir());
  const auto slowdown = [](const DataFolder& folder) {
    YamlNode tree = folder.load_tree("hardware/gpus", "h100-sxm", {}, "gpu");
    return find_number(tree, "gemm.overlap_slowdown", kAsker).text;
  };
  const NumberOverride half{"gpus/h100-sxm.yaml", "gemm.overlap_slowdown", 0.5, kAsker};
  const NumberOverride third{"gpus/h100-sxm.yaml", "gemm.overlap_slowdown", 0.3, kAsker};
  CHECK(slowdown(data.with_beneath({half})) == "0.5");
  CHECK(slowdown(data.with({third}).with_beneath({half})) == "0.3");
}

TEST_CASE("What is no number has none") {
  YamlNode root = load_yaml_text("name: fast\n", "gpu.yaml");
  CHECK(error_of([&] { written_number(find_number(root, "name", kAsker), "name"); }) ==
        "gpu.yaml:1:7: name: must be a number, found 'fast'");
}

TEST_CASE("A data folder with numbers set reads them where their file is read, and only there") {
  const DataFolder data(simtrain::testing::source_dir());
  const DataFolder changed =
      data.with({{"gpus/h100-sxm.yaml", "gemm.overlap_slowdown", 0.5, kAsker}});
  const auto slowdown = [](const DataFolder& folder, const std::string& name) {
    YamlNode tree = folder.load_tree("hardware/gpus", name, {}, "gpu");
    return find_number(tree, "gemm.overlap_slowdown", kAsker).text;
  };
  CHECK(slowdown(changed, "h100-sxm") == "0.5");
  CHECK(slowdown(changed, "b200-sxm") == slowdown(data, "b200-sxm"));
  CHECK(slowdown(data, "h100-sxm") != "0.5");
}

}  // namespace simtrain::testing::number_key_test
