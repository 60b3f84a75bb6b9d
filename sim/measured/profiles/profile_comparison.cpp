#include "sim/measured/profiles/profile_comparison.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sim/core/input/input_error.h"
#include "sim/run/pieces/critical_path.h"
#include "sim/run/simulate.h"

namespace simtrain {
namespace {

/// How often something occurs in a step and in a profile.
struct Ratio {
  std::int64_t predicted = 0;
  std::int64_t found = 0;
};

struct StepCount {
  std::int64_t steps = 0;
  std::string how;
};

/// The whole number that most of the ratios give, more than half of them and at least `least`.
std::optional<StepCount> steps_by(const std::vector<Ratio>& ratios, std::int64_t least,
                                  std::string_view what) {
  std::map<std::int64_t, std::int64_t> votes;
  for (const Ratio& ratio : ratios) {
    if (ratio.found % ratio.predicted == 0) ++votes[ratio.found / ratio.predicted];
  }
  const auto most = std::max_element(
      votes.begin(), votes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  const auto all = static_cast<std::int64_t>(ratios.size());
  if (most == votes.end() || most->second < least || 2 * most->second <= all) return std::nullopt;
  return StepCount{most->first, fmt::format("by {} of {} kinds of {}", most->second, all, what)};
}

[[noreturn]] void refuse_steps(const Profile& profile, const ProfileRequest& request,
                               std::string_view why) {
  throw InputError({profile.path}, request.steps_option(),
                   fmt::format("{}, so that it is not known how many steps this is; {} N gives it",
                               why, request.steps_option()));
}

std::optional<StepCount> given_steps(const Profile& profile, const ProfileRequest& request) {
  if (request.steps) return StepCount{*request.steps, "--steps"};
  if (profile.steps && profile.gpus == 1)
    return StepCount{*profile.steps, "as the profile marks them"};
  if (profile.steps) {
    return StepCount{*profile.steps * profile.gpus,
                     fmt::format("{} that the profile marks, on each of its {} GPUs",
                                 *profile.steps, profile.gpus)};
  }
  return std::nullopt;
}

StepCount steps_of_calls(const Profile& profile, const ProfileRequest& request,
                         const CallCounts& predicted, const CallCounts& logged) {
  if (auto given = given_steps(profile, request)) return *given;
  std::vector<Ratio> ratios;
  ratios.reserve(predicted.size());
  for (const auto& [shape, count] : predicted) {
    const auto found = logged.find(shape);
    if (found != logged.end()) ratios.push_back({count, found->second});
  }
  if (const auto steps = steps_by(ratios, 1, "calls")) return *steps;
  refuse_steps(profile, request,
               ratios.empty() ? "holds none of the predicted calls of NCCL"
                              : "holds predicted calls of NCCL in no common multiple");
}

StepCount steps_of_kernels(const Profile& profile, const ProfileRequest& request,
                           const std::vector<KernelRow>& rows) {
  if (auto given = given_steps(profile, request)) return *given;
  std::vector<Ratio> ratios;
  for (const KernelRow& row : rows) {
    const bool votes =
        row.kind == KernelKind::nccl_all_reduce || row.kind == KernelKind::nccl_all_gather ||
        row.kind == KernelKind::nccl_reduce_scatter || row.kind == KernelKind::nccl_broadcast;
    const auto found = static_cast<std::int64_t>(row.measured_calls);
    if (votes && row.predicted.calls > 0 && found > 0)
      ratios.push_back({row.predicted.calls, found});
  }
  if (const auto steps = steps_by(ratios, 2, "collectives")) return *steps;
  refuse_steps(profile, request,
               "marks no steps, and its collectives are no common multiple of predicted "
               "ones");
}

/// Of all steps.
std::vector<KernelRow> kernel_rows(const Profile& profile, const PredictedProfile& predicted) {
  std::vector<KernelRow> rows;
  rows.reserve(kKernelKinds);
  for (const auto& [name, kind] : EnumNames<KernelKind>::rows) {
    rows.push_back({kind, predicted.of(kind), 0, 0});
  }
  for (const ProfiledKernel& kernel : profile.kernels) {
    KernelRow& row = rows[static_cast<std::size_t>(kernel.kind)];
    row.measured_calls += static_cast<double>(kernel.calls);
    row.measured_s += kernel.seconds;
  }
  rows.erase(std::remove_if(rows.begin(), rows.end(),
                            [](const KernelRow& row) {
                              return row.predicted.calls == 0 && row.measured_calls <= 0;
                            }),
             rows.end());
  return rows;
}

std::vector<CallRow> call_rows(const CallCounts& predicted, const CallCounts& logged,
                               std::int64_t steps) {
  std::map<CallShape, CallRow> rows;
  for (const auto& [shape, count] : predicted) rows[shape] = {shape, count * steps, 0};
  for (const auto& [shape, count] : logged) {
    CallRow& row = rows[shape];
    row.shape = shape;
    row.logged = count;
  }
  std::vector<CallRow> sorted;
  sorted.reserve(rows.size());
  for (const auto& [shape, row] : rows) sorted.push_back(row);
  std::stable_sort(sorted.begin(), sorted.end(), [](const CallRow& one, const CallRow& other) {
    return one.bytes(std::max(one.predicted, one.logged)) >
           other.bytes(std::max(other.predicted, other.logged));
  });
  return sorted;
}

/// Compares with one simulated step.
class Comparer {
 public:
  Comparer(const SimulatedStep& simulated, const Profile& profile, const ProfileRequest& request)
      : simulated_(simulated), profile_(profile), request_(request) {}

  ProfileComparison kernels() const {
    ProfileComparison result = of_rank(profile_.place, "stated in the profile");
    const PredictedProfile predicted = predicted_profile(simulated_, result.rank);
    result.kernels = kernel_rows(profile_, predicted);
    result.straggler_wait_s = predicted.straggler_wait_s;
    const StepCount steps = steps_of_kernels(profile_, request_, result.kernels);
    result.steps = steps.steps;
    result.steps_from = steps.how;
    result.predicted_whole_s = to_seconds(simulated_.timeline.end);
    result.predicted_busy_s = predicted.busy_s;
    const auto per_step = static_cast<double>(steps.steps);
    if (profile_.whole_s) result.measured_whole_s = *profile_.whole_s / per_step;
    if (profile_.busy_s) result.measured_busy_s = *profile_.busy_s / per_step;
    for (KernelRow& row : result.kernels) {
      row.measured_calls /= per_step;
      row.measured_s /= per_step;
    }
    if (!profile_.calls.empty())
      result.calls =
          call_rows(predicted_calls(simulated_, result.rank), profile_.calls, steps.steps);
    std::copy_if(
        profile_.kernels.begin(), profile_.kernels.end(), std::back_inserter(result.unclassified),
        [](const ProfiledKernel& kernel) { return kernel.kind == KernelKind::unclassified; });
    return result;
  }

  std::vector<ProfileComparison> processes() {
    std::vector<const LoggedProcess*> chosen;
    std::vector<const LoggedProcess*> unknown;
    for (const LoggedProcess& process : profile_.processes) {
      if (process.calls.empty()) continue;
      if (!known(process.place))
        unknown.push_back(&process);
      else if (!request_.rank || process.place->rank == *request_.rank)
        chosen.push_back(&process);
    }
    if (request_.rank && !chosen.empty()) unknown.clear();
    chosen.insert(chosen.end(), unknown.begin(), unknown.end());
    if (chosen.empty())
      throw InputError({profile_.path}, request_.rank_option(),
                       fmt::format("holds no calls of rank {}", request_.rank.value_or(0)));
    if (unknown.size() > 1) {
      throw InputError({profile_.path}, "",
                       fmt::format("holds calls of {} processes whose ranks are unknown; the "
                                   "log of one process with {} N would do",
                                   unknown.size(), request_.rank_option()));
    }
    std::vector<ProfileComparison> results;
    results.reserve(chosen.size());
    for (const LoggedProcess* process : chosen) results.push_back(calls(*process));
    return results;
  }

 private:
  /// A place in a communicator as large as the job is a rank of the job.
  [[nodiscard]] bool known(const std::optional<RankPlace>& place) const {
    return place && place->ranks == simulated_.grid.ranks() && place->rank < place->ranks;
  }

  /// The rank that a profile states, where it differs from the job or the rank it is compared with.
  [[nodiscard]] std::string contradiction(const std::optional<RankPlace>& place,
                                          std::optional<int> rank) const {
    if (!place) return "";
    const int ranks = simulated_.grid.ranks();
    if (place->ranks != ranks && profile_.processes.empty())
      return fmt::format("; the profile is of rank {} of {}, the job has {}", place->rank,
                         place->ranks, ranks);
    if (rank && known(place) && place->rank != *rank)
      return fmt::format("; the profile states rank {}", place->rank);
    return "";
  }

  [[nodiscard]] ProfileComparison of_rank(const std::optional<RankPlace>& place,
                                          std::string_view by) const {
    ProfileComparison result;
    if (request_.rank) {
      result.rank = *request_.rank;
      result.rank_from = "--rank" + contradiction(place, *request_.rank);
    } else if (known(place)) {
      result.rank = place->rank;
      result.rank_from = by;
    } else {
      result.rank = simulated_.plan.ranks[busiest_rank(simulated_.plan, simulated_.timeline)].rank;
      result.rank_from =
          "the busiest one; --rank N would take another" + contradiction(place, std::nullopt);
    }
    result.stage = simulated_.grid.coordinates(result.rank).pp;
    return result;
  }

  /// Those of ranks that are alike are counted once.
  const CallCounts& calls_of(int rank) {
    const auto own = static_cast<std::size_t>(rank);
    const std::pair alike(simulated_.classes.step_representative[own],
                          simulated_.classes.pass[own]);
    const auto [entry, fresh] = predicted_calls_.try_emplace(alike);
    if (fresh) entry->second = predicted_calls(simulated_, rank);
    return entry->second;
  }

  [[nodiscard]] ProfileComparison calls(const LoggedProcess& process) {
    ProfileComparison result = of_rank(process.place, "its place among all ranks");
    result.process = process.name;
    const CallCounts& predicted = calls_of(result.rank);
    const StepCount steps = steps_of_calls(profile_, request_, predicted, process.calls);
    result.steps = steps.steps;
    result.steps_from = steps.how;
    result.calls = call_rows(predicted, process.calls, steps.steps);
    return result;
  }

  const SimulatedStep& simulated_;
  const Profile& profile_;
  const ProfileRequest& request_;
  std::map<std::pair<int, int>, CallCounts> predicted_calls_;  ///< by rank and pass class
};

}  // namespace

std::vector<ProfileComparison> compare_profile(const SimulatedStep& simulated,
                                               const Profile& profile,
                                               const ProfileRequest& request) {
  if (request.rank && *request.rank >= simulated.grid.ranks()) {
    throw InputError(
        {}, request.rank_option(),
        fmt::format("there is no {}; 0 to {} would do", *request.rank, simulated.grid.ranks() - 1));
  }
  Comparer comparer(simulated, profile, request);
  if (!profile.processes.empty()) return comparer.processes();
  return {comparer.kernels()};
}

std::vector<ProfileReport> compare_profiles(const Scenario& scenario, std::vector<Profile> profiles,
                                            const ProfileRequest& request, const Watch& ops) {
  const SimulatedStep simulated = simulate_step(scenario, {false, nullptr, ops});
  std::vector<ProfileReport> reports;
  reports.reserve(profiles.size());
  for (Profile& profile : profiles) {
    std::vector<ProfileComparison> comparisons = compare_profile(simulated, profile, request);
    reports.push_back({std::move(profile), std::move(comparisons)});
  }
  return reports;
}

void ProfileRequest::check() const {
  constexpr std::int64_t kMostSteps = 1'000'000'000;
  if (rank && *rank < 0) throw InputError({}, rank_option(), "must be a whole number of 0 or more");
  if (steps && (*steps < 1 || *steps > kMostSteps))
    throw InputError({}, steps_option(), "must be a whole number from 1 to 1e9");
}

}  // namespace simtrain
