#include "sim/study/sweep/sweep_grid.h"

#include <doctest/doctest.h>

#include "tests/core/error_of.h"

namespace simtrain::testing::sweep_grid_test {

namespace {

using Texts = std::vector<std::string>;

std::string refusal(const std::string& vary) {
  return error_of([&] { static_cast<void>(parse_axis(vary)); });
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

SweepGrid grid(const Texts& varied) {
  std::vector<SweepAxis> axes;
  for (const std::string& text : varied) axes.push_back(parse_axis(text));
  return SweepGrid(std::move(axes));
}

}  // namespace

TEST_CASE("an axis is a list of values, by the key's dotted or short name") {
  const SweepAxis axis = parse_axis("tp=1,2,8");
  CHECK(axis.key == "parallelism.tensor_model_parallel_size");
  CHECK(axis.column == "tp");
  CHECK(axis.texts == Texts{"1", "2", "8"});
  CHECK(parse_axis("parallelism.tensor_model_parallel_size=4").column == "tp");
  CHECK(parse_axis("overlap.tp_comm_overlap=true,false").texts == Texts{"true", "false"});
  CHECK(parse_axis("recompute=none,full").column == "recompute");
}

TEST_CASE("ranges hold both ends, and lists hold ranges") {
  CHECK(parse_axis("vp=1:4").texts == Texts{"1", "2", "3", "4"});
  CHECK(parse_axis("vp=2:9:3").texts == Texts{"2", "5", "8"});
  CHECK(parse_axis("vp=7:7").texts == Texts{"7"});
  CHECK(parse_axis("vp=1,4:6,9").texts == Texts{"1", "4", "5", "6", "9"});
}

TEST_CASE("values may be lists and maps themselves") {
  CHECK(parse_axis("nccl.algo=[ring],[ring, tree]").texts == Texts{"[ring]", "[ring, tree]"});
  CHECK(parse_axis("cluster.placement=compact,{kind: random, seed: 3}").texts ==
        Texts{"compact", "{kind: random, seed: 3}"});
}

TEST_CASE("what is no axis is refused at its place") {
  CHECK(refusal("tp") == "--vary tp: must be KEY=V1,V2,... or KEY=FIRST:LAST");
  CHECK(holds(refusal("tpp=1"), "is no key of a scenario; "));
  CHECK(holds(refusal("parallelism.tensor_parallel_size=1"), "is no key of a scenario; "));
  CHECK(holds(refusal("tp="), "lists no value"));
  CHECK(holds(refusal("tp=1,,2"), "has an empty value"));
  CHECK(holds(refusal("tp=1,2,1"), "'1' is given twice"));
  CHECK(holds(refusal("tp=1:3,2"), "'2' is given twice"));
  CHECK(holds(refusal("vp=4:1"), "'4:1' ends below its start"));
  CHECK(holds(refusal("vp=1:8:0"), "has the step 0"));
  CHECK(holds(refusal("vp=1::2"), "'1::2' is no range"));
  CHECK(holds(refusal("vp=1:2:3:4"), "'1:2:3:4' is no range"));
  CHECK(holds(refusal("vp=1:99999999999999999999"), "is no range"));
  CHECK(holds(refusal("gbs=1:20000000"), "is 20000000 values; a key takes up to 100000 in all"));
  CHECK(holds(refusal("gbs=1:60000,60001:100001"), "'60001:100001' is 40001 values"));
  CHECK(refusal("gbs=1:60000,60001:100000").empty());
  CHECK(holds(refusal("tp=1]"), "--vary tp=1]"));
  CHECK(refusal("vp=1,9:2").starts_with("--vary vp=1,9:2:1:6: "));
}

TEST_CASE("the grid is every combination, the first axis slowest") {
  const SweepGrid all = grid({"tp=1,2", "precision=bf16,fp8", "vp=1:3"});
  REQUIRE(all.size() == 12);
  std::vector<Texts> seen;
  for (std::uint64_t i = 0; i < all.size(); ++i) {
    Texts texts;
    const std::vector<Setting> settings = all.settings(i);
    for (const Setting& setting : settings) texts.push_back(setting.value.text);
    CHECK(settings[1].key == "training.precision");
    seen.push_back(std::move(texts));
  }
  CHECK(seen[0] == Texts{"1", "bf16", "1"});
  CHECK(seen[1] == Texts{"1", "bf16", "2"});
  CHECK(seen[3] == Texts{"1", "fp8", "1"});
  CHECK(seen[6] == Texts{"2", "bf16", "1"});
  CHECK(seen[11] == Texts{"2", "fp8", "3"});
}

TEST_CASE("a grid needs axes, of different keys, and has an end") {
  const auto refused = [](const Texts& varied) { return error_of([&] { grid(varied); }); };
  CHECK(holds(refused({}), "nothing to vary"));
  CHECK(holds(refused({"tp=1", "parallelism.tensor_model_parallel_size=2"}), "is varied twice"));
  CHECK(holds(refused({"cluster.placement=compact", "cluster.placement.seed=1,2"}),
              "is varied, and so is 'cluster.placement'"));
  CHECK(holds(refused({"gbs=1:10000", "mbs=1:1001"}), "up to 10000000 are simulated"));
  CHECK(grid({"gbs=1:10000", "mbs=1:1000"}).size() == SweepGrid::kMost);
}

}  // namespace simtrain::testing::sweep_grid_test
