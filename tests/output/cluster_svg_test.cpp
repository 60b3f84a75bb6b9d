#include "sim/output/drawing/cluster_svg.h"

#include <doctest/doctest.h>

#include "sim/output/drawing/topology_report.h"
#include "tests/topology/clusters.h"
#include "tests/topology/hand_map.h"

namespace simtrain::testing::cluster_svg_test {
namespace {

std::string drawn(const ClusterMap& map, const Highlight& highlight = {}) {
  return cluster_svg(map, {map.name, "by hand", "", cluster_facts(map), {}}, highlight);
}

std::string drawn(const Cluster& cluster, const Highlight& highlight = {}) {
  return drawn(cluster_map(cluster), highlight);
}

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t found = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    ++found;
  return found;
}

/// Every tag that is opened is closed, innermost first; attributes are quoted.
bool well_formed(const std::string& text) {
  std::vector<std::string> open;
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1)) {
    const std::size_t end = text.find('>', at);
    if (end == std::string::npos) return false;
    const std::string tag = text.substr(at + 1, end - at - 1);
    if (count(tag, "\"") % 2 != 0) return false;
    if (tag.ends_with("/") || tag.starts_with("!--")) continue;
    if (!tag.starts_with("/")) {
      open.push_back(tag.substr(0, tag.find(' ')));
      continue;
    }
    if (open.empty() || open.back() != tag.substr(1)) return false;
    open.pop_back();
  }
  return open.empty();
}

TEST_CASE("28 A4 machines: every host, GPU and switch is drawn, and numbers are numbers") {
  const std::string svg = drawn(cluster("gcp-a4", 28));
  CHECK(well_formed(svg));
  CHECK(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  for (int host = 0; host < 28; ++host) {
    CAPTURE(host);
    CHECK(count(svg, "<title>node" + std::to_string(host) + "</title>") == 1);
    CHECK(count(svg, "<title>node" + std::to_string(host) + " GPU ") == 8);
  }
  CHECK(count(svg, "<title>leaf") == 16 + 64);  // boxes, and wires to the spines
  CHECK(count(svg, "<title>node") == 28 + 224 + 224);
  CHECK(svg.find("nan") == std::string::npos);
  CHECK(svg.find("inf\"") == std::string::npos);
  CHECK(svg.size() < 200'000);
}

TEST_CASE("8 racks of NVL72: a frame a rack, a bundle for each rack and rail") {
  const std::string svg = drawn(cluster("dgx-superpod-gb200", 144));
  CHECK(well_formed(svg));
  CHECK(count(svg, ": 18 hosts</title>") == 8);
  for (int host = 0; host < 144; ++host)
    CHECK(count(svg, "<title>node" + std::to_string(host) + " GPU ") == 4);
  CHECK(count(svg, ": 18 x 47 GB/s</title>") == 8 * 4);
  CHECK(svg.size() < 200'000);
}

TEST_CASE("what is too much to read is one box, and no host is lost by it") {
  const std::string svg = drawn(cluster("dgx-superpod-h100", 1024));
  CHECK(well_formed(svg));
  CHECK(svg.find("unit 0: 32 hosts, 256 GPUs") != std::string::npos);
  CHECK(svg.find("unit 1: 32 hosts, 256 GPUs") != std::string::npos);
  CHECK(svg.find("units 6 to 31: 832 hosts, 6656 GPUs") != std::string::npos);
  CHECK(svg.find("128 spine switches") != std::string::npos);
  CHECK(svg.size() < 200'000);
}

TEST_CASE("a highlight marks its GPUs and dims the others") {
  const std::string svg = drawn(cluster("gcp-a4", 2), {"TP group of rank 0", {0, 1, 2}});
  CHECK(count(svg, " mark\"") == 3);
  CHECK(count(svg, " dim\"") == 13);
  CHECK(svg.find("TP group of rank 0") != std::string::npos);
}

TEST_CASE("uneven hosts and a third level are drawn, too") {
  const std::string svg = drawn(uneven_map());
  CHECK(well_formed(svg));
  for (const char* host : {"host-0", "host-1", "host-2", "host-3"}) {
    CAPTURE(host);
    CHECK(count(svg, std::string("<title>") + host + "</title>") == 1);
  }
  CHECK(count(svg, "<title>GPU ") == 8);
  CHECK(count(svg, ">1 core switch<") == 1);
  CHECK(count(svg, ": 1 x 2 GB/s</title>") == 2);  // spines to the core
  CHECK(count(svg, ": 4 x 1 GB/s</title>") == 1);  // the first host to its leaf
}

TEST_CASE("names cannot break the drawing") {
  ClusterSpec spec = small_spec();
  spec.name = "a<b>&\"c\"\n\xff";
  const std::string svg = drawn(Cluster(spec));
  CHECK(well_formed(svg));
  CHECK(svg.find("a&lt;b&gt;&amp;&quot;c&quot;??") != std::string::npos);
}

TEST_CASE("one host is a picture too, and the same input is the same picture") {
  ClusterSpec spec = small_spec();
  spec.nodes = 1;
  CHECK(well_formed(drawn(Cluster(spec))));
  CHECK(drawn(Cluster(spec)) == drawn(Cluster(spec)));
}

TEST_CASE("bandwidths are read with their unit") {
  CHECK(bandwidth_text(Bandwidth(47e9)) == "47 GB/s");
  CHECK(bandwidth_text(Bandwidth(57.142857e9)) == "57.14 GB/s");
  CHECK(bandwidth_text(Bandwidth(12.8e12)) == "12.8 TB/s");
  CHECK(bandwidth_text(Bandwidth(3.6864e15)) == "3.686 PB/s");
}

}  // namespace
}  // namespace simtrain::testing::cluster_svg_test
