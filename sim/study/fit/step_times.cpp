#include "sim/study/fit/step_times.h"

#include "sim/core/threads/parallel_each.h"
#include "sim/run/simulate.h"
#include "sim/study/validate/documented.h"

namespace simtrain {

std::vector<StepTime> step_times(const DataFolder& data, const std::string& path) {
  const DocumentedFile file = read_documented(path);
  std::vector<StepTime> result;
  for (const Document& document : file.documents) {
    for (const DocumentedTable& table : document.tables) {
      if (table.use != TableUse::headline) continue;
      const auto source = ScenarioSource::from_file(file.scenario_path(data.root(), table));
      for (const DocumentedRow& row : table.rows) {
        result.push_back(
            {{document.document, table.table, table.group, table.precision, table.scenario, row.row,
              table.printed(row, FigureName::step_time), *table.value(row, FigureName::step_time)},
             source});
      }
    }
  }
  if (result.empty()) throw InputError({path}, "documents", "holds no headline step times");
  return result;
}

ValidationRow compared(const StepTime& step_time, const StepTimePrediction& prediction) {
  return {step_time, prediction.predicted_s};
}

std::vector<StepTimePrediction> predict(const DataFolder& data,
                                        const std::vector<StepTime>& step_times) {
  std::vector<StepTimePrediction> result(step_times.size());
  parallel_each(step_times.size(), [&](std::size_t i) {
    const StepTime& row = step_times[i];
    const Report report = simulate(row.source.scenario(data, row.row, {}));
    result[i] = {report.step_time_s, report.step_time_error};
  });
  return result;
}

}  // namespace simtrain
