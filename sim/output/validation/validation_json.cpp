#include "sim/output/text/json_parts.h"
#include "sim/output/validation/validation_report.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

Json figure_json(const FigureResult& figure) {
  Json json{{"figure", name_of(figure.figure)}, {"label", figure.label},
            {"kind", name_of(figure.kind)},     {"unit", unit_of(figure.figure)},
            {"printed", figure.printed},        {"measured", figure.measured}};
  if (figure.recomputed) {
    json["recomputed"] = *figure.recomputed;
    json["follows"] = figure.follows();
    json["disputed"] = figure.disputed;
  }
  if (figure.predicted) {
    json["predicted"] = *figure.predicted;
    json["error"] = figure.error();
  }
  if (figure.within) json["bound"] = figure.within->fraction;
  return json;
}

Json run_json(const RunResult& run) {
  Json json{{"row", run.row}, {"column", run.column}};
  if (!run.caveat.empty()) json["caveat"] = run.caveat;
  const FigureResult* time = run.find(FigureName::step_time);
  if (time != nullptr) {
    json["printed"] = time->printed;
    json["measured_s"] = time->measured;
    json["predicted_s"] = run.report.step_time_s;
    json["error"] = time->error();
    const Interval interval = run.report.step_time_interval();
    json["low_s"] = interval.low;
    json["high_s"] = interval.high;
    json["covered"] = interval.holds(time->measured);
  }
  json["figures"] = Json::array();
  for (const FigureResult& figure : run.figures) json["figures"].push_back(figure_json(figure));
  json["breakdown_s"] = breakdown_json(run.report);
  return json;
}

Json table_json(const TableResult& table) {
  const DocumentedTable& spec = table.spec;
  Json json{{"document", table.document},
            {"table", spec.table},
            {"use", name_of(spec.use)},
            {"group", spec.group},
            {"precision", name_of(spec.precision)},
            {"scenario", spec.scenario},
            {"summary", summary_json(summarize(table.rows()))}};
  if (spec.bounds)
    json["bounds"] = {{"mean", spec.bounds->mean.fraction}, {"max", spec.bounds->max.fraction}};
  if (table.trend)
    json["growth"] = {{"from", table.trend->from},         {"to", table.trend->to},
                      {"measured", table.trend->measured}, {"predicted", table.trend->predicted},
                      {"bound", table.trend->within},      {"holds", table.trend->holds()}};
  json["rows"] = Json::array();
  for (const RunResult& run : table.runs) json["rows"].push_back(run_json(run));
  return json;
}

}  // namespace

std::string validation_json(const std::vector<ValidationResult>& results) {
  Json json;
  json["schema"] = "simtrain.validation/1";
  json["summary"] = summary_json(summarize(headline_rows(results)));
  json["memory_summary"] = summary_json(memory_summary(results));
  json["broken_bounds"] = Json::array();
  json["tables"] = Json::array();
  for (const ValidationResult& result : results) {
    for (const std::string& broken : broken_bounds(result)) json["broken_bounds"].push_back(broken);
    for (const TableResult& table : result.tables) json["tables"].push_back(table_json(table));
  }
  return json_text(json);
}

}  // namespace simtrain
