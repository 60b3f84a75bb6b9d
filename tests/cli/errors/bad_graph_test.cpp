#include "tests/cli/bad_edit.h"
#include "tests/cli/data_copy.h"

namespace simtrain::testing::bad_graph_test {
namespace {

constexpr std::string_view kGraph = "hardware/clusters/lab-uneven.yaml";
constexpr std::string_view kFabric = "hardware/fabrics/infiniband-ndr-superpod.yaml";

/// The base scenario on the uneven lab, whose file is broken by each edit; messages begin with the
/// line and column in that file.
void check_graph(const std::vector<BadEdit>& edits) {
  const Data data;
  data.write("base.yaml",
             edited(edited(std::string(kBaseScenario), "dgx-superpod-h100", "lab-uneven"),
                    "nodes: 4", "nodes: 2"));
  const std::string good = data.read(kGraph);
  for (const BadEdit& edit : edits) {
    CAPTURE(edit.by);
    data.write(kGraph, edited(good, edit.replaced, edit.by));
    check_refused(data.run(), data.path(kGraph) + ":" + edit.message);
  }
}

TEST_CASE("Names of a graph are known and stand once") {
  check_graph({
      {"to: leaf0, bandwidth: 400 Gb/s, latency: 0.45 us, nics: [0, 1, 2",
       "to: leaf2, bandwidth: 400 Gb/s, latency: 0.45 us, nics: [0, 1, 2",
       "10:7: graph.links[0].to: 'leaf2' is no host or switch; did you mean 'leaf0'?"},
      {"{name: leaf1}, ", "{name: leaf0}, ", "8:29: graph.switches[1].name: 'leaf0' appears twice"},
      {"{name: b, ", "{name: a1, ", "7:7: graph.hosts[1].name: 'a1' appears twice"},
      {"node: hgx-h100-4nic", "node: hgx-h100-4nik",
       "7:7: graph.hosts[1].node: 'hgx-h100-4nik' is not in hardware/nodes; did you mean "
       "'hgx-h100-4nic'?"},
  });
}

TEST_CASE("Hosts of a graph have GPUs of one kind") {
  check_graph({{"node: hgx-h100-4nic", "node: hgx-b200",
                "7:7: graph.hosts[1].node: 'hgx-b200' has GPUs of kind b200-sxm, the first host "
                "has h100-sxm; one kind would do"}});
}

TEST_CASE("Every NIC of a graph has one link, and every switch at least one") {
  check_graph({
      {"nics: [0, 1]", "nics: [0]", "7:7: graph.hosts[1]: NIC 1 of b has no link"},
      {"nics: [0, 1]", "nics: [0, 2]", "13:7: graph.links[3]: gives NIC 2 of b a second link"},
      {"nics: [0, 1]", "nics: [0, 4]",
       "12:7: graph.links[2].nics: 4 is no NIC of b, which has 0 to 3"},
      {"nics: [0, 1]", "nics: []", "12:7: graph.links[2].nics: is empty"},
      {"{name: spine0}]", "{name: spine0}, {name: spine1}]",
       "8:60: graph.switches[3]: has no link"},
      {"to: spine0, bandwidth: 1.6 Tb/s, latency: 0.45 us}\n    - {from: leaf1, ",
       "to: spine0, bandwidth: 1.6 Tb/s, latency: 0.45 us}\n    - {from: spine0, ",
       "15:7: graph.links[5]: joins 'spine0' with itself"},
      {"- {from: leaf0, to: spine0", "- {from: a, to: b",
       "14:7: graph.links[4]: joins two hosts; a switch must lie between them"},
      {"to: spine0, bandwidth: 1.6 Tb/s, latency: 0.45 us}\n",
       "to: spine0, bandwidth: 1.6 Tb/s, latency: 0.45 us, nics: [0]}\n",
       "14:7: graph.links[4].nics: is given at a link without a host"},
  });
}

TEST_CASE("A graph hangs together") {
  check_graph({{"- {from: leaf1, to: spine0", "- {from: leaf0, to: spine0",
                "5:3: graph: no way over switches leads from leaf0 to leaf1"}});
}

TEST_CASE("Links of a graph have a bandwidth and a latency of this world") {
  check_graph({
      {"bandwidth: 1.6 Tb/s", "bandwidth: 0 Tb/s",
       "14:44: graph.links[4].bandwidth: '0 Tb/s' is zero; it must be more"},
      {"1.6 Tb/s, latency: 0.45 us", "1.6 Tb/s, latency: 2 ms",
       "14:7: graph.links[4].latency: is more than 1 ms, which no link of a cluster takes"},
  });
}

TEST_CASE("A graph says itself which nodes there are") {
  check_graph({
      {"graph:", "node: hgx-h100\ngraph:",
       "1:1: node: is given beside graph, which lists the nodes itself"},
      {"graph:\n", "max_nodes: {value: 3, source: us}\ngraph:\n",
       "1:1: max_nodes: is given beside graph, which lists the nodes itself"},
  });
  const Data data;
  data.write("base.yaml", edited(std::string(kBaseScenario), "dgx-superpod-h100", "lab-uneven"));
  check_refused(data.run(),
                "base.yaml:5:36: cluster.nodes: 4 is more than the 3 nodes that lab-uneven has");
}

TEST_CASE("A block holds whole units") {
  const Data data;
  data.write(kFabric, edited(data.read(kFabric), "value: 256", "value: 250"));
  check_refused(data.run(), data.path(kFabric) +
                                ":1:1: nodes_per_block: 250 is no multiple of nodes_per_unit, 32");
}

TEST_CASE("A node has no more NICs than GPUs") {
  const Data data;
  data.write("hardware/nodes/hgx-h100.yaml", edited(data.read("hardware/nodes/hgx-h100.yaml"),
                                                    "nics: {value: 8", "nics: {value: 16"));
  check_refused(data.run(), data.path("hardware/nodes/hgx-h100.yaml") +
                                ":1:1: nics: is 16 for 8 GPUs; a GPU uses one NIC, so at most 8 "
                                "would do (count a bundle as one NIC of their sum)");
}

}  // namespace
}  // namespace simtrain::testing::bad_graph_test
