#include "sim/topology/cluster.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <unistd.h>

#include <doctest/doctest.h>

#include "sim/core/files/data_folder.h"
#include "sim/topology/graph/cluster_graph.h"
#include "sim/topology/graph/wiring.h"
#include "tests/core/checkout.h"
#include "tests/core/error_of.h"
#include "tests/topology/clusters.h"

namespace simtrain::testing::cluster_test {

namespace {

struct Counts {
  int gpu, nvswitch, nic, leaf, spine, links;
  friend bool operator==(const Counts&, const Counts&) = default;
};

Counts counts(const Cluster& c) {
  std::map<VertexKind, int> number;
  for (const Device& device : c.graph().devices) ++number[device.kind];
  return {number[VertexKind::gpu],  number[VertexKind::nvswitch], number[VertexKind::nic],
          number[VertexKind::leaf], number[VertexKind::spine],    c.links()};
}

/// Bandwidth of all links from one kind of device to another, together.
double between(const Cluster& c, VertexKind from, VertexKind to) {
  double sum = 0;
  for (int link = 0; link < c.links(); ++link) {
    if (c.graph()[c.graph().from(link)].kind != from) continue;
    if (c.graph()[c.graph().to(link)].kind != to) continue;
    sum += c.graph().wire_of(link).bandwidth.value();
  }
  return sum;
}

}  // namespace

// Links are one direction each: 2 * (GPU to each NVLink switch + GPU to NIC + NIC to leaf + leaf to
// each spine).
TEST_CASE("28 A4 nodes are two units of 16 under 4 spines") {
  // 2 units * 8 rails * 16 uplinks = 256 ports of 64 a spine: 4 spines.
  CHECK(counts(cluster("gcp-a4", 28)) ==
        Counts{224, 28 * 2, 224, 2 * 8, 4, 2 * (224 * 2 + 224 + 224 + 16 * 4)});
}

TEST_CASE("32 H100 nodes are one unit under 4 spines") {
  CHECK(counts(cluster("dgx-superpod-h100", 32)) ==
        Counts{256, 32 * 4, 256, 8, 4, 2 * (256 * 4 + 256 + 256 + 8 * 4)});
}

TEST_CASE("64 H100 nodes are two units under 8 spines") {
  CHECK(counts(cluster("dgx-superpod-h100", 64)) ==
        Counts{512, 64 * 4, 512, 16, 8, 2 * (512 * 4 + 512 + 512 + 16 * 8)});
}

TEST_CASE("36 GB200 trays are two NVLink domains of 18 switches on four rails") {
  // 1 unit * 4 rails * 144 uplinks = 576 ports: 9 spines.
  CHECK(counts(cluster("dgx-superpod-gb200", 36)) ==
        Counts{144, 2 * 18, 144, 4, 9, 2 * (144 * 18 + 144 + 144 + 4 * 9)});
}

TEST_CASE("capacities are by link, and each link takes time") {
  const Cluster c = cluster("gcp-a4", 2);
  REQUIRE(c.capacities().size() == static_cast<std::size_t>(c.links()));
  for (int link = 0; link < c.links(); ++link) {
    const ClusterGraph::Wire& wire = c.graph().wire_of(link);
    CHECK(c.capacities()[static_cast<std::size_t>(link)] == wire.bandwidth.value());
    CHECK(wire.latency > Duration(0));
  }
}

TEST_CASE("the links of a vertex are those that leave it, each of them once") {
  const Cluster c = cluster("gcp-a4", 2);
  const LinksByVertex links(c.graph());
  std::vector<int> seen(static_cast<std::size_t>(c.links()), 0);
  for (std::size_t vertex = 0; vertex < c.graph().devices.size(); ++vertex) {
    for (const int link : links.out(vertex)) {
      CHECK(c.graph().from(link) == vertex);
      CHECK(c.graph().to(link ^ 1) == vertex);
      ++seen[static_cast<std::size_t>(link)];
    }
  }
  CHECK(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; }));
}

TEST_CASE("the links of a GPU carry its NVLink and its usable NIC bandwidth") {
  const Cluster c = cluster("dgx-superpod-h100", 4);
  CHECK(between(c, VertexKind::gpu, VertexKind::nvswitch) == doctest::Approx(32 * 450e9));
  CHECK(between(c, VertexKind::nvswitch, VertexKind::gpu) == doctest::Approx(32 * 450e9));
  CHECK(between(c, VertexKind::gpu, VertexKind::nic) == doctest::Approx(32 * 50e9 * 0.97));
  CHECK(between(c, VertexKind::nic, VertexKind::leaf) == doctest::Approx(32 * 50e9 * 0.97));
}

