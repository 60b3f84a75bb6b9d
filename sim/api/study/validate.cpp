#include "sim/study/validate/validate.h"

#include <filesystem>
#include <system_error>

#include <simtrain/study.h>

#include "sim/api/access.h"
#include "sim/api/errors.h"
#include "sim/output/validation/machine_report.h"
#include "sim/output/validation/validation_report.h"
#include "sim/study/machine/machine_fit.h"
#include "sim/study/validate/measured_folder.h"
#include "sim/topology/specs/cluster_fields.h"

namespace simtrain::api {
namespace {

ValidationRow row_of(const simtrain::ValidationRow& row) {
  return {row.document, row.table, row.group,      std::string(name_of(row.precision)),
          row.scenario, row.row,   row.measured_s, row.predicted_s,
          row.error()};
}

std::vector<ValidationResult> results_of(const simtrain::DataFolder& data,
                                         std::vector<std::string> paths, const Progress& progress) {
  if (paths.empty())
    paths = {data.root() + "/validation/documented.yaml", data.root() + "/validation/memory.yaml"};
  std::vector<ValidationResult> results;
  for (const std::string& path : paths) {
    std::error_code error;
    results.push_back(std::filesystem::is_directory(path, error)
                          ? validate_folder(data, path, {}, progress)
                          : validate_documents(data, path, progress));
  }
  return results;
}

/// What the folders hold, read when it is needed.
simtrain::MachineEvidence evidence_of(const MachineEvidence& given) {
  if (given.kernels.empty() && given.runs.empty())
    throw simtrain::InputError({}, "evidence",
                               "holds nothing measured: a folder of kernels or runs is needed");
  simtrain::MachineEvidence evidence;
  if (!given.kernels.empty()) evidence.kernels = load_kernel_points(given.kernels);
  if (!given.runs.empty())
    evidence.runs = [&folder = given.runs](const simtrain::DataFolder& data) {
      std::vector<double> errors;
      for (const simtrain::ValidationRow& row : validate_folder(data, folder, {}).rows())
        errors.push_back(row.error());
      return errors;
    };
  return evidence;
}

}  // namespace

Validation validate(const DataFolder& data, const std::vector<std::string>& paths,
                    const Progress& progress) {
  return guarded([&] {
    const std::vector<ValidationResult> results =
        results_of(Access::of(data).folder, paths, progress);
    const std::vector<simtrain::ValidationRow> rows = headline_rows(results);
    const ValidationSummary summary = summarize(rows);
    Validation validation;
    for (const simtrain::ValidationRow& row : rows) validation.rows.push_back(row_of(row));
    validation.mean_absolute_error = summary.mean_absolute;
    validation.largest_absolute_error = summary.largest_absolute;
    validation.bias = summary.bias;
    for (const ValidationResult& result : results) {
      for (const std::string& sentence : broken_bounds(result))
        validation.broken.push_back(sentence);
    }
    validation.json = validation_json(results);
    return validation;
  });
}

MachineFit calibrate_machine(const DataFolder& data, const std::string& machine,
                             const std::string& cluster, const MachineEvidence& evidence) {
  return guarded([&] {
    const simtrain::DataFolder& folder = Access::of(data).folder;
    static_cast<void>(folder.load<ClusterFile>("hardware/clusters", cluster, {}, "cluster"));
    const simtrain::MachineFit found = fit_machine(folder, cluster, evidence_of(evidence));
    MachineFit fit;
    fit.node = found.node;
    fit.gpu = found.gpu;
    for (const MachineFinding& value : found.findings)
      fit.values.push_back({value.key, value.unit, value.before, value.value, value.standard_error,
                            value.points, value.source});
    fit.relative_error = found.relative_error;
    fit.yaml = machine_yaml(machine, found);
    fit.json = machine_json(machine, found);
    return fit;
  });
}

}  // namespace simtrain::api
