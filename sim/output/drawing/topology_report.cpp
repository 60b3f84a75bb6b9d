#include "sim/output/drawing/topology_report.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/core/printable.h"
#include "sim/output/text/wrapped_text.h"

namespace simtrain {
namespace {

std::string latency_text(Duration latency) {
  return fmt::format("{:.4g} us", to_seconds(latency) * 1e6);
}

/// Links between what is on one board take the least time there is, which is not shown.
std::string link_latency(Duration latency) {
  return latency <= Duration(1) ? "-" : latency_text(latency);
}

void add_counts(std::string& out, const ClusterFacts& facts) {
  out += "\nDevices\n";
  labelled_line(out, "Hosts", std::to_string(facts.hosts));
  labelled_line(out, "GPUs", std::to_string(facts.gpus));
  labelled_line(out, "NVLink domains", std::to_string(facts.nvlink_domains));
  labelled_line(out, "NVSwitch planes", std::to_string(facts.nvswitches));
  labelled_line(out, "NICs", std::to_string(facts.nics));
  labelled_line(out, "Leaf switches", std::to_string(facts.leaves));
  labelled_line(out, "Spine switches", std::to_string(facts.spines));
  if (facts.cores > 0) labelled_line(out, "Core switches", std::to_string(facts.cores));
}

void add_cables(std::string& out, const ClusterFacts& facts) {
  out += fmt::format("\nLinks, one direction\n  {:<18}{:>8}{:>14}{:>14}{:>14}\n", "between",
                     "count", "each", "together", "latency");
  for (const CableCount& cable : facts.cables) {
    out += fmt::format("  {:<18}{:>8}{:>14}{:>14}{:>14}\n",
                       fmt::format("{} - {}", kind_name(cable.low), kind_name(cable.high)),
                       cable.count, bandwidth_text(cable.bandwidth),
                       bandwidth_text(cable.bandwidth * cable.count), link_latency(cable.latency));
  }
}

void add_levels(std::string& out, const ClusterFacts& facts) {
  out += fmt::format("\nBandwidth by level, one direction\n  {:<18}{:>14}{:>14}{:>20}\n", "level",
                     "total", "per GPU", "oversubscription");
  for (const LevelBandwidth& level : facts.levels) {
    out += fmt::format(
        "  {:<18}{:>14}{:>14}{:>20}\n", level_name(level), bandwidth_text(level.total),
        bandwidth_text(level.per_gpu),
        level.oversubscription > 0 ? fmt::format("{:.3g} : 1", level.oversubscription) : "-");
  }
}

void add_bisection(std::string& out, const ClusterFacts& facts) {
  const Bisection& cut = facts.bisection;
  out += "\nBisection of the compute network, one direction\n";
  if (cut.hosts == 0) {
    labelled_line(out, "Bandwidth", "none: one host has no other half");
    return;
  }
  labelled_line(
      out, "Bandwidth",
      fmt::format("{}, {:.4g} % of what the half's NICs carry ({})", bandwidth_text(cut.bandwidth),
                  cut.bandwidth.value() / cut.nics.value() * 100, bandwidth_text(cut.nics)));
  labelled_line(out, "Split",
                fmt::format("{} host{} from host {} on against the other {}", cut.hosts,
                            cut.hosts == 1 ? "" : "s", cut.first_host, facts.hosts - cut.hosts));
  labelled_line(out, "Computed by",
                cut.method == BisectionMethod::max_flow
                    ? "max flow on the graph, worst of all contiguous halves"
                    : "level arithmetic (too large for max flow): narrowest level, halved");
}

/// Names of one side of equal ways: the name itself, or first and last of several.
std::string ends(std::vector<std::string> names) {
  names.erase(std::unique(names.begin(), names.end()), names.end());
  if (names.size() == 1) return names.front();
  return fmt::format("{} .. {}", names.front(), names.back().substr(names.back().rfind(' ') + 1));
}

/// Links of a step that differ in nothing but their names.
void add_ways(std::string& out, const std::vector<PathLink>& ways) {
  std::vector<std::string> from;
  std::vector<std::string> to;
  from.reserve(ways.size());
  to.reserve(ways.size());
  for (const PathLink& way : ways) {
    from.push_back(way.from);
    to.push_back(way.to);
  }
  out += fmt::format("  {:<21} {:<21}{:>4}{:>11}{:>9}{:>9}\n", ends(from), ends(to), ways.size(),
                     bandwidth_text(ways.front().bandwidth),
                     fmt::format("{:.4g} %", ways.front().share * 100),
                     link_latency(ways.front().latency));
}

bool alike(const PathLink& a, const PathLink& b) {
  const auto kind = [](const std::string& name) { return name.substr(0, name.find(' ')); };
  return a.bandwidth == b.bandwidth && a.latency == b.latency && a.share == b.share &&
         kind(a.from) == kind(b.from) && kind(a.to) == kind(b.to);
}

void add_path(std::string& out, const RankPath& asked) {
  out += fmt::format("\nPath from rank {} (GPU {}) to rank {} (GPU {})\n", asked.from_rank,
                     asked.from_gpu, asked.to_rank, asked.to_gpu);
  out += fmt::format("  {:<21} {:<21}{:>4}{:>11}{:>9}{:>9}\n", "from", "to", "ways", "each",
                     "share", "latency");
  for (const auto& step : asked.path.steps) {
    for (auto first = step.begin(); first != step.end();) {
      const auto last =
          std::find_if(first, step.end(), [&](const PathLink& way) { return !alike(*first, way); });
      add_ways(out, {first, last});
      first = last;
    }
  }
  labelled_line(out, "Distance", distance_name(asked.path.distance));
  labelled_line(out, "Latency", latency_text(asked.path.latency) + " of links and switches");
  if (asked.path.bandwidth.value() > 0)
    labelled_line(out, "Bandwidth", bandwidth_text(asked.path.bandwidth) + " for one flow alone");
}

}  // namespace

TopologyReport topology_report(const ClusterSpec& spec, const ClusterMap& map,
                               const std::string& note) {
  TopologyReport report;
  report.cluster =
      fmt::format("{}: {} ({} {})", spec.name, spec.nodes_text(), spec.gpus(), spec.gpu.name);
  report.wiring = fmt::format("{}, {}", spec.fabric.name, spec.wiring_text());
  report.note = note;
  report.facts = cluster_facts(map);
  return report;
}

std::string bandwidth_text(Bandwidth bandwidth) {
  const double value = bandwidth.value();
  if (value >= 1e15) return fmt::format("{:.4g} PB/s", value / 1e15);
  if (value >= 1e12) return fmt::format("{:.4g} TB/s", value / 1e12);
  return fmt::format("{:.4g} GB/s", value / 1e9);
}

std::string level_name(const LevelBandwidth& level) {
  if (level.low != VertexKind::gpu) {
    const bool next = static_cast<int>(level.high) == static_cast<int>(level.low) + 1;
    return next ? fmt::format("{} up", kind_name(level.low))
                : fmt::format("{} to {}", kind_name(level.low), kind_name(level.high));
  }
  if (level.high == VertexKind::gpu) return "GPU mesh";
  return level.high == VertexKind::nvswitch ? "NVLink" : std::string(kind_name(level.high));
}

std::string topology_text(const TopologyReport& report) {
  std::string out = printable(report.cluster) + "\n" + printable(report.wiring) + "\n";
  if (!report.note.empty()) out += report.note + "\n";
  add_counts(out, report.facts);
  add_cables(out, report.facts);
  add_levels(out, report.facts);
  add_bisection(out, report.facts);
  if (report.path) add_path(out, *report.path);
  return out;
}

}  // namespace simtrain
