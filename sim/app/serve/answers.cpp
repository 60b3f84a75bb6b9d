#include "sim/app/serve/answers.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/core/suggestion.h"
#include "sim/output/html/html.h"
#include "sim/output/html/page_tables.h"
#include "sim/output/html/template.h"
#include "sim/output/run/json_report.h"
#include "sim/output/text/json_parts.h"
#include "sim/run/scenario/routing_file.h"
#include "sim/run/simulate.h"
#include "sim/workload/kernels/precision.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostKnown = 256;

HttpAnswer json_answer(int status, const Json& json) {
  return {status, "application/json", json_text(json)};
}

/// The one value of a field; an empty text where it is not given.
std::string field_of(const HttpRequest& request, const std::string& name) {
  std::string value;
  for (const auto& [key, text] : request.fields) {
    if (key != name) continue;
    if (!value.empty()) throw InputError({}, name, "is given twice");
    value = text;
  }
  return value;
}

std::vector<Setting> settings_of(const HttpRequest& request) {
  std::vector<Setting> settings;
  for (const auto& [key, text] : request.fields) {
    if (key == "set")
      settings.push_back(parse_setting(text));
    else if (key != "scenario" && key != "row")
      throw InputError({}, key.substr(0, 80), "is not known here; scenario, row or set would do");
  }
  return settings;
}

/// Equal where the fields are, in their order.
std::string question_of(const HttpRequest& request) {
  std::string text;
  for (const auto& [key, value] : request.fields)
    text += fmt::format("{}:{}={}:{}\n", key.size(), key, value.size(), value);
  return text;
}

void refuse_paths(const YamlNode& tree) {
  if (model_path(tree))
    throw InputError({}, "model", "must be a name or a map; files of one's own are not read here");
  if (routing_path(tree))
    throw InputError({}, "moe.routing.histogram_file",
                     "must be left out for moe.routing.histogram; files of one's own are not read "
                     "here");
}

}  // namespace

ServeAnswers::ServeAnswers(const DataFolder& data) : data_(data.snapshot()) {
  for (const std::string& name : data.names("scenarios"))
    scenarios_.emplace(
        name, ScenarioSource::from_file(fmt::format("{}/scenarios/{}.yaml", data.root(), name)));
}

const ScenarioSource& ServeAnswers::source_of(const std::string& name) const {
  const auto found = scenarios_.find(name);
  if (found != scenarios_.end()) return found->second;
  std::vector<std::string> known;
  known.reserve(scenarios_.size());
  for (const auto& [other, source] : scenarios_) known.push_back(other);
  throw InputError(
      {}, "scenario",
      fmt::format("'{}' is not known; {}", name.substr(0, 80), suggestion(name, known)));
}

HttpAnswer ServeAnswers::operator()(const HttpRequest& request) {
  try {
    return routed(request);
  } catch (const InputError& error) {
    return json_answer(400,
                       {{"error", error.what()}, {"key", error.key()}, {"reason", error.reason()}});
  } catch (const std::exception& error) {
    return json_answer(500, {{"error", error.what()}});
  }
}

HttpAnswer ServeAnswers::routed(const HttpRequest& request) {
  if (request.path == "/")
    return {200, "text/html; charset=utf-8",
            labelled_tables(
                filled("serve", {{"style", page_style()}, {"script", web_file("serve_page.js")}}))};
  if (request.path == "/choices") return {200, "application/json", choices()};
  if (request.path == "/run") return {200, "application/json", run(request)};
  return json_answer(404, {{"error", "nothing is here; /, /choices and /run are"}});
}

std::string ServeAnswers::choices() const {
  Json scenarios = Json::array();
  for (const auto& [name, source] : scenarios_)
    scenarios.push_back({{"name", name}, {"rows", source.row_names()}});
  Json precisions = Json::array();
  for (const PrecisionRow& row : precision_rows()) precisions.push_back(name_of(row.precision));
  return json_text({{"scenarios", std::move(scenarios)},
                    {"models", data_.names("scenarios/models")},
                    {"clusters", data_.names("hardware/clusters")},
                    {"software", data_.names("hardware/software")},
                    {"precisions", std::move(precisions)}});
}

std::optional<std::string> ServeAnswers::known_answer(const std::string& question) {
  const std::lock_guard lock(mutex_);
  const auto known = std::find_if(known_.begin(), known_.end(),
                                  [&](const auto& entry) { return entry.first == question; });
  if (known == known_.end()) return std::nullopt;
  known_.splice(known_.begin(), known_, known);
  return known->second;
}

std::string ServeAnswers::run(const HttpRequest& request) {
  const std::string question = question_of(request);
  if (auto known = known_answer(question)) return *std::move(known);
  std::string answer = simulated(request);
  const std::lock_guard lock(mutex_);
  known_.emplace_front(question, answer);
  if (known_.size() > kMostKnown) known_.pop_back();
  return answer;
}

std::string ServeAnswers::simulated(const HttpRequest& request) {
  const ScenarioSource& source = source_of(field_of(request, "scenario"));
  const std::string row = field_of(request, "row");
  const std::vector<Setting> settings = settings_of(request);
  if (row.empty() && source.has_table())
    throw InputError({}, "row", fmt::format("is missing; {}", suggestion("", source.row_names())));
  refuse_paths(source.tree(row, settings));
  return json_report(simulate(source.scenario(data_, row, settings), {false, &clusters_, {}}));
}

}  // namespace simtrain
