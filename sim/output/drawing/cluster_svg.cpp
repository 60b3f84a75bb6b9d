#include "sim/output/drawing/cluster_svg.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "sim/output/drawing/cluster_layout.h"
#include "sim/output/drawing/cluster_wires.h"
#include "sim/output/drawing/topology_report.h"

namespace simtrain {
namespace {

constexpr double kTop = 104;        // below the heading
constexpr double kSwitch = 30;      // height of a switch
constexpr double kLevelGap = 118;   // between two levels, for the wires
constexpr double kMostWires = 640;  // between two levels, before a row of switches is one box
constexpr double kRight = 28;
constexpr double kLeastWidth = 680;  // of the units, so that the legend has its place

std::string plural(int number, std::string_view word) {
  return fmt::format("{} {}{}", number, word, number == 1 ? "" : word.ends_with("h") ? "es" : "s");
}

class ClusterDrawing {
 public:
  ClusterDrawing(const ClusterMap& map, const TopologyReport& report, const Highlight& highlight)
      : map_(map),
        report_(report),
        facts_(report.facts),
        highlight_(highlight),
        marked_(highlight.gpus.begin(), highlight.gpus.end()),
        units_(drawn_units(map_)),
        sizes_(unit_sizes(map_, units_)),
        end_of_(map_.devices.size(), kNotDrawn),
        rail_of_(map_.devices.size(), "norail") {}

  Picture draw() {
    find_rails();
    place_rows();
    draw_units();
    draw_switch_row(VertexKind::spine);
    draw_switch_row(VertexKind::core);
    draw_nics_with_their_gpus();
    picture_.wires = draw_wires(wire_bundles(map_, end_of_), ends_);
    draw_level_names();
    draw_heading();
    draw_legend();
    picture_.width = right_ + kRight;
    return std::move(picture_);
  }

 private:
  /// The colour of a leaf is its place in its unit; a GPU and its NIC have that of their leaf.
  void find_rails() {
    for (const Cable& cable : map_.cables) {
      if (map_.kind(cable.low) != VertexKind::nic || map_.kind(cable.high) != VertexKind::leaf)
        continue;
      const int rail = map_.devices[cable.high].index;
      rails_ = std::max(rails_, rail + 1);
      rail_of_[cable.low] = rail_of_[cable.high] = fmt::format("rail{}", rail % kRailColours);
    }
    for (const Cable& cable : map_.cables) {
      if (map_.kind(cable.low) == VertexKind::gpu && map_.kind(cable.high) == VertexKind::nic)
        rail_of_[cable.low] = rail_of_[cable.high];
    }
  }

  void draw_units() {
    double width = -UnitSizes::kUnitGap;
    for (const DrawnUnit& unit : units_)
      width += sizes_.unit_width(map_, unit) + UnitSizes::kUnitGap;
    right_ = UnitSizes::kMargin + std::max(width, kLeastWidth);
    double x = UnitSizes::kMargin + (right_ - UnitSizes::kMargin - width) / 2;
    for (const DrawnUnit& unit : units_) {
      draw_unit(unit, x);
      x += sizes_.unit_width(map_, unit) + UnitSizes::kUnitGap;
    }
  }

  void place_rows() {
    double y = kTop;
    for (const VertexKind kind : {VertexKind::core, VertexKind::spine, VertexKind::leaf}) {
      const bool there = std::any_of(map_.devices.begin(), map_.devices.end(),
                                     [kind](const Device& device) { return device.kind == kind; });
      if (!there) continue;
      row_y_[kind] = y;
      y += kSwitch + kLevelGap;
    }
    unit_y_ = y;
    for (const DrawnUnit& unit : units_) {
      for (const DrawnDomain& domain : unit.domains)
        tallest_ = std::max(tallest_, sizes_.domain_height(map_, domain));
    }
  }

  std::size_t add_end(const WireEnd& end) {
    ends_.push_back(end);
    return ends_.size() - 1;
  }

