#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/property/draw.h"

namespace simtrain::testing {

/// A cluster that jobs may land on.
struct ClusterChoice {
  std::string name;
  int gpus = 8;    ///< of a host
  int hosts = 64;  ///< at most
};

/// A data folder with the hardware of the source tree and clusters drawn at random: nodes of one to
/// eight GPUs with as many NICs or fewer, NVLink domains of several nodes, fabrics of both wirings,
/// oversubscribed or not, of all routings, with and without PXN, and graphs of unlike hosts.
class RandomClusters {
 public:
  RandomClusters(std::filesystem::path root, const std::filesystem::path& source,
                 std::uint64_t seed, int count)
      : root_(std::move(root)), draw_(seed) {
    namespace fs = std::filesystem;
    fs::remove_all(root_);
    fs::create_directories(root_ / "scenarios");
    fs::create_directory_symlink(source / "scenarios/models", root_ / "scenarios/models");
    fs::create_directories(root_ / "hardware");
    for (const auto& entry : fs::directory_iterator(source / "hardware")) {
      const std::string name = entry.path().filename().string();
      if (name == "nodes" || name == "fabrics" || name == "clusters") {
        fs::copy(entry.path(), root_ / "hardware" / name);
      } else if (entry.is_directory()) {
        fs::create_directory_symlink(entry.path(), root_ / "hardware" / name);
      } else {
        fs::copy(entry.path(), root_ / "hardware" / name);
      }
    }
    for (int i = 0; i < count; ++i) add(fmt::format("own-{}", i));
  }

  [[nodiscard]] const std::filesystem::path& root() const { return root_; }
  /// Those of the source tree and the drawn ones, half and half.
  [[nodiscard]] const ClusterChoice& draw(Draw& draw) const {
    return draw.one_of(draw.once_in(2) ? own_ : known_);
  }

 private:
  void write(const std::string& family, const std::string& name, const std::string& text) {
    std::ofstream(root_ / "hardware" / family / (name + ".yaml"))
        << "name: " << name << "\ndescription: drawn at random\n"
        << text;
  }
  template <class Value>
  static std::string value(std::string_view key, const Value& drawn) {
    return fmt::format("{}: {{value: {}, source: drawn}}\n", key, drawn);
  }

  void add_node(const std::string& name, int gpus, int nics, int domain_nodes) {
    write("nodes", name,
          fmt::format("gpu: h100-sxm\ngpus: {}\n", gpus) + value("nics", nics) +
              value("nic_bandwidth", draw_.one_of({"400 Gb/s", "200 Gb/s", "800 Gb/s"})) +
              value("nvlink_domain_nodes", domain_nodes) +
              value("nvswitches", draw_.one_of({1, 4, 18})) + value("host_launch_latency", "5 us"));
  }

  void add_fabric(const std::string& name) {
    std::string text = draw_.once_in(2) ? "transport: roce\n" : "transport: infiniband\n";
    text += draw_.once_in(3) ? "wiring: fat-tree\n" : "wiring: rail-optimized\n";
    const int unit = draw_.between(1, 4);
    text += value("nodes_per_unit", unit);
    text += value("oversubscription", draw_.one_of({"1.0", "1.0", "1.0", "2.0"}));
    if (draw_.once_in(3)) {
      text += value("nodes_per_block", unit * draw_.between(1, 2));
      text += value("core_oversubscription", draw_.one_of({"1.0", "1.0", "3.0"}));
    }
    text += value("pxn", draw_.once_in(4) ? "false" : "true");
    text += value("routing", draw_.one_of({"ideal", "ideal", "adaptive", "ecmp"}));
    text += value("link_efficiency", "0.97") + value("switch_latency", "0.3 us") +
            value("cable_latency", "0.15 us") + value("ll_hop", "5 us") +
            value("ll128_hop", "6 us") + value("simple_hop", "14 us") +
            value("collective_start", "9 us") + value("tree_hop", "13 us") +
            value("send_receive_latency", "11 us") + value("chunk_turnaround", "10 us") +
            value("all_to_all_peer", "3 us") + value("all_to_all_turnaround", "43 us") +
            value("channel_bandwidth", "23 GB/s");
    write("fabrics", name, text);
  }

  /// Two entries of hosts, the second with its own number of NICs, below two leaves and a spine.
  std::string graph(const std::string& name, int gpus, int nics, int domain_nodes) {
    const int other = draw_.between(1, gpus);
    add_node(name + "-b", gpus, other, domain_nodes);
    const int count = 2 * domain_nodes;
    std::string text = fmt::format(
        "graph:\n  hosts:\n    - {{name: a, node: {0}, count: {1}}}\n"
        "    - {{name: b, node: {0}-b, count: {1}}}\n"
        "  switches: [{{name: leaf0}}, {{name: leaf1}}, {{name: spine0}}]\n  links:\n",
        name, count);
    const int deal = draw_.below(3);  // by NIC, by kind of host, or all below one leaf
    const auto link = [&](const std::string& from, const std::string& to,
                          const std::string& nics_) {
      text += fmt::format("    - {{from: {}, to: {}, bandwidth: {}, latency: 0.45 us{}}}\n", from,
                          to, to == "spine0" ? draw_.one_of({"1.6 Tb/s", "6.4 Tb/s"}) : "400 Gb/s",
                          nics_.empty() ? "" : ", nics: [" + nics_ + "]");
    };
    for (const auto& [host, of_host] : {std::pair<std::string, int>{"a", nics}, {"b", other}}) {
      for (int nic = 0; nic < of_host; ++nic) {
        const bool second = deal == 0 ? nic % 2 == 1 : deal == 1 && host == "b";
        link(host, second ? "leaf1" : "leaf0", std::to_string(nic));
      }
    }
    link("leaf0", "spine0", "");
    link("leaf1", "spine0", "");
    return text;
  }

  void add(const std::string& name) {
    const int gpus = draw_.one_of({1, 2, 4, 4, 8, 8, 8});
    const int nics = draw_.once_in(4) ? draw_.between(1, gpus) : gpus;
    const int domain_nodes = draw_.one_of({1, 1, 1, 2, 3});
    add_node(name, gpus, nics, domain_nodes);
    add_fabric(name);
    const bool in_graph = draw_.once_in(5);
    const std::string wires = in_graph ? graph(name, gpus, nics, domain_nodes)
                                       : "node: " + name + "\n" + value("max_nodes", 64);
    write("clusters", name, "fabric: " + name + "\n" + wires);
    own_.push_back({name, gpus, in_graph ? 4 * domain_nodes : 64});
  }

  std::filesystem::path root_;
  Draw draw_;
  std::vector<ClusterChoice> own_;
  std::vector<ClusterChoice> known_{{"dgx-superpod-h100"},     {"dgx-superpod-h100"},
                                    {"gcp-a4", 8, 28},         {"gcp-a3-ultra"},
                                    {"dgx-superpod-gb200", 4}, {"nvl72-roce", 4},
                                    {"fat-tree-h100-2to1"},    {"lab-uneven", 8, 3}};
};

}  // namespace simtrain::testing
