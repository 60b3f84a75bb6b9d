#include <simtrain/study.h>

#include "sim/api/access.h"
#include "sim/api/errors.h"
#include "sim/api/result_of.h"
#include "sim/output/difference/difference_report.h"
#include "sim/run/simulate.h"

namespace simtrain::api {

Difference difference(const Scenario& run, const Scenario& against) {
  return guarded([&] {
    const auto report_of_one = [](const Scenario& scenario, const simtrain::Scenario& checked) {
      const auto& data = Access::of(Access::of(scenario).data);
      return simtrain::simulate(checked, {false, data.clusters.get(), {}});
    };
    const simtrain::Scenario checked = Access::of(run).scenario();
    const simtrain::Scenario other = Access::of(against).scenario();
    const Report report = report_of_one(run, checked);
    const Report other_report = report_of_one(against, other);
    const RunDifference found = run_difference({checked, report}, {other, other_report});
    Difference result;
    result.change_s = found.change_s();
    result.same_tokens = found.same_tokens();
    for (const simtrain::PartDifference& part : found.parts)
      result.parts.push_back(
          {std::string(name_of(part.share)), part.against_s, part.run_s, part.change_s()});
    for (const simtrain::KeyDifference& key : found.keys)
      result.keys.push_back({key.key, key.first, key.second});
    result.text = difference_text(found);
    result.json = difference_json(found);
    result.run = result_of(report);
    result.against = result_of(other_report);
    return result;
  });
}

}  // namespace simtrain::api