  void draw_unit(const DrawnUnit& unit, double x) {
    const double width = sizes_.unit_width(map_, unit);
    const std::string name = unit.first == unit.last
                                 ? fmt::format("unit {}", unit.first)
                                 : fmt::format("units {} to {}", unit.first, unit.last);
    const std::string size =
        fmt::format("{}, {}", plural(unit.hosts, "host"), plural(unit.gpus, "GPU"));
    const double height = tallest_ + 2 * UnitSizes::kUnitPadding + 36;
    picture_.frames.push_back({x, unit_y_, width, height, "frame", name + ": " + size});
    const double middle = x + width / 2;
    if (unit.whole) {
      draw_domains(unit, x, width);
      picture_.texts.push_back({middle, unit_y_ + height - 12, name + ": " + size, "middle"});
    } else {
      draw_unit_as_box(unit, x, name);
    }
    draw_leaves(unit, x, width);
  }

  void draw_unit_as_box(const DrawnUnit& unit, double x, const std::string& name) {
    const double middle = x + UnitSizes::kBox / 2;
    const double y = unit_y_ + tallest_ / 2;
    picture_.texts.push_back({middle, y, name, "middle level"});
    picture_.texts.push_back({middle, y + 20, plural(unit.hosts, "host"), "middle"});
    picture_.texts.push_back({middle, y + 38, plural(unit.gpus, "GPU"), "middle"});
    const std::size_t end = add_end({x, UnitSizes::kBox, unit_y_, unit_y_, "", name});
    for (const Host& host : map_.hosts) {
      if (host.unit < unit.first || host.unit > unit.last) continue;
      for (int gpu = host.first_gpu; gpu < host.first_gpu + host.gpus; ++gpu)
        end_of_[static_cast<std::size_t>(gpu)] = end;
    }
  }

  void draw_nics_with_their_gpus() {
    for (const Cable& cable : map_.cables) {
      if (map_.kind(cable.low) == VertexKind::gpu && map_.kind(cable.high) == VertexKind::nic)
        end_of_[cable.high] = end_of_[cable.low];
    }
  }

  void draw_domains(const DrawnUnit& unit, double x, double width) {
    double used = -UnitSizes::kDomainGap;
    for (const DrawnDomain& domain : unit.domains)
      used += sizes_.domain_width(map_, domain) + UnitSizes::kDomainGap;
    x += (width - used) / 2;
    for (const DrawnDomain& domain : unit.domains) {
      draw_domain(domain, x);
      x += sizes_.domain_width(map_, domain) + UnitSizes::kDomainGap;
    }
  }

  void draw_domain(const DrawnDomain& domain, double x) {
    const double y = unit_y_ + UnitSizes::kUnitPadding;
    const double width = sizes_.domain_width(map_, domain);
    const bool alone = domain.hosts.size() == 1;
    const Host& first = map_.hosts[static_cast<std::size_t>(domain.hosts.front())];
    const std::string name =
        alone ? first.name
              : fmt::format("NVLink domain {}: {}", domain.domain,
                            plural(static_cast<int>(domain.hosts.size()), "host"));
    picture_.boxes.push_back({x, y, width, sizes_.domain_height(map_, domain), "card", name});
    const std::size_t end = add_end({x, width, y, y, "", name});
    for (std::size_t row = 0; row < domain.hosts.size(); ++row)
      draw_host(domain, row, x + UnitSizes::kDomainPadding, y + UnitSizes::kDomainPadding, end);
    const std::string number = std::to_string(alone ? domain.hosts.front() : domain.domain);
    picture_.texts.push_back({x + width / 2, y + sizes_.domain_height(map_, domain) + 13,
                              alone || width < 60 ? number : "domain " + number, "small"});
  }

  void draw_host(const DrawnDomain& domain, std::size_t row, double x, double y, std::size_t end) {
    const Host& host = map_.hosts[static_cast<std::size_t>(domain.hosts[row])];
    const double height = sizes_.row_height(domain);
    for (int local = 0; local < host.gpus; ++local) {
      const int gpu = host.first_gpu + local;
      end_of_[static_cast<std::size_t>(gpu)] = end;
      const Cell cell = gpu_cell(map_, domain, row, local);
      const double gap = sizes_.square > 9 ? 2 : 1;
      picture_.boxes.push_back({x + cell.column * sizes_.square, y + cell.row * height,
                                sizes_.square - gap, height - gap,
                                rail_of_[static_cast<std::size_t>(gpu)] + mark(gpu),
                                map_.names[static_cast<std::size_t>(gpu)]});
    }
  }