TEST_CASE("a leaf has as much bandwidth upward as downward, less by the oversubscription") {
  ClusterSpec spec = cluster("dgx-superpod-h100", 64).spec();
  const double full = between(Cluster(spec), VertexKind::leaf, VertexKind::spine);
  CHECK(full == doctest::Approx(512 * 50e9));
  CHECK(Cluster(spec).inner_links_never_bind());
  spec.fabric.oversubscription.value = 4;
  CHECK(between(Cluster(spec), VertexKind::leaf, VertexKind::spine) == doctest::Approx(full / 4));
  CHECK_FALSE(Cluster(spec).inner_links_never_bind());
}

TEST_CASE("the last domain and the last unit may be smaller than the others") {
  const Cluster c = cluster("dgx-superpod-gb200", 19);
  CHECK(counts(c).nvswitch == 2 * 18);
  CHECK(c.distance(71, 72) == Distance::unit);
  CHECK(c.distance(72, 75) == Distance::nvlink_domain);
}

TEST_CASE("distance distinguishes GPU, NVLink domain, unit and fabric") {
  const Cluster c = cluster("gcp-a4", 28);  // units of 16 nodes, 128 GPUs
  CHECK(c.distance(5, 5) == Distance::same_gpu);
  CHECK(c.distance(0, 7) == Distance::nvlink_domain);
  CHECK(c.distance(7, 8) == Distance::unit);
  CHECK(c.distance(0, 127) == Distance::unit);
  CHECK(c.distance(127, 128) == Distance::fabric);
  CHECK(c.distance(223, 0) == Distance::fabric);
}

TEST_CASE("a cluster file that names unknown hardware or too many nodes is refused") {
  const DataFolder data(simtrain::testing::source_dir());
  const auto load = [&](const std::string& name, int nodes) {
    return error_of([&] { static_cast<void>(load_cluster(data, name, nodes, {"s.yaml", 3, 9})); });
  };
  CHECK(load("gcp-a5", 1) ==
        "s.yaml:3:9: cluster.name: 'gcp-a5' is not in hardware/clusters; did you mean 'gcp-a4'?");
  CHECK(load("gcp-a4", 1025) ==
        "s.yaml:3:9: cluster.nodes: 1025 is more than the 1024 nodes that gcp-a4 has");
}

TEST_CASE("every cluster file of the house loads and names its own file") {
  const DataFolder data(simtrain::testing::source_dir());
  for (const std::string& name : data.names("hardware/clusters")) {
    CAPTURE(name);
    const ClusterSpec spec = load_cluster(data, name, 1, {});
    CHECK(spec.name == name);
    CHECK(spec.gpu.name == spec.node.gpu);
    CHECK(spec.gpu.peak(DataType::bf16) > FlopRate(1e14));
  }
}

TEST_CASE("asking a GPU for a peak that its file lacks is an error at that file") {
  const Cluster c = cluster("gcp-a4", 1);
  const std::string text = error_of([&] { static_cast<void>(c.spec().gpu.peak(DataType::fp32)); });
  CHECK(text.find("b200-sxm.yaml:1:1: peak_rates: has no row for fp32") != std::string::npos);
}

TEST_CASE("a latency beyond 1 ms is refused, since routing would take it for a NIC's") {
  namespace fs = std::filesystem;
  const fs::path root = fs::temp_directory_path() / ("simtrain-" + std::to_string(::getpid()));
  fs::create_directories(root);
  fs::copy(fs::path(simtrain::testing::source_dir()) / "hardware", root / "hardware",
           fs::copy_options::recursive);
  const fs::path fabric = root / "hardware/fabrics/roce-gcp-a4.yaml";
  std::ostringstream text;
  text << std::ifstream(fabric).rdbuf();
  std::string changed = text.str();
  changed.replace(changed.find("0.15 us"), 7, "1.5 ms");
  std::ofstream(fabric) << changed;
  const std::string refused = error_of(
      [&] { static_cast<void>(load_cluster(DataFolder(root.string()), "gcp-a4", 1, {})); });
  fs::remove_all(root);
  CHECK(refused == fabric.string() +
                       ":1:1: cable_latency: is more than 1 ms, which no link of a cluster takes");
}

TEST_CASE("the wiring table holds every wiring once") {
  for (const auto& known : EnumNames<Wiring>::rows) {
    CAPTURE(known.first);
    CHECK(std::any_of(wirings().begin(), wirings().end(), [&](const WiringRow& row) {
      return std::pair(row.name, row.wiring) == known;
    }));
  }
}

}  // namespace simtrain::testing::cluster_test
