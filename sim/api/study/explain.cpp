#include "sim/study/what_if/explain.h"

#include <simtrain/study.h>

#include "sim/api/access.h"
#include "sim/api/errors.h"
#include "sim/output/run/explain_report.h"
#include "sim/output/text/json_parts.h"
#include "sim/run/simulate.h"

namespace simtrain::api {
namespace {

WhatIf what_if(const ChangeResult& change) {
  return {std::string(name_of(change.kind)),
          change.name,
          change.from,
          change.to,
          change.step_time_s,
          change.relative,
          change.mfu,
          change.fits};
}

PathStage path_stage(const simtrain::PathStage& stage) {
  return {stage.stage, stage.forward_s, stage.backward_s, stage.other_s, stage.communication_s};
}

}  // namespace

Explanation explain(const Scenario& scenario, const Progress& progress) {
  return guarded([&] {
    const auto& content = Access::of(scenario);
    const auto& data = Access::of(content.data);
    const simtrain::Scenario checked = content.scenario();
    const SimulatedStep step = simulate_step(checked, {false, data.clusters.get(), {}});
    const simtrain::Explanation why = simtrain::explain(
        {content.source, data.folder, content.row, content.settings}, step, progress);
    Explanation result;
    result.step_time_s = why.step_time_s;
    for (const simtrain::PathStage& stage : why.path.stages)
      result.path.push_back(path_stage(stage));
    result.moves = why.path.moves;
    for (const ChangeResult& change : why.changes) result.what_ifs.push_back(what_if(change));
    result.refused = why.refused;
    result.json = json_text(explanation_json(why));
    return result;
  });
}

}  // namespace simtrain::api
