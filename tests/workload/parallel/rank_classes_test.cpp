// Which ranks are alike, by hand and as a property.
#include "sim/workload/parallel/rank_classes.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include <doctest/doctest.h>

#include "sim/workload/parallel/colour_refinement.h"
#include "sim/workload/schedule/recipe_grid.h"
#include "tests/workload/setup.h"

namespace simtrain::testing::rank_classes_test {

namespace {

using Numbers = std::vector<int>;

int classes_in(const Numbers& numbers) {
  return static_cast<int>(std::set<int>(numbers.begin(), numbers.end()).size());
}

Recipe llama_8b(int tp, int cp, int pp) {
  Recipe recipe = recipe_of("llama3.1-8b");
  recipe.parallelism.tensor_model_parallel_size = tp;
  recipe.parallelism.context_parallel_size = cp;
  recipe.parallelism.pipeline_model_parallel_size = pp;
  return recipe;
}

RankClasses classes_of(const Recipe& recipe, const ClusterSpec& spec, bool unfold = false) {
  const Cluster cluster(spec);
  return rank_classes(cluster, place_compactly(spec), rank_grid(recipe, spec.gpus()), unfold);
}

ClusterSpec h100(int nodes) { return load_cluster(data_folder(), "dgx-superpod-h100", nodes, {}); }

}  // namespace

TEST_CASE("equal colours in groups of equal sets stay equal") {
  CHECK(refined({0, 0, 0, 0}, {{0, 0, 2, 2}, {0, 1, 0, 1}}) == Numbers{0, 0, 0, 0});
  CHECK(refined({0, 1, 0, 1}, {{0, 0, 2, 2}}) == Numbers{0, 1, 0, 1});
  CHECK(refined({0, 0, 0, 0}, {}) == Numbers{0, 0, 0, 0});
}

// One odd item among two groups of two (0 1 | 2 3) and two across them (0 2 | 1 3): its neighbour
// of the first kind differs from that of the second, and the far corner from all.
TEST_CASE("an odd item splits those that meet it, and those that meet these") {
  CHECK(refined({1, 0, 0, 0}, {{0, 0, 2, 2}}) == Numbers{0, 1, 2, 2});
  CHECK(refined({1, 0, 0, 0}, {{0, 0, 2, 2}, {0, 1, 0, 1}}) == Numbers{0, 1, 2, 3});
}

TEST_CASE("how many of a class are in a group does not matter, only which") {
  // 1 0 0 | 1 1 0: both groups hold both colours.
  CHECK(refined({1, 0, 0, 1, 1, 0}, {{0, 0, 0, 3, 3, 3}}) == Numbers{0, 1, 1, 0, 0, 1});
}

TEST_CASE("refined classes hold together and refine what they came from") {
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    const std::size_t items = 2 + random() % 30;
    Numbers colours;
    std::vector<Numbers> groupings(1 + random() % 3);
    for (std::size_t i = 0; i < items; ++i) {
      colours.push_back(static_cast<int>(random() % 8 == 0));
      for (Numbers& groups : groupings) groups.push_back(static_cast<int>(random() % items));
    }
    const Numbers result = refined(colours, groupings);
    std::map<int, int> coarse;
    for (std::size_t i = 0; i < items; ++i)
      CHECK(coarse.try_emplace(result[i], colours[i]).first->second == colours[i]);
    for (const Numbers& groups : groupings) {
      std::map<int, std::set<int>> members;
      for (std::size_t i = 0; i < items; ++i) members[groups[i]].insert(result[i]);
      std::map<int, std::set<int>> met;
      for (std::size_t i = 0; i < items; ++i) {
        const auto [entry, fresh] = met.try_emplace(result[i], members[groups[i]]);
        CHECK(entry->second == members[groups[i]]);
      }
    }
    CHECK(refined(result, groupings) == result);
  }
}

TEST_CASE("ranks of a regular job are alike stage by stage, and one pass is simulated") {
  const RankClasses classes = classes_of(llama_8b(2, 2, 4), h100(4));
  CHECK(classes_in(classes.pass) == 1);
  CHECK(classes_in(classes.program) == 4);
  CHECK(classes_in(classes.step_representative) == 4);
  for (int rank = 0; rank < 32; ++rank) {
    const auto index = static_cast<std::size_t>(rank);
    CHECK(classes.step_representative[index] == rank / 8 * 8);
    CHECK(classes.piece_representative[index] == rank / 4 * 4);
  }
}

TEST_CASE("unfolded, every rank represents itself, and the programs are the same") {
  const RankClasses folded = classes_of(llama_8b(2, 2, 4), h100(4));
  const RankClasses unfolded = classes_of(llama_8b(2, 2, 4), h100(4), true);
  CHECK(classes_in(unfolded.step_representative) == 32);
  CHECK(classes_in(unfolded.piece_representative) == 32);
  CHECK(unfolded.program == folded.program);
  CHECK(unfolded.pass == folded.pass);
}

TEST_CASE("where links between switches can bind every rank represents itself") {
  ClusterSpec spec = h100(4);
  spec.fabric.oversubscription.value = 2;
  CHECK(classes_in(classes_of(llama_8b(2, 2, 4), spec).step_representative) ==
        4);  // one unit: no spine
  spec.fabric.nodes_per_unit.value = 2;
  CHECK(classes_in(classes_of(llama_8b(2, 2, 4), spec).step_representative) == 32);
}

// Twelve ranks a stage: rank 0 sends to rank 12, local GPU 4 of the next node, over its rail.
TEST_CASE("where PXN takes messages over other GPUs' NICs every rank represents itself") {
  CHECK(classes_in(classes_of(llama_8b(2, 3, 2), h100(3)).step_representative) == 24);
}

