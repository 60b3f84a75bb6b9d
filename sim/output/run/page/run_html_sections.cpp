#include "sim/output/run/page/run_html_sections.h"

#include <fmt/format.h>

#include "sim/output/drawing/cluster_svg.h"
#include "sim/output/drawing/topology_report.h"
#include "sim/output/run/recipe_report.h"
#include "sim/output/text/unit_text.h"
#include "sim/run/analysis/link_use.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

Json hop_rows(const PlacementFigures& placement) {
  Json rows = Json::array();
  for (const HopRow& row : placement.hops) {
    Json counts = Json::array();
    for (std::size_t i = 1; i < kDistances; ++i) counts.push_back(row.hops[i]);
    rows.push_back({{"group", row.group}, {"counts", std::move(counts)}});
  }
  return rows;
}

/// What GPUs put on their links, and what is on the way beyond them.
Json link_rows(const SimulatedStep& simulated, const Report& report, const ClusterFacts& facts) {
  const LinkUse use = link_use(simulated);
  Json rows = Json::array();
  for (const LevelBandwidth& level : facts.levels) {
    const bool nvlink = level.low == VertexKind::gpu && level.high <= VertexKind::nvswitch;
    const bool nic = level.high == VertexKind::nic;
    Json figures{"", "", "", ""};
    if (nvlink || nic) {
      const double mean = nvlink ? use.mean.nvlink_bytes : use.mean.nic_bytes;
      const double most = nvlink ? use.busiest.nvlink_bytes : use.busiest.nic_bytes;
      const double full = level.per_gpu.value() * report.step_time_s;
      figures = {gigabytes(mean), gigabytes(most), percent_text(mean / full),
                 percent_text(most / full)};
    }
    rows.push_back({{"name", level_name(level)},
                    {"bandwidth", bandwidth_text(level.per_gpu)},
                    {"use", std::move(figures)}});
  }
  return rows;
}

Highlight stage_highlight(const SimulatedStep& simulated) {
  std::vector<int> ranks;
  for (int rank = 0; rank < simulated.grid.ranks(); ++rank) {
    if (simulated.grid.coordinates(rank).dp == 0) ranks.push_back(rank);
  }
  return {"model replica 0", simulated.placement.gpus(ranks)};
}

}  // namespace

Json waterfall_section(const Waterfall& fall) {
  const std::vector<double> levels = waterfall_levels(fall);
  Json losses = Json::array();
  for (std::size_t i = 0; i < fall.losses.size(); ++i) {
    const WaterfallLoss& loss = fall.losses[i];
    losses.push_back({{"name", loss.name},
                      {"change", fmt::format("{:+.2f}", levels[i + 1] - levels[i])},
                      {"time", seconds_text(-loss.seconds)},
                      {"meaning", loss.meaning}});
  }
  return {{"step", seconds_text(fall.step_s)},
          {"losses", std::move(losses)},
          {"mfu", fmt::format("{:.2f}", levels.back())},
          {"useful", seconds_text(fall.useful_s)}};
}

Json path_rows(const Report& report) {
  Json rows = Json::array();
  for (const auto& [name, share] : EnumNames<Share>::rows) {
    const double seconds = part(report.breakdown, share);
    if (seconds > 0)
      rows.push_back({{"name", in_words(name)},
                      {"time", seconds_text(seconds)},
                      {"share", percent_text(seconds / report.step_time_s)}});
  }
  return rows;
}

Json explanation_section(const Explanation& why) {
  const auto rows_of = [&](ChangeKind kind) {
    Json rows = Json::array();
    for (const ChangeResult& change : why.changes) {
      if (change.kind != kind) continue;
      rows.push_back({{"name", change.name},
                      {"from", change.from},
                      {"to", change.to},
                      {"gain", fmt::format("{:+.2f}", change.relative * 100)},
                      {"step", seconds_text(change.step_time_s)},
                      {"mfu", percent_text(change.mfu)},
                      {"fits", change.fits}});
    }
    return rows;
  };
  return {{"knobs", {{"rows", rows_of(ChangeKind::knob)}}},
          {"costs", {{"rows", rows_of(ChangeKind::cost_removed)}}}};
}

Json placement_section(const SimulatedStep& simulated, const Report& report) {
  const ClusterMap map = cluster_map(simulated.cluster);
  const ClusterFacts facts = cluster_facts(map);
  const PlacementFigures& placement = report.placement;
  Json distances = Json::array();
  for (const auto& [name, distance] : EnumNames<Distance>::rows) {
    if (distance != Distance::same_gpu) distances.push_back(name);
  }
  Json busiest;
  if (placement.busiest_link)
    busiest = {{"name", placement.busiest_link->name},
               {"load", percent_text(placement.busiest_link->load)}};
  return {{"kind", placement.kind},
          {"nodes", placement.nodes},
          {"available_nodes", placement.available_nodes},
          {"rank_order", placement.rank_order},
          {"words", cluster_words(facts)},
          {"drawing", cluster_svg(map, topology_report(simulated.cluster.spec(), facts),
                                  stage_highlight(simulated))},
          {"distances", std::move(distances)},
          {"hops", hop_rows(placement)},
          {"busiest", std::move(busiest)},
          {"links", link_rows(simulated, report, facts)}};
}

Json recipe_section(const Report& report) {
  Json rows = Json::array();
  for (const RecipeRow& row : recipe_rows(report.recipe))
    rows.push_back({{"key", row.key}, {"value", row.value}});
  return rows;
}

Json provenance_section(const std::vector<ProvenanceFile>& provenance) {
  Json files = Json::array();
  for (const ProvenanceFile& file : provenance) {
    Json rows = Json::array();
    for (const ProvenanceRow& row : file.rows)
      rows.push_back({{"key", row.key},
                      {"value", row.value},
                      {"unit", row.unit},
                      {"place", row.set_by.empty() ? std::to_string(row.line) : row.set_by},
                      {"source", row.source}});
    files.push_back({{"path", file.path}, {"count", file.rows.size()}, {"rows", std::move(rows)}});
  }
  return files;
}

}  // namespace simtrain
