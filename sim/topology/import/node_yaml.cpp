#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/topology/import/node_inventory.h"
#include "sim/topology/specs/cluster_spec.h"
#include "sim/topology/specs/node_fields.h"

namespace simtrain {
namespace {

/// A value of the node file as it is written there.
struct Finding {
  std::string value;
  std::string source;
  [[nodiscard]] bool assumed() const { return source.starts_with("assumed"); }
};

/// Names from a foreign file as they may be written in a comment or a quoted text.
std::string printable(std::string text) {
  for (char& c : text) {
    if (c < ' ' || c > '~' || c == '"' || c == '\\') c = '?';
  }
  return text;
}

std::string written(Bandwidth rate) { return fmt::format("{} Gb/s", rate.value() * 8 / 1e9); }

std::string written(Duration time) {
  return fmt::format("{} us", static_cast<double>(time.count()) / 1e6);
}

/// A node of the data folder with this GPU and NVLink switches, if possible with as many: what a
/// file does not give is assumed to be as there.
std::optional<NodeSpec> similar_node(const std::string& gpu, int gpus, const DataFolder& data) {
  std::optional<NodeSpec> found;
  for (const std::string& name : data.names("hardware/nodes")) {
    auto node = data.load<NodeSpec>("hardware/nodes", name, {}, "");
    if (node.gpu != gpu || node.is_mesh() || (found && (found->gpus == gpus || node.gpus != gpus)))
      continue;
    found = std::move(node);
  }
  return found;
}

class NodeWriter {
 public:
  NodeWriter(const NodeInventory& node, const ImportRequest& request, const DataFolder& data)
      : node_(node),
        request_(request),
        gpu_(choose_gpu(node, request.gpu, data)),
        nics_(compute_nics(node)),
        similar_(similar_node(gpu_.name, node.gpus, data)) {}

  [[nodiscard]] std::string text() const {
    const std::vector<std::pair<std::string, Finding>> values{
        {"nics", nics()},
        {"nic_bandwidth", nic_bandwidth()},
        {"nvlink_domain_nodes", nvlink_domain_nodes()},
        {"nvswitches", nvswitches()},
        {"host_launch_latency", host_launch_latency()}};
    std::vector<std::string> assumed;
    if (gpu_.assumed) assumed.emplace_back("gpu");
    for (const auto& [key, finding] : values) {
      if (finding.assumed()) assumed.push_back(key);
    }
    std::string out = comments();
    out += fmt::format("# ASSUMED, to be checked: {}\n",
                       assumed.empty() ? "nothing" : fmt::format("{}", fmt::join(assumed, ", ")));
    out += fmt::format("name: {}\ndescription: {} x {} with {} compute NICs, imported from {}\n",
                       request_.name, node_.gpus, gpu_.name, nics_.size(), node_.origin);
    out += fmt::format("gpu: {} # {}\ngpus: {}\n", gpu_.name, gpu_.reason, node_.gpus);
    for (const auto& [key, finding] : values) {
      out += fmt::format("{}: {{value: {}, source: \"{}\"}}\n", key, finding.value,
                         printable(finding.source));
    }
    return out;
  }

 private:
  [[nodiscard]] std::string comments() const {
    std::string out = fmt::format("# Made by 'simtrain import' from {} ({}).\n",
                                  printable(node_.where.file), node_.origin);
    std::vector<std::string> pairs;
    pairs.reserve(nics_.size());
    for (std::size_t gpu = 0; gpu < nics_.size(); ++gpu) {
      const FoundNic& nic = node_.nics[nics_[gpu]];
      pairs.push_back(fmt::format("{} ({})", printable(nic.name), name_of(nic.to_gpu[gpu])));
    }
    out += fmt::format("# Compute NICs, GPU 0 first: {}\n", fmt::join(pairs, ", "));
    std::vector<std::string> others;
    for (std::size_t nic = 0; nic < node_.nics.size(); ++nic) {
      if (std::find(nics_.begin(), nics_.end(), nic) == nics_.end())
        others.push_back(printable(node_.nics[nic].name));
    }
    if (!others.empty()) {
      out += fmt::format("# Left out, not the nearest of any GPU (storage, management): {}\n",
                         fmt::join(others, ", "));
    }
    return out;
  }

  [[nodiscard]] Finding nics() const {
    const bool far = std::any_of(nics_.begin(), nics_.end(), [&](std::size_t nic) {
      const auto& near = node_.nics[nic].to_gpu;
      return *std::min_element(near.begin(), near.end()) > Nearness::phb;
    });
    if (far) {
      return {std::to_string(nics_.size()),
              fmt::format("assumed: {} has no NIC nearer than NODE; one of the same NUMA node for "
                          "each GPU",
                          node_.origin)};
    }
    return {std::to_string(nics_.size()),
            fmt::format("{}: the nearest NIC of each GPU, of {} in all", node_.origin,
                        node_.nics.size())};
  }

  [[nodiscard]] Finding nic_bandwidth() const {
    if (request_.nic_bandwidth)
      return {written(*request_.nic_bandwidth), "given with --nic-bandwidth"};
    std::vector<double> speeds;
    for (const std::size_t nic : nics_) {
      if (node_.nics[nic].speed) speeds.push_back(node_.nics[nic].speed->value());
    }
    if (speeds.size() == nics_.size()) {
      const auto [least, most] = std::minmax_element(speeds.begin(), speeds.end());
      const std::string which = *least == *most ? "" : ", the slowest of unequal NICs";
      return {written(Bandwidth(*least)), fmt::format("{}: net speed{}", node_.origin, which)};
    }
    if (similar_) return as_similar(written(similar_->nic_bandwidth.value));
    throw InputError(node_.where, "nic_bandwidth",
                     fmt::format("{} does not give it, and hardware/nodes has no {} node; set it "
                                 "with --nic-bandwidth \"400 Gb/s\"",
                                 node_.origin, gpu_.name));
  }

  [[nodiscard]] Finding nvlink_domain_nodes() const {
    if (node_.domain_nodes) {
      return {std::to_string(*node_.domain_nodes),
              "assumed: the hosts of the " + node_.origin + "; their NVLink domain may have more"};
    }
    if (similar_) return as_similar(std::to_string(similar_->nvlink_domain_nodes.value));
    return {"1", "assumed: NVLink stays inside the node"};
  }

  [[nodiscard]] Finding nvswitches() const {
    if (node_.nvswitches) {
      return {std::to_string(*node_.nvswitches),
              node_.origin + ": different targets of the GPUs' NVLinks"};
    }
    if (similar_) return as_similar(std::to_string(similar_->nvswitches.value));
    return {"1", "assumed: all switch chips as one; " + node_.origin + " does not give it"};
  }

  [[nodiscard]] Finding host_launch_latency() const {
    if (similar_) return as_similar(written(similar_->host_launch_latency.value));
    return {"5 us", "assumed: what launches cost on the Xeon hosts of HGX nodes"};
  }

  [[nodiscard]] Finding as_similar(std::string value) const {
    return {std::move(value),
            fmt::format("assumed: as in hardware/nodes/{}.yaml, which has the same "
                        "GPU; {} does not give it",
                        similar_->name, node_.origin)};
  }

  const NodeInventory& node_;
  const ImportRequest& request_;
  GpuChoice gpu_;
  std::vector<std::size_t> nics_;
  std::optional<NodeSpec> similar_;
};

}  // namespace

std::string node_yaml(const NodeInventory& node, const ImportRequest& request,
                      const DataFolder& data) {
  return NodeWriter(node, request, data).text();
}

}  // namespace simtrain