  [[nodiscard]] std::string mark(int gpu) const {
    if (marked_.empty()) return "";
    return marked_.count(gpu) > 0 ? " mark" : " dim";
  }

  void draw_leaves(const DrawnUnit& unit, double x, double width) {
    if (unit.leaves.empty()) return;
    const double y = row_y_.at(VertexKind::leaf);
    if (!unit.whole) {
      const std::string name = plural(static_cast<int>(unit.leaves.size()), "leaf switch");
      draw_switch(unit.leaves, {x, width, y, y + kSwitch, "", name},
                  fmt::format("{} leaves", unit.leaves.size()));
      return;
    }
    const double pitch = std::min(width / static_cast<double>(unit.leaves.size()), 92.0);
    double at = x + (width - pitch * static_cast<double>(unit.leaves.size())) / 2;
    for (const std::size_t leaf : unit.leaves) {
      draw_switch({leaf}, {at + 3, pitch - 6, y, y + kSwitch, rail_of_[leaf], map_.names[leaf]},
                  fitting(map_.names[leaf], pitch - 6, map_.devices[leaf].index));
      at += pitch;
    }
  }

  /// The name where it fits into the box, else the number.
  static std::string fitting(const std::string& name, double width, int number) {
    if (static_cast<double>(name.size()) * 6.4 <= width) return name;
    const std::string brief = std::to_string(number);
    return static_cast<double>(brief.size()) * 6.4 <= width ? brief : "";
  }

  void draw_switch(const std::vector<std::size_t>& vertices, const WireEnd& box,
                   const std::string& label) {
    const std::size_t end = add_end(box);
    for (const std::size_t vertex : vertices) end_of_[vertex] = end;
    picture_.boxes.push_back({box.x, box.top, box.width, box.bottom - box.top,
                              box.style.empty() ? "switch" : box.style, box.name});
    picture_.texts.push_back({box.x + box.width / 2, box.top + kSwitch / 2 + 4, label,
                              box.style.empty() ? "middle" : "onswitch"});
  }

  void draw_switch_row(VertexKind kind) {
    std::vector<std::size_t> row;
    for (std::size_t vertex = 0; vertex < map_.devices.size(); ++vertex) {
      if (map_.kind(vertex) == kind) row.push_back(vertex);
    }
    if (row.empty()) return;
    const double y = row_y_.at(kind);
    const auto number = static_cast<double>(row.size());
    const double width = right_ - UnitSizes::kMargin;
    const double pitch = std::min(width / number, 110.0);
    if (pitch < 22 || number * static_cast<double>(ends_.size()) > kMostWires * 4) {
      const std::string name = fmt::format("{} {} switches", row.size(), kind_name(kind));
      draw_switch(row, {UnitSizes::kMargin, width, y, y + kSwitch, "", name, true}, name);
      return;
    }
    double x = UnitSizes::kMargin + (width - pitch * number) / 2;
    for (const std::size_t vertex : row) {
      const std::string name = map_.names[vertex];
      draw_switch({vertex}, {x + 5, pitch - 10, y, y + kSwitch, "", name},
                  fitting(name, pitch - 10, map_.devices[vertex].index));
      x += pitch;
    }
  }

  void name_level(double y, const std::string& name, const std::vector<std::string>& lines) {
    picture_.texts.push_back({24, y, name, "level"});
    for (const std::string& line : lines) picture_.texts.push_back({24, y += 18, line, "soft"});
  }

