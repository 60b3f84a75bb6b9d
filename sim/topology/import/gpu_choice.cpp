#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/topology/import/node_inventory.h"
#include "sim/topology/specs/gpu_fields.h"
#include "sim/topology/specs/gpu_spec.h"

namespace simtrain {
namespace {

/// What distinguishes the GPUs of NVSwitch nodes, by their names in hardware/gpus.
struct GpuKind {
  std::string_view name;
  int compute_capability;
  int nvlinks;
  std::string_view cpu_arch;  ///< as NCCL names it
};

constexpr std::array<GpuKind, 7> kKinds{{{"a100-sxm", 80, 12, "x86_64"},
                                         {"h100-sxm", 90, 18, "x86_64"},
                                         {"h200-sxm", 90, 18, "x86_64"},
                                         {"b200-sxm", 100, 18, "x86_64"},
                                         {"gb200", 100, 18, "arm64"},
                                         {"b300-sxm", 103, 18, "x86_64"},
                                         {"gb300", 103, 18, "arm64"}}};

bool fits(const GpuKind& kind, const NodeInventory& node) {
  return node.nvlinks.value_or(kind.nvlinks) == kind.nvlinks &&
         node.compute_capability.value_or(kind.compute_capability) == kind.compute_capability &&
         (node.cpu_arch.empty() || node.cpu_arch == kind.cpu_arch);
}

std::string signs(const NodeInventory& node) {
  std::vector<std::string> words;
  if (node.compute_capability) words.push_back(fmt::format("sm {}", *node.compute_capability));
  if (node.nvlinks) words.push_back(fmt::format("{} NVLinks a GPU", *node.nvlinks));
  if (!node.cpu_arch.empty()) words.push_back(fmt::format("{} CPUs", node.cpu_arch));
  return words.empty() ? "no sign of the GPU's kind" : fmt::format("{}", fmt::join(words, ", "));
}

GpuChoice named_gpu(const NodeInventory& node, const std::string& name, const DataFolder& data) {
  static_cast<void>(data.load<GpuSpec>("hardware/gpus", name, {}, "--gpu"));
  const auto kind = std::find_if(kKinds.begin(), kKinds.end(),
                                 [&](const GpuKind& one) { return one.name == name; });
  if (kind != kKinds.end() && !fits(*kind, node)) {
    throw InputError(
        node.where, "gpu",
        fmt::format("the file gives {}; a {} has sm {}, {} NVLinks and {} CPUs", signs(node), name,
                    kind->compute_capability, kind->nvlinks, kind->cpu_arch));
  }
  return {name, "given with --gpu; the file gives " + signs(node)};
}

}  // namespace

GpuChoice choose_gpu(const NodeInventory& node, const std::optional<std::string>& name,
                     const DataFolder& data) {
  if (name) return named_gpu(node, *name, data);
  const std::vector<std::string> known = data.names("hardware/gpus");
  std::vector<std::string> fitting;
  std::vector<std::string> there;
  for (const GpuKind& kind : kKinds) {
    if (!fits(kind, node)) continue;
    fitting.emplace_back(kind.name);
    if (std::binary_search(known.begin(), known.end(), kind.name)) there.emplace_back(kind.name);
  }
  if (there.size() != 1) {
    const std::string meaning =
        fitting.empty() ? "no GPU known here" : fmt::format("{}", fmt::join(fitting, " or "));
    throw InputError(
        node.where, "gpu",
        fmt::format("{}: {}{}; choose with --gpu NAME, one of {}", signs(node), meaning,
                    there.empty() ? ", not in hardware/gpus" : "", fmt::join(known, ", ")));
  }
  if (fitting.size() == 1) return {there.front(), "from " + signs(node)};
  return {there.front(),
          fmt::format("assumed: {} fits {}, of which hardware/gpus has only this one", signs(node),
                      fmt::join(fitting, " or ")),
          true};
}

}  // namespace simtrain
