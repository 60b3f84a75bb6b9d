#include <algorithm>

#include <fmt/format.h>

#include "sim/output/difference/difference_report.h"
#include "sim/output/html/html.h"
#include "sim/output/html/html_colours.h"
#include "sim/output/run/page/run_html_memory.h"
#include "sim/output/text/changes.h"
#include "sim/output/text/unit_text.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

Json side_json(const RunSide& side) {
  return {
      {"name", side.report.scenario},         {"cluster", side.report.cluster},
      {"model", side.report.model},           {"software", side.report.software},
      {"layout", side.report.layout},         {"changes", changes_page(changes_of(side.report))},
      {"memory", memory_section(side.report)}};
}

Json lines_json(const std::vector<DifferenceLine>& lines) {
  Json rows = Json::array();
  for (const DifferenceLine& line : lines)
    rows.push_back({{"name", in_words(line.name)},
                    {"against", line.against},
                    {"run", line.run},
                    {"change", line.change}});
  return {{"rows", std::move(rows)}};
}

Json keys_section(const std::vector<KeyDifference>& keys) {
  if (keys.empty()) return nullptr;
  Json rows = Json::array();
  for (const KeyDifference& key : keys)
    rows.push_back({{"key", key.key},
                    {"against", key.first.empty() ? std::string(kNotSet) : key.first},
                    {"run", key.second.empty() ? std::string(kNotSet) : key.second}});
  return {{"rows", std::move(rows)}};
}

/// The bars from one step time to the other.
Json fall_json(const RunDifference& difference) {
  Json bars = Json::array();
  double level = difference.against.report.step_time_s;
  for (const PartDifference& one : difference.parts) {
    const PageColour& colour = kShareColours[static_cast<std::size_t>(one.share)];
    bars.push_back({{"name", in_words(name_of(one.share))},
                    {"colour", {colour.light, colour.dark}},
                    {"from", level},
                    {"to", level + one.change_s()},
                    {"against_s", one.against_s},
                    {"run_s", one.run_s}});
    level += one.change_s();
  }
  return {{"against_s", difference.against.report.step_time_s},
          {"run_s", difference.run.report.step_time_s},
          {"parts", std::move(bars)}};
}

}  // namespace

std::string difference_html(const RunDifference& difference) {
  const Json content{
      {"title", difference.run.report.scenario + " against " + difference.against.report.scenario},
      {"run", side_json(difference.run)},
      {"against", side_json(difference.against)},
      {"figures", lines_json(figure_lines(difference))},
      {"unlike_tokens", !difference.same_tokens()},
      {"parts", lines_json(part_lines(difference))},
      {"keys", keys_section(difference.keys)},
      {"memory", lines_json(memory_lines(difference))}};
  return html_chart_page("difference", content, {{"fall", fall_json(difference)}},
                         PageResult(difference_json(difference)));
}

}  // namespace simtrain