// TP2 CP3 takes 6 GPUs, nodes have 8: four replicas on three nodes lie 6, 2+4, 4+2 and 6. The first
// and last stay in a node. The middle ones both cross once in and once out with 2 of 3 TP groups on
// one side, alike for a ring whose messages leave by the sender's NIC.
TEST_CASE("replicas that straddle nodes have passes of their own") {
  ClusterSpec spec = h100(3);
  const auto passes = [&] {
    const Numbers pass = classes_of(llama_8b(2, 3, 1), spec).pass;
    return Numbers{pass[0], pass[6], pass[12], pass[18]};
  };
  spec.fabric.pxn.value = false;
  CHECK(passes() == Numbers{0, 1, 1, 0});
  // With PXN the second one's way out of its first node is over GPUs that are not its own.
  spec.fabric.pxn.value = true;
  CHECK(passes() == Numbers{0, 1, 2, 0});
}

// TP2 CP8 over two nodes: rank 6 (local GPU 6) sends to rank 8 (local GPU 0 of the next node) over
// the NIC of its node's GPU 0, so that no two ranks of the replica are alike, and all replicas are.
TEST_CASE(
    "a ring whose messages leave by other GPUs' NICs is simulated whole, in pieces once for all "
    "like "
    "it") {
  const RankClasses classes = classes_of(llama_8b(2, 8, 1), h100(6));
  CHECK(classes_in(classes.piece_representative) == 48);
  CHECK(classes_in(classes.pass) == 1);
  CHECK(classes_in(classes.step_representative) == 16);
}

TEST_CASE("a rank that only receives from another node is unlike one that only sends there") {
  ClusterSpec spec = h100(6);
  spec.fabric.pxn.value = false;
  const RankClasses classes = classes_of(llama_8b(2, 8, 1), spec);
  const Numbers ring{classes.piece_representative[0], classes.piece_representative[2],
                     classes.piece_representative[4], classes.piece_representative[6],
                     classes.piece_representative[8], classes.piece_representative[14]};
  CHECK(ring == Numbers{0, 2, 2, 6, 0, 6});
}

// Local GPUs 0 and 1 share a NIC where that of GPU 0 is down.
TEST_CASE("ranks that share a NIC are unlike in their pass") {
  ClusterSpec spec = h100(2);
  spec.faults.nics.push_back({std::nullopt, 0, 0, {}});
  const RankClasses classes = classes_of(llama_8b(4, 1, 1), spec);
  CHECK(classes_in(
            {classes.piece_representative.begin(), classes.piece_representative.begin() + 4}) == 4);
  CHECK(classes.piece_representative[4] == classes.piece_representative[7]);
  CHECK(classes.pass == Numbers{0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1});
}

// One slow NIC, of rank 9 (TP rank 1 of the second replica of TP8): its TP group shares the wait,
// its data group the flow, and the rest of the ranks meet both.
// One cluster knows the passes of all grids, some of which differ only in what passes do not see.
TEST_CASE("the first ranks of passes are those of the classes of each grid by itself") {
  for (const bool faulty : {false, true}) {
    ClusterSpec spec = h100(8);
    if (faulty) spec.faults.gpus.push_back({"3", 5, 1.2, {}});
    const Cluster known(spec);
    const Placement placement = place_compactly(spec);
    for (const int tp : {1, 2, 4, 8}) {
      for (const int cp : {1, 2, 4}) {
        for (const int pp : {1, 2, 4}) {
          for (const auto& [ep, etp] : {std::pair(1, 1), {2, 1}, {8, 1}, {4, tp}}) {
            const int dp = spec.gpus() / (tp * cp * pp);
            if (dp == 0 || tp * cp * dp % (ep * etp) != 0) continue;
            const RankGrid grid(
                {.tp = tp, .cp = cp, .dp = dp, .pp = pp, .ep = ep, .etp = etp, .experts = ep > 1});
            const Numbers passes = rank_classes(Cluster(spec), placement, grid, false).pass;
            Numbers first;
            for (std::size_t rank = 0; rank < passes.size(); ++rank) {
              if (passes[rank] == static_cast<int>(first.size()))
                first.push_back(static_cast<int>(rank));
            }
            CAPTURE(tp);
            CAPTURE(cp);
            CAPTURE(pp);
            CHECK(first_of_passes(known, placement, grid) == first);
          }
        }
      }
    }
  }
}

TEST_CASE("one odd rank makes four classes: it, its TP group, its data group and the rest") {
  Recipe recipe = llama_8b(8, 1, 1);
  const ClusterSpec spec = h100(4);
  const RankGrid grid = rank_grid(recipe, 32);
  Numbers colours(32, 0);
  colours[9] = 1;
  Numbers tensor;
  Numbers data;
  for (int rank = 0; rank < 32; ++rank) {
    tensor.push_back(grid.group(GroupKind::tensor, rank).front());
    data.push_back(grid.group(GroupKind::data, rank).front());
  }
  const Numbers result = refined(colours, {tensor, data});
  CHECK(classes_in(result) == 4);
  for (int rank = 0; rank < 32; ++rank) {
    const bool row = rank / 8 == 1;
    const bool column = rank % 8 == 1;
    const int expected = row && column ? 3 : row ? 2 : column ? 1 : 0;
    CHECK(result[static_cast<std::size_t>(rank)] == expected % 4);
  }
}

}  // namespace simtrain::testing::rank_classes_test