  void draw_level_names() {
    for (const auto& [kind, y] : row_y_) {
      const auto is_kind = [kind = kind](const Device& device) { return device.kind == kind; };
      const auto number = std::count_if(map_.devices.begin(), map_.devices.end(), is_kind);
      name_level(y + 20,
                 plural(static_cast<int>(number), fmt::format("{} switch", kind_name(kind))), {});
    }
    name_level(unit_y_ + 26, plural(facts_.hosts, "host"),
               {plural(facts_.gpus, "GPU"), plural(facts_.nvlink_domains, "NVLink domain")});
    std::set<VertexKind> named;  // below each row there is room for one level
    for (const LevelBandwidth& level : facts_.levels) {
      if (level.high <= VertexKind::nvswitch) {
        name_level(unit_y_ + 92, level_name(level), {bandwidth_text(level.per_gpu) + " per GPU"});
      } else if (row_y_.count(below(level.high)) > 0 && named.insert(below(level.high)).second) {
        draw_level(level);
      }
    }
  }

  /// The row under which the cables to a kind of device are drawn.
  static VertexKind below(VertexKind high) {
    return high == VertexKind::nic ? VertexKind::leaf : high;
  }

  void draw_level(const LevelBandwidth& level) {
    std::vector<std::string> lines{bandwidth_text(level.total),
                                   bandwidth_text(level.per_gpu) + " per GPU"};
    if (level.oversubscription > 0)
      lines.push_back(fmt::format("oversubscription {:.3g} : 1", level.oversubscription));
    name_level(row_y_.at(below(level.high)) + kSwitch + 34,
               level.high == VertexKind::nic ? "NIC to leaf" : level_name(level), lines);
  }

  void draw_heading() {
    picture_.title = report_.cluster;
    picture_.description = cluster_words(facts_);
    picture_.texts.push_back({24, 40, report_.cluster, "heading"});
    std::string line = report_.wiring;
    if (facts_.bisection.hosts > 0)
      line += fmt::format("; bisection {}", bandwidth_text(facts_.bisection.bandwidth));
    picture_.texts.push_back({24, 64, line, "soft"});
  }

  void draw_legend() {
    double y = unit_y_ + tallest_ + 2 * UnitSizes::kUnitPadding + 36 + 34;
    double x = UnitSizes::kMargin;
    const int shown = rails_ > 1 ? std::min(rails_, kRailColours) : 0;  // one is no rail
    if (shown == 0) y -= 22;
    for (int rail = 0; rail < shown; ++rail) {
      picture_.boxes.push_back({x, y - 11, 13, 13, fmt::format("rail{}", rail), ""});
      picture_.texts.push_back({x + 19, y, fmt::format("rail {}", rail), "soft"});
      x += 74;
    }
    std::vector<std::string> lines{
        "A square is a GPU in the colour of its leaf switch; a frame around squares is an NVLink "
        "domain.",
        "A line is all cables between two boxes, wider with more bandwidth. Bandwidths are of one "
        "direction."};
    if (!marked_.empty()) lines.push_back(highlight_.title + ": the GPUs in full colour.");
    for (const std::string& line : lines)
      picture_.texts.push_back({UnitSizes::kMargin, y += 22, line, "soft"});
    picture_.height = y + 26;
  }

  const ClusterMap& map_;
  const TopologyReport& report_;
  const ClusterFacts& facts_;
  const Highlight& highlight_;
  std::set<int> marked_;
  std::vector<DrawnUnit> units_;
  UnitSizes sizes_;
  Picture picture_;
  std::vector<WireEnd> ends_;
  std::vector<std::size_t> end_of_;   // by device
  std::vector<std::string> rail_of_;  // style, by device
  int rails_ = 0;
  double right_ = 0;
  std::map<VertexKind, double> row_y_;  // of the kinds of switches that there are
  double unit_y_ = 0;
  double tallest_ = 0;
};

}  // namespace

std::string cluster_words(const ClusterFacts& facts) {
  return fmt::format("{}, {}, {}, {}; bisection {}", plural(facts.gpus, "GPU"),
                     plural(facts.nvlink_domains, "NVLink domain"),
                     plural(facts.leaves, "leaf switch"), plural(facts.spines, "spine switch"),
                     bandwidth_text(facts.bisection.bandwidth));
}

std::string cluster_svg(const ClusterMap& map, const TopologyReport& report,
                        const Highlight& highlight) {
  return svg_text(ClusterDrawing(map, report, highlight).draw());
}

}  // namespace simtrain
