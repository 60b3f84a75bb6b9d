#include <algorithm>
#include <set>
#include <string_view>
#include <tinyxml2.h>

#include <fmt/format.h>

#include "sim/core/input/scalar_text.h"
#include "sim/topology/import/node_inventory.h"
#include "sim/topology/import/xml_limits.h"

namespace simtrain {
namespace {

using tinyxml2::XMLElement;

/// The PCIe devices above a device, CPU first.
using Way = std::vector<const XMLElement*>;

struct Gpu {
  const XMLElement* element = nullptr;
  std::int64_t dev = 0;
  std::int64_t compute_capability = 0;
  Way way;
};

struct Net {
  const XMLElement* element = nullptr;
  Bandwidth speed;
  Way way;
};

/// What is below the CPUs of one host.
struct NcclHost {
  std::string hash;
  std::vector<Gpu> gpus;
  std::vector<Net> nets;
};

/// Reads the elements of one dump; a wrong one is an InputError at its line.
class Dump {
 public:
  explicit Dump(std::string file) : file_(std::move(file)) {}

  [[nodiscard]] SourcePlace place(const XMLElement& element) const {
    return {file_, element.GetLineNum(), 0};
  }

  [[nodiscard]] std::string text(const XMLElement& element, const char* name) const {
    const char* value = element.Attribute(name);
    if (value == nullptr) throw InputError(place(element), key(element, name), "is missing");
    return value;
  }

  [[nodiscard]] std::int64_t integer(const XMLElement& element, const char* name,
                                     Limits limits) const {
    YamlNode node;
    node.kind = YamlNode::Kind::scalar;
    node.place = place(element);
    node.text = text(element, name);
    return scalar_integer(node, key(element, name), limits);
  }

  [[nodiscard]] std::vector<NcclHost> hosts(const XMLElement& system) const {
    std::vector<NcclHost> found;
    for (const auto* cpu = system.FirstChildElement("cpu"); cpu != nullptr;
         cpu = cpu->NextSiblingElement("cpu")) {
      const char* hash = cpu->Attribute("host_hash");
      const std::string name = hash == nullptr ? "" : hash;
      auto host = std::find_if(found.begin(), found.end(),
                               [&](const NcclHost& one) { return one.hash == name; });
      if (host == found.end()) host = found.insert(found.end(), NcclHost{name, {}, {}});
      collect(*cpu, {cpu}, *host);
    }
    return found;
  }

 private:
  [[nodiscard]] static std::string key(const XMLElement& element, const char* name) {
    return fmt::format("{}.{}", element.Name(), name);
  }

  /// Walks down; tinyxml2 has refused deep nesting already.
  void collect(const XMLElement& parent, const Way& way, NcclHost& host) const {
    for (const auto* child = parent.FirstChildElement(); child != nullptr;
         child = child->NextSiblingElement()) {
      const std::string_view name = child->Name();
      if (name == "pci") {
        Way longer = way;
        longer.push_back(child);
        collect(*child, longer, host);
      } else if (name == "nic") {
        collect(*child, way, host);
      } else if (name == "gpu") {
        add_gpu(*child, way, host);
      } else if (name == "net") {
        host.nets.push_back({child, speed(*child), above(way)});
      }
      if (host.gpus.size() + host.nets.size() > kMostDevices) {
        throw InputError(place(*child), "",
                         fmt::format("is one of more than {} GPUs and NICs of "
                                     "one host",
                                     kMostDevices));
      }
    }
  }

  void add_gpu(const XMLElement& element, const Way& way, NcclHost& host) const {
    Gpu gpu{&element, integer(element, "dev", {0, 1e6}), integer(element, "sm", {10, 999}),
            above(way)};
    for (const Gpu& other : host.gpus) {
      const bool same_bus = bus(*other.element) == bus(element);
      if (other.dev != gpu.dev && !same_bus) continue;
      throw InputError(
          place(element), "gpu",
          fmt::format("{} is the GPU of line {} again",
                      same_bus ? "busid " + bus(element) : fmt::format("dev {}", gpu.dev),
                      other.element->GetLineNum()));
    }
    host.gpus.push_back(std::move(gpu));
  }

  /// The PCIe address of the device that an element describes.
  [[nodiscard]] std::string bus(const XMLElement& element) const {
    const auto* pci = element.Parent()->ToElement();
    if (std::string_view(pci->Name()) != "pci") {
      throw InputError(place(element), element.Name(), "is in no pci element");
    }
    return text(*pci, "busid");
  }

  [[nodiscard]] Bandwidth speed(const XMLElement& net) const {  // in Mb/s
    return Bandwidth(static_cast<double>(integer(net, "speed", {1, 1e8})) * (1e6 / 8));
  }

  /// A way without the device itself, which has a pci element of its own.
  [[nodiscard]] static Way above(Way way) {
    if (way.size() > 1) way.pop_back();
    return way;
  }

