#include "sim/output/run/run_html_sections.h"

#include <fmt/format.h>

#include "sim/output/drawing/cluster_svg.h"
#include "sim/output/drawing/topology_report.h"
#include "sim/output/html/html.h"
#include "sim/output/run/pipeline_picture.h"
#include "sim/output/run/recipe_report.h"
#include "sim/output/run/run_html_data.h"
#include "sim/output/text/unit_text.h"
#include "sim/run/analysis/link_use.h"
#include "sim/run/analysis/waterfall.h"

namespace simtrain {
namespace {

std::string waterfall_table(const Waterfall& fall) {
  const std::vector<double> levels = waterfall_levels(fall);
  std::string rows = html_row({"peak", "100.00 %", seconds_text(fall.step_s), ""});
  for (std::size_t i = 0; i < fall.losses.size(); ++i) {
    const WaterfallLoss& loss = fall.losses[i];
    rows += fmt::format(
        "<tr><td>{}</td><td>{:+.2f} %</td><td>{}</td><td class=\"text soft\">{}</td></tr>\n",
        loss.name, levels[i + 1] - levels[i], seconds_text(-loss.seconds), loss.meaning);
  }
  rows += html_row({"<b>achieved (MFU)</b>", fmt::format("<b>{:.2f} %</b>", levels.back()),
                    seconds_text(fall.useful_s), ""});
  return html_table({"", "of the peak", "of the step", ""}, rows);
}

std::string path_table(const Report& report) {
  std::string rows;
  for (const auto& [name, share] : EnumNames<Share>::rows) {
    const double seconds = part(report.breakdown, share);
    if (seconds > 0)
      rows += html_row(
          {std::string(name), seconds_text(seconds), percent_text(seconds / report.step_time_s)});
  }
  rows += html_row({"<b>step</b>", seconds_text(report.step_time_s), percent_text(1)});
  return html_table({"on the critical path", "time", "of the step"}, rows);
}

std::string hops_table(const PlacementFigures& placement) {
  std::vector<std::string> heads{"neighbours in"};
  for (const auto& [name, distance] : EnumNames<Distance>::rows) {
    if (distance != Distance::same_gpu) heads.emplace_back(name);
  }
  std::string rows;
  for (const HopRow& row : placement.hops) {
    std::vector<std::string> texts{row.group};
    for (std::size_t i = 1; i < kDistances; ++i) texts.push_back(std::to_string(row.hops[i]));
    rows += html_row(texts);
  }
  return html_table(heads, rows);
}

/// What GPUs put on their links, and what stands on the way beyond them.
std::string links_table(const SimulatedStep& simulated, const Report& report,
                        const ClusterFacts& facts) {
  const LinkUse use = link_use(simulated);
  std::string rows;
  for (const LevelBandwidth& level : facts.levels) {
    const bool nvlink = level.low == VertexKind::gpu && level.high == VertexKind::nvswitch;
    const bool nic = level.high == VertexKind::nic;
    std::vector<std::string> texts{level_name(level), bandwidth_text(level.per_gpu)};
    if (nvlink || nic) {
      const double mean = nvlink ? use.mean.nvlink_bytes : use.mean.nic_bytes;
      const double most = nvlink ? use.busiest.nvlink_bytes : use.busiest.nic_bytes;
      const double full = level.per_gpu.value() * report.step_time_s;
      texts.insert(texts.end(), {gigabytes(mean), gigabytes(most), percent_text(mean / full),
                                 percent_text(most / full)});
    } else {
      texts.insert(texts.end(), {"", "", "", ""});
    }
    rows += html_row(texts);
  }
  return html_table({"link", "per GPU", "mean GPU sends", "busiest GPU", "mean use", "busiest use"},
                    rows);
}

Highlight stage_highlight(const SimulatedStep& simulated) {
  std::vector<int> ranks;
  for (int rank = 0; rank < simulated.grid.ranks(); ++rank) {
    if (simulated.grid.coordinates(rank).dp == 0) ranks.push_back(rank);
  }
  return {"model replica 0", simulated.placement.gpus(ranks)};
}

std::string drawing(const SimulatedStep& simulated, const ClusterMap& map,
                    const ClusterFacts& facts) {
  const ClusterSpec& spec = simulated.cluster.spec();
  TopologyReport topology;
  topology.cluster =
      fmt::format("{}: {} ({} {})", spec.name, spec.nodes_text(), spec.gpus(), spec.gpu.name);
  topology.wiring = fmt::format("{}, {}", spec.fabric.name, spec.wiring_text());
  topology.facts = facts;
  // A shadow tree, so that the style of the drawing stays its own.
  return fmt::format(
      "<div class=\"drawing\"><template shadowrootmode=\"open\">{}</template></div>\n",
      cluster_svg(map, topology, stage_highlight(simulated)));
}

}  // namespace

std::string waterfall_section(const SimulatedStep& simulated, const Report& report) {
  return "<h2>From the peak to the MFU</h2>\n<p class=\"soft\">What the mean GPU loses of its peak "
         "FLOP/s, and to what.</p>\n" +
         html_chart("waterfall", "Waterfall from the peak to the achieved MFU") +
         html_details("As a table", waterfall_table(waterfall(simulated, report))) +
         html_details("The critical path", path_table(report));
}

std::string explanation_section(const Explanation& why) {
  const auto rows_of = [&](ChangeKind kind) {
    std::string rows;
    for (const ChangeResult& change : why.changes) {
      if (change.kind != kind) continue;
      rows += html_row({html_text(change.name), html_text(change.from), html_text(change.to),
                        fmt::format("{:+.2f} %", change.relative * 100),
                        seconds_text(change.step_time_s), percent_text(change.mfu),
                        change.fits ? "fits" : "<span class=\"bad\">does not fit</span>"});
    }
    return rows;
  };
  const std::vector<std::string> heads{"change",    "from", "to",    "gain (-) or loss (+)",
                                       "step time", "MFU",  "memory"};
  return "<h2>What would gain most</h2>\n<p class=\"soft\">The same step with one knob changed or "
         "one cost removed, each simulated anew.</p>\n" +
         html_table(heads, rows_of(ChangeKind::knob)) + "<h3>Costs removed</h3>\n" +
         html_table(heads, rows_of(ChangeKind::cost_removed));
}

std::string pipeline_section(const SimulatedStep& simulated) {
  return fmt::format(
             "<h2>Pipeline</h2>\n<p class=\"soft\">Passes of one GPU of each of the {} stages over "
             "time; numbers are micro-batches, shades model chunks. Wheel, pinch or the slider "
             "below zooms, dragging moves.</p>\n<p class=\"soft\" id=\"window-note\"></p>\n"
             "<div class=\"buttons\" id=\"windows\"></div>\n",
             simulated.grid.pp()) +
         html_chart("pipeline", "Passes of each pipeline stage over time") +
         "<h3>Memory over the same stretch</h3>\n<p class=\"soft\">What the allocator of one GPU "
         "of "
         "each stage holds.</p>\n" +
         html_chart("memory-over-time", "Allocated memory of each pipeline stage over time");
}

std::string communication_section(const Report& report) {
  std::string rows;
  for (const CommunicationRow& row : report.communication)
    rows +=
        html_row({row.group, std::string(name_of(row.collective)),
                  fmt::format("{} {}", name_of(row.algorithm), name_of(row.protocol)),
                  call_size(row.bytes), std::to_string(row.count), seconds_text(row.total_s),
                  seconds_text(row.exposed_s), percent_text(row.exposed_s / report.step_time_s)});
  return "<h2>Communication</h2>\n<p class=\"soft\">Of the busiest rank in one step. Exposed is "
         "what lies on the critical path.</p>\n" +
         html_table({"group", "collective", "algorithm", "size", "calls", "total", "exposed",
                     "of the step"},
                    rows);
}

std::string cluster_section(const SimulatedStep& simulated, const Report& report) {
  const ClusterMap map = cluster_map(simulated.cluster);
  const ClusterFacts facts = cluster_facts(map);
  const PlacementFigures& placement = report.placement;
  std::string out = fmt::format(
      "<h2>Cluster and placement</h2>\n<p class=\"soft\">Placement {}: {} of {} nodes, ranks {}. "
      "Marked in the drawing is the first model replica.</p>\n",
      placement.kind, placement.nodes, placement.available_nodes, placement.rank_order);
  out += drawing(simulated, map, facts);
  out +=
      "<h3>Ranks by host</h3>\n<p class=\"soft\">Each cell is a GPU, its colour the pipeline "
      "stage.</p>\n";
  out += html_chart("placement", "Pipeline stage of the rank on each GPU of each host");
  out += html_details("Neighbours by distance", hops_table(placement));
  out += "<h3>Use of links</h3>\n";
  if (placement.busiest_link)
    out += fmt::format("<p>Busiest link between switches: {}, filled for {} of the step.</p>\n",
                       html_text(placement.busiest_link->name),
                       percent_text(placement.busiest_link->load));
  return out + links_table(simulated, report, facts);
}

std::string recipe_section(const Report& report) {
  std::string rows;
  for (const RecipeRow& row : recipe_rows(report.recipe))
    rows += fmt::format("<tr><td>{}</td><td class=\"text\">{}</td></tr>\n", html_text(row.key),
                        html_text(row.value));
  return "<h2>Recipe</h2>\n<p class=\"soft\">Every key as it was simulated, with what the file "
         "leaves to defaults.</p>\n" +
         html_details("Keys and values", html_table({"key", "value"}, rows));
}

std::string provenance_section(const std::vector<ProvenanceFile>& provenance) {
  std::string out =
      "<h2>Where every number comes from</h2>\n<p class=\"soft\">All values of the files that this "
      "run read, with their sources.</p>\n";
  for (const ProvenanceFile& file : provenance) {
    std::string rows;
    for (const ProvenanceRow& row : file.rows)
      rows += fmt::format(
          "<tr><td>{}</td><td>{}</td><td class=\"text\">{}</td><td>{}</td><td class=\"text "
          "soft\">{}</td></tr>\n",
          html_text(row.key), html_text(row.value), html_text(row.unit),
          row.set_by.empty() ? std::to_string(row.line) : html_text(row.set_by),
          html_text(row.source));
    out += html_details(fmt::format("{} ({} values)", html_text(file.path), file.rows.size()),
                        html_table({"key", "value", "unit", "line", "source"}, rows));
  }
  return out;
}

}  // namespace simtrain
