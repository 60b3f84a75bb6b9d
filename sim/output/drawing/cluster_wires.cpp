#include "sim/output/drawing/cluster_wires.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "sim/output/drawing/topology_report.h"

namespace simtrain {
namespace {

/// Pixels; the root lets a NIC's cable and a rack's bundle be seen beside each other.
double wire_width(Bandwidth bandwidth) {
  return std::clamp(std::sqrt(bandwidth.value() / 40e9), 0.7, 9.0);
}

double middle(const WireEnd& end) { return end.x + end.width / 2; }

/// Where each bundle ends along one side of its box: spread in the order of the far ends.
class Ports {
 public:
  explicit Ports(std::size_t ends) : far_(ends) {}

  void add(std::size_t end, std::size_t bundle, double far_x) {
    far_[end].emplace_back(far_x, bundle);
  }
  void sort() {
    for (auto& side : far_) std::sort(side.begin(), side.end());
  }
  [[nodiscard]] double x(std::size_t end, std::size_t bundle, const WireEnd& box) const {
    const auto& side = far_[end];
    const auto at = std::find_if(side.begin(), side.end(),
                                 [bundle](const auto& port) { return port.second == bundle; });
    if (box.bar) return std::clamp(at->first, box.x + 8, box.x + box.width - 8);
    const auto number = static_cast<double>(at - side.begin());
    return box.x + box.width * (number + 1) / (static_cast<double>(side.size()) + 1);
  }

 private:
  std::vector<std::vector<std::pair<double, std::size_t>>> far_;
};

}  // namespace

std::vector<WireBundle> wire_bundles(const ClusterMap& map,
                                     const std::vector<std::size_t>& end_of) {
  std::map<std::pair<std::size_t, std::size_t>, WireBundle> bundles;
  for (const Cable& cable : map.cables) {
    const std::size_t low = end_of[cable.low];
    const std::size_t high = end_of[cable.high];
    if (low == kNotDrawn || high == kNotDrawn || low == high) continue;
    WireBundle& bundle =
        bundles.try_emplace({low, high}, WireBundle{low, high, 0, {}}).first->second;
    ++bundle.cables;
    bundle.bandwidth += cable.bandwidth;
  }
  std::vector<WireBundle> result;
  result.reserve(bundles.size());
  for (const auto& [ends, bundle] : bundles) result.push_back(bundle);
  return result;
}

std::vector<PictureWire> draw_wires(const std::vector<WireBundle>& bundles,
                                    const std::vector<WireEnd>& ends) {
  Ports above(ends.size());
  Ports below(ends.size());
  for (std::size_t i = 0; i < bundles.size(); ++i) {
    above.add(bundles[i].low, i, middle(ends[bundles[i].high]));
    below.add(bundles[i].high, i, middle(ends[bundles[i].low]));
  }
  above.sort();
  below.sort();
  std::vector<PictureWire> wires;
  wires.reserve(bundles.size());
  for (std::size_t i = 0; i < bundles.size(); ++i) {
    const WireEnd& low = ends[bundles[i].low];
    const WireEnd& high = ends[bundles[i].high];
    const bool level = low.top == high.top;
    wires.push_back({above.x(bundles[i].low, i, low), low.top, below.x(bundles[i].high, i, high),
                     level ? high.top : high.bottom, wire_width(bundles[i].bandwidth),
                     low.style.empty() ? (high.style.empty() ? "norail" : high.style) : low.style,
                     fmt::format("{} - {}: {} x {}", low.name, high.name, bundles[i].cables,
                                 bandwidth_text(bundles[i].bandwidth / bundles[i].cables))});
  }
  return wires;
}

}  // namespace simtrain
