#include <utility>

#include <simtrain/profile.h>

#include "sim/api/access.h"
#include "sim/api/errors.h"
#include "sim/measured/profiles/profile_format.h"
#include "sim/output/profiles/profile_report.h"
#include "sim/output/profiles/profile_summary.h"

namespace simtrain::api {
namespace {

std::vector<NamedKernel> named_kernels(const std::vector<ProfiledKernel>& found) {
  std::vector<NamedKernel> kernels;
  kernels.reserve(found.size());
  for (const ProfiledKernel& kernel : found)
    kernels.push_back(
        {kernel.name, std::string(name_of(kernel.kind)), kernel.calls, kernel.seconds});
  return kernels;
}

NcclCalls calls_of(const CallShape& shape, std::int64_t logged) {
  NcclCalls calls;
  calls.function = name_of(shape.function);
  if (shape.ranks > 0) calls.ranks = shape.ranks;
  calls.type = shape.element().name;
  calls.count = shape.count;
  calls.bytes = shape.bytes();
  calls.logged = logged;
  return calls;
}

std::vector<NcclCalls> logged_calls(const CallCounts& counts) {
  std::vector<NcclCalls> calls;
  calls.reserve(counts.size());
  for (const auto& [shape, logged] : counts) calls.push_back(calls_of(shape, logged));
  return calls;
}

ProfiledFile file_of(const simtrain::Profile& found) {
  ProfiledFile file;
  file.path = found.path;
  file.format = found.format;
  file.lines = found.lines;
  file.gpus = found.gpus;
  file.incomplete = found.incomplete;
  file.skipped_lines = found.skipped.count;
  file.steps = found.steps;
  file.kernels = named_kernels(found.kernels);
  file.calls = logged_calls(found.calls);
  file.untold_calls = found.unknown_calls;
  file.processes.reserve(found.processes.size());
  for (const LoggedProcess& process : found.processes) {
    file.processes.push_back({process.name, {}, logged_calls(process.calls)});
    if (process.place) file.processes.back().rank = process.place->rank;
  }
  return file;
}

std::vector<KernelTimes> kernel_times(const std::vector<KernelRow>& rows) {
  std::vector<KernelTimes> times;
  times.reserve(rows.size());
  for (const KernelRow& row : rows) {
    times.push_back({std::string(name_of(row.kind)), row.predicted.seconds, row.predicted.waiting_s,
                     row.predicted.calls, row.measured_s, row.error(), row.measured_calls});
  }
  return times;
}

std::vector<NcclCalls> nccl_calls(const std::vector<CallRow>& rows) {
  std::vector<NcclCalls> calls;
  calls.reserve(rows.size());
  for (const CallRow& row : rows) {
    calls.push_back(calls_of(row.shape, row.logged));
    calls.back().predicted = row.predicted;
  }
  return calls;
}

ProfiledRank rank_of(const ProfileComparison& found) {
  ProfiledRank rank;
  rank.process = found.process;
  rank.rank = found.rank;
  rank.stage = found.stage;
  rank.rank_from = found.rank_from;
  rank.steps = found.steps;
  rank.steps_from = found.steps_from;
  rank.calls = nccl_calls(found.calls);
  if (!found.process.empty()) return rank;
  rank.predicted_s = found.predicted_whole_s;
  rank.predicted_busy_s = found.predicted_busy_s;
  rank.measured_s = found.measured_whole_s;
  rank.measured_busy_s = found.measured_busy_s;
  rank.predicted_straggler_wait_s = found.straggler_wait_s;
  rank.kernels = kernel_times(found.kernels);
  rank.unclassified = named_kernels(found.unclassified);
  return rank;
}

Profile summary(const std::vector<simtrain::Profile>& profiles) {
  Profile answer;
  answer.profiles.reserve(profiles.size());
  for (const simtrain::Profile& profile : profiles) answer.profiles.push_back(file_of(profile));
  answer.text = profile_summary_text(profiles);
  answer.json = profile_summary_json(profiles);
  return answer;
}

Profile comparison(const simtrain::Scenario& scenario, std::vector<simtrain::Profile> profiles,
                   const ProfileRequest& request) {
  const std::vector<ProfileReport> reports =
      compare_profiles(scenario, std::move(profiles), request);
  Profile answer;
  answer.scenario = scenario.name;
  answer.profiles.reserve(reports.size());
  for (const ProfileReport& report : reports) {
    ProfiledFile& file = answer.profiles.emplace_back(file_of(report.profile));
    file.comparisons.reserve(report.comparisons.size());
    for (const ProfileComparison& one : report.comparisons)
      file.comparisons.push_back(rank_of(one));
  }
  answer.text = profile_text(scenario.name, reports);
  answer.json = profile_json(scenario.name, reports);
  return answer;
}

}  // namespace

Profile profile(const std::vector<std::string>& paths, const std::optional<Scenario>& scenario,
                const ProfileOptions& options, const Progress& progress) {
  return guarded([&] {
    if (paths.empty()) throw simtrain::InputError({}, "paths", "is empty; name a profile");
    const ProfileRequest request{options.rank, options.steps, ""};
    request.check();
    if (!scenario && (options.rank || options.steps))
      throw simtrain::InputError({}, options.rank ? "rank" : "steps", "goes with a scenario");
    if (!scenario) return summary(read_profile_files(paths, options.format, progress));
    const simtrain::Scenario& simulated = Access::of(*scenario).scenario();
    return comparison(simulated, read_profile_files(paths, options.format, progress), request);
  });
}

}  // namespace simtrain::api