  std::string file_;
};

Nearness nearness(const Way& a, const Way& b) {
  const auto [in_a, in_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  const auto common = in_a - a.begin();
  if (common == 0) return Nearness::sys;
  if (common == 1) return Nearness::phb;
  return in_a == a.end() && in_b == b.end() ? Nearness::pix : Nearness::pxb;
}

struct NvLinks {
  int count = 0;
  std::set<std::string> switches;  ///< PCIe addresses; empty where the driver hides them
};

NvLinks nvlinks_of(const Dump& dump, const XMLElement& gpu) {
  constexpr std::string_view kSwitchClass = "0x068000";  // PCI class of an NVSwitch
  NvLinks links;
  for (const auto* link = gpu.FirstChildElement("nvlink"); link != nullptr;
       link = link->NextSiblingElement("nvlink")) {
    if (dump.text(*link, "tclass") != kSwitchClass) {
      throw InputError(dump.place(*link), "nvlink.tclass",
                       fmt::format("'{}' is no NVSwitch ({}); a node file knows GPUs behind "
                                   "NVSwitches only",
                                   dump.text(*link, "tclass"), kSwitchClass));
    }
    links.count += static_cast<int>(dump.integer(*link, "count", {1, 1000}));
    const std::string target = dump.text(*link, "target");
    // In virtual machines and under newer fabric managers all targets read fffffff:ffff:ff.
    if (!target.starts_with("fff")) links.switches.insert(target);
    if (links.count > 1000) {
      throw InputError(dump.place(*link), "nvlink", "makes more than 1000 NVLinks of one GPU");
    }
  }
  if (links.count == 0) {
    throw InputError(dump.place(gpu), "gpu",
                     "has no nvlink element; a node file knows GPUs behind NVSwitches only");
  }
  return links;
}

void read_gpus(const Dump& dump, const std::vector<Gpu>& gpus, NodeInventory& node) {
  std::set<std::string> switches;
  for (const Gpu& gpu : gpus) {
    const NvLinks links = nvlinks_of(dump, *gpu.element);
    const auto capability = static_cast<int>(gpu.compute_capability);
    if (node.nvlinks.value_or(links.count) != links.count ||
        node.compute_capability.value_or(capability) != capability) {
      throw InputError(
          dump.place(*gpu.element), "gpu",
          fmt::format("sm {} with {} NVLinks, but the GPUs before have sm {} with {}; "
                      "the GPUs of a node are alike",
                      capability, links.count, *node.compute_capability, *node.nvlinks));
    }
    node.nvlinks = links.count;
    node.compute_capability = capability;
    switches.insert(links.switches.begin(), links.switches.end());
  }
  node.gpus = static_cast<int>(gpus.size());
  if (!switches.empty()) node.nvswitches = static_cast<int>(switches.size());
}

/// One node of a dump; where it covers an NVLink domain of several, all have to be alike.
NcclHost first_host(const Dump& dump, const XMLElement& system,
                    const std::vector<NcclHost>& hosts) {
  if (hosts.empty() || hosts.front().gpus.empty()) {
    throw InputError(dump.place(system), "system", "names no GPU in its first host");
  }
  for (const NcclHost& host : hosts) {
    if (host.gpus.size() == hosts.front().gpus.size()) continue;
    throw InputError(
        dump.place(system), "system",
        fmt::format("host {} has {} GPUs, host {} has {}; a node file needs them alike",
                    hosts.front().hash, hosts.front().gpus.size(), host.hash, host.gpus.size()));
  }
  NcclHost host = hosts.front();
  std::sort(host.gpus.begin(), host.gpus.end(),
            [](const Gpu& a, const Gpu& b) { return a.dev < b.dev; });
  return host;
}

const XMLElement& root_of(const tinyxml2::XMLDocument& document, const Dump& dump,
                          const std::string& file) {
  if (document.Error()) {
    throw InputError({file, document.ErrorLineNum(), 0}, "",
                     fmt::format("is not XML that can be read: {}",
                                 tinyxml2::XMLDocument::ErrorIDToName(document.ErrorID())));
  }
  const XMLElement* root = document.RootElement();
  if (root == nullptr) throw InputError({file}, "", "holds no XML element");
  if (std::string_view(root->Name()) != "system") {
    throw InputError(
        dump.place(*root), "",
        fmt::format("is XML with the root <{}>; an NCCL topology dump has <system>", root->Name()));
  }
  static_cast<void>(dump.integer(*root, "version", {1, 1}));
  return *root;
}

}  // namespace

NodeInventory read_nccl_topology(const ImportFile& file) {
  check_attributes(file);
  const Dump dump(file.path);
  tinyxml2::XMLDocument document;
  document.Parse(file.text.data(), file.text.size());
  const XMLElement& system = root_of(document, dump, file.path);
  const std::vector<NcclHost> hosts = dump.hosts(system);
  const NcclHost host = first_host(dump, system, hosts);

  NodeInventory node;
  node.origin = "NCCL topology dump";
  node.where = dump.place(*host.gpus.front().element);
  read_gpus(dump, host.gpus, node);
  const char* arch = host.gpus.front().way.front()->Attribute("arch");
  node.cpu_arch = arch == nullptr ? "" : arch;
  if (hosts.size() > 1) node.domain_nodes = static_cast<int>(hosts.size());
  for (const Net& net : host.nets) {
    FoundNic nic{dump.text(*net.element, "name"), net.speed, {}};
    nic.to_gpu.reserve(host.gpus.size());
    for (const Gpu& gpu : host.gpus) nic.to_gpu.push_back(nearness(gpu.way, net.way));
    node.nics.push_back(std::move(nic));
  }
  return node;
}

}  // namespace simtrain
