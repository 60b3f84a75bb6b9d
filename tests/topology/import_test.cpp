#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "sim/topology/cluster.h"
#include "sim/topology/import/import_format.h"
#include "sim/topology/import/node_inventory.h"
#include "sim/topology/specs/node_fields.h"
#include "tests/core/checkout.h"
#include "tests/core/error_of.h"

namespace simtrain::testing::import_test {
namespace {

const DataFolder kData(source_dir());

ImportFile input(const std::string& name) {
  std::ifstream file(source_dir() + "/tests/topology/data/" + name, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  REQUIRE(!text.str().empty());
  return {name, text.str()};
}

/// The file with every `from` replaced; it has to be there.
ImportFile edited(ImportFile file, const std::string& from, const std::string& to) {
  REQUIRE(file.text.find(from) != std::string::npos);
  for (std::size_t at = 0; (at = file.text.find(from, at)) != std::string::npos; at += to.size())
    file.text.replace(at, from.size(), to);
  return file;
}

std::string imported(const ImportFile& file, const ImportRequest& request,
                     const DataFolder& data = kData) {
  for (const ImportFormat& format : node_formats()) {
    if (format.recognizes(file.text)) return format.read(file, request, data);
  }
  return "";
}

NodeSpec node_of(const std::string& name, const ImportRequest& request) {
  const std::string yaml = imported(input(name), request);
  CAPTURE(yaml);
  return read_yaml<NodeSpec>(load_yaml_text(yaml, "imported.yaml"), "");
}

bool assumed(const auto& value) { return value.source.starts_with("assumed: "); }

std::vector<std::string> names(const NodeInventory& node) {
  std::vector<std::string> result;
  for (const std::size_t nic : compute_nics(node)) result.push_back(node.nics[nic].name);
  return result;
}

const std::vector<std::string> kHgxNics{"mlx5_0", "mlx5_3", "mlx5_4",  "mlx5_5",
                                        "mlx5_6", "mlx5_9", "mlx5_10", "mlx5_11"};

/// A row of a small table, "GPU0 X NV18 PIX"; the affinities are left out.
NodeInventory table(const std::string& text) { return read_smi_topology({"t", text}); }

}  // namespace

TEST_CASE("an NCCL dump of an HGX H100 gives all but the domain and the host") {
  const NodeSpec node = node_of("hgx-h100-nccl.xml", {"lab", "h100-sxm", {}});
  CHECK(node.name == "lab");
  CHECK(node.gpu == "h100-sxm");
  CHECK(node.gpus == 8);
  CHECK(node.nics.value == 8);
  CHECK(node.nic_bandwidth.value == Bandwidth(50e9));
  CHECK(node.nvswitches.value == 4);
  CHECK(node.nvlink_domain_nodes.value == 1);
  CHECK(node.host_launch_latency.value == std::chrono::microseconds(5));
  CHECK(!assumed(node.nics));
  CHECK(!assumed(node.nic_bandwidth));
  CHECK(!assumed(node.nvswitches));
  CHECK(assumed(node.nvlink_domain_nodes));
  CHECK(assumed(node.host_launch_latency));
}

TEST_CASE("the comments name the NICs that were left out and what is assumed") {
  const std::string yaml = imported(input("hgx-h100-nccl.xml"), {"lab", "h100-sxm", {}});
  CHECK(yaml.find("# Left out, not the nearest of any GPU (storage, management): mlx5_1, mlx5_2, "
                  "mlx5_7, mlx5_8\n") != std::string::npos);
  CHECK(yaml.find("# ASSUMED, to be checked: nvlink_domain_nodes, host_launch_latency\n") !=
        std::string::npos);
}

TEST_CASE("a compute NIC is the nearest of its GPU; storage NICs stay out") {
  CHECK(names(read_nccl_topology(input("hgx-h100-nccl.xml"))) == kHgxNics);
  CHECK(names(read_nccl_topology(input("hgx-b200-nccl.xml"))) == kHgxNics);
  CHECK(names(read_smi_topology(input("dgx-h100-smi.txt"))) == kHgxNics);
  // Below other switches of the same root: PXB. The two storage NICs hang on the CPU.
  CHECK(names(read_nccl_topology(input("dgx-a100-nccl.xml"))) ==
        std::vector<std::string>{"mlx5_0", "mlx5_1", "mlx5_2", "mlx5_3", "mlx5_4", "mlx5_5",
                                 "mlx5_6", "mlx5_7"});
  // A tray's NICs are equally near; the slower ones are storage.
  CHECK(names(read_nccl_topology(input("gb200-tray-nccl.xml"))) ==
        std::vector<std::string>{"mlx5_0", "mlx5_1", "mlx5_4", "mlx5_5"});
  CHECK(names(read_smi_topology(input("gb200-tray-smi.txt"))) ==
        std::vector<std::string>{"mlx5_0", "mlx5_1", "mlx5_4", "mlx5_5"});
}

TEST_CASE("the same machine gives the same inventory in both formats") {
  const NodeInventory smi = read_smi_topology(input("dgx-h100-smi.txt"));
  const NodeInventory nccl = read_nccl_topology(input("hgx-h100-nccl.xml"));
  CHECK(smi.gpus == nccl.gpus);
  CHECK(smi.nvlinks == nccl.nvlinks);
  CHECK(smi.nics.size() == nccl.nics.size());
  CHECK(!smi.compute_capability);
  CHECK(nccl.compute_capability == 90);
}

TEST_CASE("switches that the driver hides are those of a node with the same GPU") {
  const NodeSpec node = node_of("hgx-b200-nccl.xml", {"lab", {}, {}});
  CHECK(node.gpu == "b200-sxm");
  CHECK(node.nvswitches.value == 2);
  CHECK(assumed(node.nvswitches));
}

TEST_CASE("A dump of several trays counts them as the NVLink domain") {
  const NodeSpec node = node_of("gb200-two-trays-nccl.xml", {"lab", {}, {}});
  CHECK(node.gpus == 4);
  CHECK(node.nvlink_domain_nodes.value == 2);
  CHECK(node_of("gb200-tray-nccl.xml", {"lab", {}, {}}).nvlink_domain_nodes.value == 18);
}

TEST_CASE("what the user gives goes before what could be assumed") {
  const NodeSpec node = node_of("dgx-h100-smi.txt", {"lab", "h100-sxm", Bandwidth(25e9)});
  CHECK(node.gpu == "h100-sxm");
  CHECK(node.nic_bandwidth.value == Bandwidth(25e9));
  CHECK(!assumed(node.nic_bandwidth));
  CHECK(node_of("dgx-h100-smi.txt", {"lab", "h100-sxm", {}}).nic_bandwidth.value ==
        Bandwidth(50e9));
  CHECK(assumed(node_of("dgx-h100-smi.txt", {"lab", "h100-sxm", {}}).nic_bandwidth));
}

TEST_CASE("the slowest of unequal compute NICs is the rate of all") {
  ImportFile file = input("hgx-h100-nccl.xml");
  file.text.replace(file.text.find("speed=\"400000\""), 14, "speed=\"200000\"");
  const std::string yaml = imported(file, {"lab", "h100-sxm", {}});
  CHECK(yaml.find("nic_bandwidth: {value: 200 Gb/s, source: \"NCCL topology dump: net speed, the "
                  "slowest of unequal NICs\"}") != std::string::npos);
}

TEST_CASE("a GPU that the file leaves open has to be given") {
  const auto refused = [](const ImportFile& file, std::optional<std::string> gpu) {
    return error_of([&] { imported(file, {"lab", std::move(gpu), {}}); });
  };
  CHECK(refused(input("dgx-h100-smi.txt"), {}) ==
        "dgx-h100-smi.txt:1:6: gpu: 18 NVLinks a GPU: h100-sxm or h200-sxm or b200-sxm or gb200 or "
        "b300-sxm or gb300; choose with --gpu NAME, one of a100-pcie-40gb, a100-pcie-80gb, "
        "a100-sxm, a100-sxm-40gb, b200-sxm, b300-sxm, gb200, gb300, gh200-144gb, gh200-96gb, "
        "h100-nvl, h100-pcie, h100-sxm, h100-sxm-96gb, h20, h200-nvl, h200-sxm, h800-sxm, l40s, "
        "mi250x, mi300x, mi325x, mi355x");
  CHECK(
      refused(input("hgx-h100-nccl.xml"), "gb200") ==
      "hgx-h100-nccl.xml:11: gpu: the file gives sm 90, 18 NVLinks a GPU, x86_64 CPUs; a gb200 has "
      "sm 100, 18 NVLinks and arm64 CPUs");
  CHECK(refused(input("hgx-h100-nccl.xml"), "h100-sx") ==
        "--gpu: 'h100-sx' is not in hardware/gpus; did you mean 'h100-sxm'?");
}

TEST_CASE("a table with spaces for tabs, without legend and below a prompt is read as well") {
  const NodeInventory node = table(
      "$ nvidia-smi topo -m\n"
      "      GPU0 GPU1 mlx5_0 mlx5_1 CPU Affinity NUMA Affinity\n"
      "GPU0   X   NV18 PXB    SYS    0-15 0\r\n"
      "GPU1   NV18 X   SYS    PHB    16-31 1\n"
      "mlx5_0 PXB SYS  X      SYS\n"
      "mlx5_1 SYS PHB  SYS    X\n");
  CHECK(node.gpus == 2);
  CHECK(node.nvlinks == 18);
  CHECK(names(node) == std::vector<std::string>{"mlx5_0", "mlx5_1"});
}

TEST_CASE("where two GPUs want one NIC, the one that has another takes that") {
  // GPU0 reaches both NICs by PIX, GPU1 only the first.
  const NodeInventory node = table(
      " GPU0 GPU1 NIC0 NIC1 CPU Affinity\n"
      "GPU0 X NV12 PIX PIX\nGPU1 NV12 X PIX SYS\nNIC0 PIX PIX X PIX\nNIC1 PIX SYS PIX X\n");
  CHECK(names(node) == std::vector<std::string>{"NIC1", "NIC0"});
}

TEST_CASE("wrong tables are refused at their place") {
  const auto refused = [](const std::string& text) { return error_of([&] { table(text); }); };
  CHECK(refused(" GPU0 GPU0\n") == "t:1:7: GPU0: is in the header twice");
  CHECK(refused("nothing\n") == "t: names no GPU");
  CHECK(refused(" GPU0 NIC0\nGPU0 X PIX\n") ==
        "t:2:1: the table ends before the row of NIC0; is the file cut off?");
  CHECK(refused(" GPU0 NIC0\nGPU0 X\nNIC0 PIX X\n") ==
        "t:2:6: GPU0: the row has 1 cells for the 2 devices of the header; is the file cut off?");
  CHECK(refused(" GPU0 NIC0\nNIC0 X PIX\n") ==
        "t:2:1: 'NIC0' is where the row of GPU0 should be; the table has the rows of its header, "
        "in that order");
  CHECK(refused(" GPU0 NIC0\nGPU0 X PIXX\nNIC0 PIX X\n") ==
        "t:2:8: 'PIXX' is no cell of nvidia-smi topo -m; X, NV1 to NV99, PIX, PXB, PHB, NODE or "
        "SYS would do");
  CHECK(refused(" GPU0 NIC0\nGPU0 X PIX\nNIC0 SYS X\n") ==
        "t:3:6: NIC0 to GPU0 is SYS, but back it is PIX");
  CHECK(refused(" GPU0 NIC0\nGPU0 PIX X\nNIC0 X PIX\n") ==
        "t:2:6: 'PIX' is between GPU0 and GPU0; X belongs in the diagonal and nowhere else");
  CHECK(refused(" GPU0 GPU1\nGPU0 X SYS\nGPU1 SYS X\n") ==
        "t:2:8: 'SYS' joins two GPUs; a node file knows GPUs behind NVSwitches, where all pairs "
        "have the same number of NVLinks");
  CHECK(refused(" GPU0 NIC0\nGPU0 X NV2\nNIC0 NV2 X\n") ==
        "t:2:8: 'NV2' joins a GPU and a NIC; only PCIe does");
}

TEST_CASE("a GPU without a NIC of its own is refused") {
  const NodeInventory node =
      table(" GPU0 GPU1 NIC0 CPU Affinity\nGPU0 X NV12 PIX\nGPU1 NV12 X PIX\nNIC0 PIX PIX X\n");
  CHECK(error_of([&] { compute_nics(node); }) ==
        "t:1:2: 1 of 2 GPUs have a NIC of their own near them (PIX, PXB, PHB); a node file needs "
        "one for each");
}

TEST_CASE("wrong dumps are refused at their line") {
  const auto refused = [](const std::string& from, const std::string& to) {
    const ImportFile file = edited(input("hgx-h100-nccl.xml"), from, to);
    return error_of([&] { read_nccl_topology(file); });
  };
  const std::string f = "hgx-h100-nccl.xml:";
  CHECK(refused("version=\"1\"", "version=\"2\"") ==
        f + "2: system.version: '2' is out of range; 1 to 1 would do");
  CHECK(refused("<system version=\"1\">", "<system>") == f + "2: system.version: is missing");
  CHECK(refused("sm=\"90\"", "sm=\"ninety\"") ==
        f + "11: gpu.sm: must be a whole number, found 'ninety'");
  CHECK(refused("dev=\"1\" sm", "dev=\"0\" sm") ==
        f + "26: gpu: dev 0 is the GPU of line 11 again");
  CHECK(refused("0000:3c:00.0", "0000:19:00.0") ==
        f + "26: gpu: busid 0000:19:00.0 is the GPU of line 11 again");
  CHECK(refused("speed=\"200000\"", "speed=\"-1\"") ==
        f + "66: net.speed: '-1' is out of range; 1 to 100000000 would do");
  CHECK(refused("0x068000", "0x030200")
            .starts_with(f + "12: nvlink.tclass: '0x030200' is no NVSwitch (0x068000)"));
  CHECK(error_of([] {
          read_nccl_topology({"x", "<system version=\"1\"><cpu/></system>"});
        }) == "x:1: system: names no GPU in its first host");
  CHECK(refused("target=\"0000:05:00.0\" count=\"5\"", "target=\"0000:05:00.0\" count=\"0\"") ==
        f + "12: nvlink.count: '0' is out of range; 1 to 1000 would do");
  CHECK(refused("</system>", "").find("is not XML that can be read") != std::string::npos);
  CHECK(error_of([] {
          read_nccl_topology({"x", "<graphs version=\"1\"/>"});
        }) == "x:1: is XML with the root <graphs>; an NCCL topology dump has <system>");
}

TEST_CASE("deep nesting and endless devices are refused, not followed") {
  std::string deep = "<system version=\"1\"><cpu>";
  for (int i = 0; i < 100000; ++i) deep += "<pci>";
  CHECK(error_of([&] {
          read_nccl_topology({"x", deep});
        }) == "x:1: is not XML that can be read: XML_ELEMENT_DEPTH_EXCEEDED");
  std::string wide = "<system version=\"1\"><cpu><pci><nic>";
  for (int i = 0; i < 1000; ++i) wide += "<net name=\"n\" speed=\"1000\"/>";
  CHECK(error_of([&] {
          read_nccl_topology({"x", wide + "</nic></pci></cpu></system>"});
        }) == "x:1: is one of more than 256 GPUs and NICs of one host");
}

TEST_CASE("an element with very many attributes is refused at its line, and at once") {
  const auto with = [](int attributes) {
    std::string text = "<!-- <a b=\"1\" -->\n<system version=\"1\">\n<cpu";
    for (int i = 0; i < attributes; ++i)
      text += fmt::format(" a{}=\"{}\"", i, i % 2 == 0 ? ">" : "'");
    return ImportFile{"x", text + "/></system>"};
  };
  CHECK(error_of([&] { read_nccl_topology(with(100'000)); }) ==
        "x:3: an element with 100000 attributes; at most 256 are read");
  CHECK(error_of([&] { read_nccl_topology(with(256)); }) ==
        "x:2: system: names no GPU in its first host");
}

TEST_CASE("names from outside cannot break out of a comment or a text") {
  const std::string yaml =
      imported(edited(input("hgx-h100-nccl.xml"), "mlx5_1\"", "a&quot;&#10;name: b\""),
               {"lab", "h100-sxm", {}});
  CHECK(read_yaml<NodeSpec>(load_yaml_text(yaml, "imported.yaml"), "").name == "lab");
}

}  // namespace simtrain::testing::import_test
