#include "sim/output/drawing/topology_html.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "sim/output/drawing/topology_words.h"
#include "sim/output/html/html.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

Json figures_content(const std::vector<LabelledFigure>& figures) {
  Json rows = Json::array();
  for (const auto& [label, text] : figures) rows.push_back({{"label", label}, {"text", text}});
  return rows;
}

Json list_content(const FigureList& list) {
  return {{"title", list.title}, {"figures", figures_content(list.figures)}};
}

Json table_content(const TopologyTable& table) {
  Json rows = Json::array();
  for (const std::vector<std::string>& row : table.rows) rows.push_back({{"cells", row}});
  return {{"title", table.title}, {"columns", table.columns}, {"rows", std::move(rows)}};
}

Json path_content(const std::optional<PathWords>& path) {
  if (!path) return nullptr;
  return {{"steps", table_content(path->steps)}, {"figures", figures_content(path->figures)}};
}

}  // namespace

std::string topology_html(const ClusterMap& map, const TopologyReport& report,
                          const Highlight& highlight) {
  const TopologyWords words = topology_words(report);
  return html_page("topology",
                   {{"title", report.cluster},
                    {"wiring", report.wiring},
                    {"note", report.note},
                    {"words", cluster_words(report.facts)},
                    {"marked", highlight.title},
                    {"drawing", cluster_svg(map, report, highlight)},
                    {"devices", list_content(words.devices)},
                    {"links", table_content(words.links)},
                    {"levels", table_content(words.levels)},
                    {"bisection", list_content(words.bisection)},
                    {"path", path_content(words.path)}},
                   PageResult(topology_json(report)));
}

}  // namespace simtrain
