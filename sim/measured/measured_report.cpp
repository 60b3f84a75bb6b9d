#include "sim/measured/measured_report.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "sim/measured/logs/log_files.h"

namespace simtrain {
namespace {

void name_runs(std::vector<MeasuredReport>& reports) {
  for (MeasuredReport& report : reports) {
    const auto same = std::count_if(
        reports.begin(), reports.end(),
        [&](const MeasuredReport& other) { return run_name(other.run.path) == report.name; });
    if (same > 1) report.name = report.run.path;
  }
}

}  // namespace

MeasuredReport measured_report(const std::string& path, const LogRequest& request,
                               const KnownFacts& known, const Watch& watch) {
  MeasuredReport report;
  report.name = run_name(path);
  report.run = read_log_file(path, request, watch);
  report.facts = merge({known.surer, facts_of_log(report.run.facts), known.rest});
  report.metrics = run_metrics(report.run, report.facts.facts);
  return report;
}

std::vector<MeasuredReport> measured_reports(const std::vector<std::string>& paths,
                                             const LogRequest& request, const KnownFacts& known,
                                             const Watch& logs, const Watch& bytes) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    for (std::string& file : log_files(path)) files.push_back(std::move(file));
  }
  std::vector<MeasuredReport> reports;
  reports.reserve(files.size());
  for (const std::string& file : files) {
    reports.push_back(measured_report(file, request, known, files.size() == 1 ? bytes : Watch()));
    if (logs) logs(reports.size(), files.size());
  }
  name_runs(reports);
  return reports;
}

std::string run_name(const std::string& path) {
  std::string name = std::filesystem::path(path).filename().string();
  for (const std::string_view ending : {".gz", ".out", ".log", ".txt", ".json", ".csv"}) {
    if (name.size() > ending.size() && name.ends_with(ending))
      name.resize(name.size() - ending.size());
  }
  constexpr std::string_view kFront = "log-";
  if (name.size() > kFront.size() && name.starts_with(kFront)) name.erase(0, kFront.size());
  return name;
}

}  // namespace simtrain
