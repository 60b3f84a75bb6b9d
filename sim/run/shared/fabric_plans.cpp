#include "sim/run/shared/fabric_plans.h"

#include <algorithm>
#include <numeric>

#include "sim/run/engine/executor.h"
#include "sim/run/simulate.h"
#include "sim/workload/parallel/messages.h"

namespace simtrain {
namespace {

/// Whether a message of the job leaves by the NIC of a GPU that another job may have.
bool leaves_by_others(const Job& job) {
  std::vector<bool> own(static_cast<std::size_t>(job.cluster.gpus()), false);
  for (const int gpu : job.placement.gpu_of_rank) own[static_cast<std::size_t>(gpu)] = true;
  for (const auto& messages : {piece_messages(job.grid), step_messages(job.grid)}) {
    for (const MessageWay& way : ways_of(messages, job.cluster, job.placement)) {
      if (!own[static_cast<std::size_t>(way.exit_gpu)]) return true;
    }
  }
  return false;
}

/// Jobs joined by links that more than one of them uses and that may be asked for too much.
std::vector<std::vector<int>> meeting_jobs(const PlanUnion& all) {
  const std::vector<std::vector<double>> asked = most_asked(all);
  std::vector<int> joined(all.jobs);
  std::iota(joined.begin(), joined.end(), 0);
  for (std::size_t link = 0; link < all.plan.link_capacities.size(); ++link) {
    double sum = 0;
    std::vector<int> users;
    for (std::uint32_t job = 0; job < all.jobs; ++job) {
      sum += asked[job][link];
      if (asked[job][link] > 0) users.push_back(static_cast<int>(job));
    }
    if (users.size() < 2 || sum <= all.plan.link_capacities[link]) continue;
    for (const int user : users) {
      const int from = joined[static_cast<std::size_t>(user)];
      const int to = joined[static_cast<std::size_t>(users.front())];
      std::replace(joined.begin(), joined.end(), from, to);
    }
  }
  std::vector<std::vector<int>> parts(all.jobs);
  for (std::uint32_t job = 0; job < all.jobs; ++job)
    parts[static_cast<std::size_t>(joined[job])].push_back(static_cast<int>(job));
  std::erase_if(parts, [](const std::vector<int>& part) { return part.empty(); });
  std::sort(parts.begin(), parts.end());
  return parts;
}

std::vector<std::vector<int>> nobody_meets(std::size_t jobs) {
  std::vector<std::vector<int>> parts;
  for (std::size_t job = 0; job < jobs; ++job) parts.push_back({static_cast<int>(job)});
  return parts;
}

}  // namespace

FabricPlans fabric_plans(const FabricScenario& fabric, ClusterCache& clusters) {
  FabricPlans plans;
  std::vector<Job> jobs;
  for (const FabricJob& job : fabric.jobs) {
    jobs.push_back(lay_out(job.scenario, {.clusters = &clusters}));
    plans.ranks += job.scenario.gpus();
  }
  plans.cluster = jobs.front().shared_cluster;
  plans.links_never_bind = plans.cluster->inner_links_never_bind();
  const bool apart =
      fabric.jobs.size() == 1 ||
      (plans.links_never_bind && std::none_of(jobs.begin(), jobs.end(), leaves_by_others));
  if (apart) {
    for (const FabricJob& job : fabric.jobs) {
      const SimulatedStep step = simulate_step(job.scenario, {.clusters = &clusters});
      plans.alone_s.push_back(to_seconds(step.timeline.end));
    }
    plans.meeting = nobody_meets(fabric.jobs.size());
    return plans;
  }
  std::vector<Plan> every;  // of all ranks of each job
  for (const FabricJob& job : fabric.jobs)
    every.push_back(plan_step(lay_out(job.scenario, {.unfold = true, .clusters = &clusters})).plan);
  std::vector<const Plan*> parts;
  parts.reserve(every.size());
  for (const Plan& plan : every) parts.push_back(&plan);
  plans.all = folded(united(parts));
  for (std::uint32_t job = 0; job < plans.all->jobs; ++job)
    plans.alone_s.push_back(to_seconds(execute(only(*plans.all, {job}).plan).end));
  plans.meeting = meeting_jobs(*plans.all);
  return plans;
}

}  // namespace simtrain
