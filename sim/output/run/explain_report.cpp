#include "sim/output/run/explain_report.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/output/text/unit_text.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

/// Knobs that the text shows, and stages of the path.
constexpr std::size_t kMostKnobs = 12;
constexpr std::size_t kMostStages = 6;

void add_path(std::string& out, const Explanation& explanation) {
  std::vector<PathStage> stages = explanation.path.stages;
  std::stable_sort(stages.begin(), stages.end(), [](const PathStage& a, const PathStage& b) {
    return a.total_s() > b.total_s();
  });
  out += fmt::format("\nThe critical path across ranks ({} moves between stages)\n",
                     explanation.path.moves);
  out += fmt::format("  {:<8}{:>12}{:>12}{:>12}{:>12}{:>12}{:>10}\n", "stage", "forward",
                     "backward", "step end", "transfers", "in all", "share");
  PathStage others;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const PathStage& stage = stages[i];
    if (i >= kMostStages) {
      others.forward_s += stage.forward_s;
      others.backward_s += stage.backward_s;
      others.other_s += stage.other_s;
      others.communication_s += stage.communication_s;
    }
  }
  const auto line = [&](const std::string& name, const PathStage& stage) {
    out +=
        fmt::format("  {:<8}{:>12}{:>12}{:>12}{:>12}{:>12}{:>8.2f} %\n", name,
                    seconds_text(stage.forward_s), seconds_text(stage.backward_s),
                    seconds_text(stage.other_s), seconds_text(stage.communication_s),
                    seconds_text(stage.total_s()), stage.total_s() / explanation.step_time_s * 100);
  };
  for (std::size_t i = 0; i < std::min(stages.size(), kMostStages); ++i)
    line(std::to_string(stages[i].stage), stages[i]);
  if (stages.size() > kMostStages) line("others", others);
}

void add_changes(std::string& out, const Explanation& explanation, ChangeKind kind,
                 std::string_view title, std::size_t most) {
  out += fmt::format("\n{}\n", title);
  std::size_t shown = 0;
  for (const ChangeResult& change : explanation.changes) {
    if (change.kind != kind || shown == most) continue;
    ++shown;
    const std::string what = change.from.empty()
                                 ? change.name
                                 : fmt::format("{}: {} -> {}", change.name, change.from, change.to);
    out += fmt::format("  {:<50}{:>+8.2f} %{:>12}{}\n", what.substr(0, 50), change.relative * 100,
                       seconds_text(change.step_time_s), change.fits ? "" : "  no fit");
  }
}

}  // namespace

std::string explanation_text(const Explanation& explanation) {
  std::string out;
  add_path(out, explanation);
  add_changes(out, explanation, ChangeKind::knob,
              "One knob changed, simulated anew (step time; 'no fit': too little memory)",
              kMostKnobs);
  add_changes(out, explanation, ChangeKind::cost_removed, "One cost removed, simulated anew",
              explanation.changes.size());
  return out;
}

Json explanation_json(const Explanation& explanation) {
  Json stages = Json::array();
  for (const PathStage& stage : explanation.path.stages)
    stages.push_back({{"stage", stage.stage},
                      {"forward_s", stage.forward_s},
                      {"backward_s", stage.backward_s},
                      {"step_end_s", stage.other_s},
                      {"transfers_s", stage.communication_s}});
  Json changes = Json::array();
  for (const ChangeResult& change : explanation.changes) {
    Json json{{"kind", name_of(change.kind)}, {"name", change.name}};
    if (change.kind == ChangeKind::knob) {
      json["from"] = change.from;
      json["to"] = change.to;
    }
    json["step_time_s"] = change.step_time_s;
    json["relative"] = change.relative;
    json["mfu"] = change.mfu;
    json["fits"] = change.fits;
    changes.push_back(std::move(json));
  }
  return {{"critical_path", {{"moves", explanation.path.moves}, {"stages", std::move(stages)}}},
          {"changes", std::move(changes)},
          {"refused", explanation.refused}};
}

}  // namespace simtrain
