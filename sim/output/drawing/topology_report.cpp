#include "sim/output/drawing/topology_report.h"

#include <utility>

#include <fmt/format.h>

#include "sim/core/printable.h"
#include "sim/output/drawing/topology_words.h"
#include "sim/output/text/wrapped_text.h"

namespace simtrain {
namespace {

void add_figures(std::string& out, const std::vector<LabelledFigure>& figures) {
  for (const auto& [label, text] : figures) labelled_line(out, label, text);
}

void add_list(std::string& out, const FigureList& list) {
  out += fmt::format("\n{}\n", list.title);
  add_figures(out, list.figures);
}

/// A line of cells: the first `names` of them to the left, the others to the right of columns of
/// `widths`.
void add_cells(std::string& out, const std::vector<std::string>& cells, std::size_t names,
               const std::vector<int>& widths) {
  out += "  ";
  for (std::size_t i = 0; i < cells.size(); ++i)
    out += i < names ? fmt::format("{:<{}} ", cells[i], widths[i] - 1)
                     : fmt::format("{:>{}}", cells[i], widths[i]);
  out += '\n';
}

void add_table(std::string& out, const TopologyTable& table, std::size_t names,
               const std::vector<int>& widths) {
  out += fmt::format("\n{}\n", table.title);
  add_cells(out, table.columns, names, widths);
  for (const std::vector<std::string>& row : table.rows) add_cells(out, row, names, widths);
}

}  // namespace

TopologyReport topology_report(const ClusterSpec& spec, ClusterFacts facts,
                               const std::string& note) {
  return {fmt::format("{}: {} ({} {})", spec.name, spec.nodes_text(), spec.gpus(), spec.gpu.name),
          fmt::format("{}, {}", spec.fabric.name, spec.wiring_text()), note, std::move(facts),
          std::nullopt};
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
  const TopologyWords words = topology_words(report);
  std::string out = printable(report.cluster) + "\n" + printable(report.wiring) + "\n";
  if (!report.note.empty()) out += report.note + "\n";
  add_list(out, words.devices);
  add_table(out, words.links, 1, {18, 8, 14, 14, 14});
  add_table(out, words.levels, 1, {18, 14, 14, 20});
  add_list(out, words.bisection);
  if (words.path) {
    add_table(out, words.path->steps, 2, {22, 22, 4, 11, 9, 9});
    add_figures(out, words.path->figures);
  }
  return out;
}

}  // namespace simtrain
