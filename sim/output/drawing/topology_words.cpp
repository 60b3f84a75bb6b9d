#include "sim/output/drawing/topology_words.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace simtrain {
namespace {

std::string latency_text(Duration latency) {
  return fmt::format("{:.4g} us", to_seconds(latency) * 1e6);
}

/// Links between what is on one board take the least time there is, which is not shown.
std::string link_latency(Duration latency) {
  return latency <= Duration(1) ? "-" : latency_text(latency);
}

FigureList device_words(const ClusterFacts& facts) {
  std::vector<LabelledFigure> rows = {{"Hosts", std::to_string(facts.hosts)},
                                      {"GPUs", std::to_string(facts.gpus)},
                                      {"NVLink domains", std::to_string(facts.nvlink_domains)},
                                      {"NVSwitch planes", std::to_string(facts.nvswitches)},
                                      {"NICs", std::to_string(facts.nics)},
                                      {"Leaf switches", std::to_string(facts.leaves)},
                                      {"Spine switches", std::to_string(facts.spines)}};
  if (facts.cores > 0) rows.emplace_back("Core switches", std::to_string(facts.cores));
  return {"Devices", std::move(rows)};
}

TopologyTable link_words(const ClusterFacts& facts) {
  TopologyTable table{
      "Links, one direction", {"between", "count", "each", "together", "latency"}, {}};
  for (const CableCount& cable : facts.cables) {
    table.rows.push_back({fmt::format("{} - {}", kind_name(cable.low), kind_name(cable.high)),
                          std::to_string(cable.count), bandwidth_text(cable.bandwidth),
                          bandwidth_text(cable.bandwidth * cable.count),
                          link_latency(cable.latency)});
  }
  return table;
}

TopologyTable level_words(const ClusterFacts& facts) {
  TopologyTable table{
      "Bandwidth by level, one direction", {"level", "total", "per GPU", "oversubscription"}, {}};
  for (const LevelBandwidth& level : facts.levels) {
    table.rows.push_back(
        {level_name(level), bandwidth_text(level.total), bandwidth_text(level.per_gpu),
         level.oversubscription > 0 ? fmt::format("{:.3g} : 1", level.oversubscription) : "-"});
  }
  return table;
}

std::vector<LabelledFigure> bisection_figures(const ClusterFacts& facts) {
  const Bisection& cut = facts.bisection;
  if (cut.hosts == 0) return {{"Bandwidth", "none: one host has no other half"}};
  return {
      {"Bandwidth",
       fmt::format("{}, {:.4g} % of what the half's NICs carry ({})", bandwidth_text(cut.bandwidth),
                   cut.bandwidth.value() / cut.nics.value() * 100, bandwidth_text(cut.nics))},
      {"Split", fmt::format("{} host{} from host {} on against the other {}", cut.hosts,
                            cut.hosts == 1 ? "" : "s", cut.first_host, facts.hosts - cut.hosts)},
      {"Computed by", cut.method == BisectionMethod::max_flow
                          ? "max flow on the graph, worst of all contiguous halves"
                          : "level arithmetic (too large for max flow): narrowest level, halved"}};
}

FigureList bisection_words(const ClusterFacts& facts) {
  return {"Bisection of the compute network, one direction", bisection_figures(facts)};
}

/// Names of one side of equal ways: the name itself, or first and last of several.
std::string ends(std::vector<std::string> names) {
  names.erase(std::unique(names.begin(), names.end()), names.end());
  if (names.size() == 1) return names.front();
  return fmt::format("{} .. {}", names.front(), names.back().substr(names.back().rfind(' ') + 1));
}

/// Links of a step that differ in nothing but their names.
std::vector<std::string> way_words(const std::vector<PathLink>& ways) {
  std::vector<std::string> from;
  std::vector<std::string> to;
  from.reserve(ways.size());
  to.reserve(ways.size());
  for (const PathLink& way : ways) {
    from.push_back(way.from);
    to.push_back(way.to);
  }
  return {ends(std::move(from)),
          ends(std::move(to)),
          std::to_string(ways.size()),
          bandwidth_text(ways.front().bandwidth),
          fmt::format("{:.4g} %", ways.front().share * 100),
          link_latency(ways.front().latency)};
}

bool alike(const PathLink& a, const PathLink& b) {
  const auto kind = [](const std::string& name) { return name.substr(0, name.find(' ')); };
  return a.bandwidth == b.bandwidth && a.latency == b.latency && a.share == b.share &&
         kind(a.from) == kind(b.from) && kind(a.to) == kind(b.to);
}

PathWords path_words(const RankPath& asked) {
  PathWords words;
  words.steps.title = fmt::format("Path from rank {} (GPU {}) to rank {} (GPU {})", asked.from_rank,
                                  asked.from_gpu, asked.to_rank, asked.to_gpu);
  words.steps.columns = {"from", "to", "ways", "each", "share", "latency"};
  for (const auto& step : asked.path.steps) {
    for (auto first = step.begin(); first != step.end();) {
      const auto last =
          std::find_if(first, step.end(), [&](const PathLink& way) { return !alike(*first, way); });
      words.steps.rows.push_back(way_words({first, last}));
      first = last;
    }
  }
  words.figures = {{"Distance", std::string(distance_name(asked.path.distance))},
                   {"Latency", latency_text(asked.path.latency) + " of links and switches"}};
  if (asked.path.bandwidth.value() > 0)
    words.figures.emplace_back("Bandwidth",
                               bandwidth_text(asked.path.bandwidth) + " for one flow alone");
  return words;
}

}  // namespace

TopologyWords topology_words(const TopologyReport& report) {
  const ClusterFacts& facts = report.facts;
  TopologyWords words{device_words(facts), link_words(facts), level_words(facts),
                      bisection_words(facts), std::nullopt};
  if (report.path) words.path = path_words(*report.path);
  return words;
}

}  // namespace simtrain
