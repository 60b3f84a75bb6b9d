#include "sim/run/shared/shared_fabric.h"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "sim/run/engine/executor.h"
#include "sim/run/shared/fabric_plans.h"
#include "sim/run/shared/link_ledger.h"
#include "sim/topology/cluster_map.h"
#include "sim/topology/graph/cluster_graph.h"

namespace simtrain {
namespace {

std::size_t at(int number) { return static_cast<std::size_t>(number); }

/// Jobs that ran together.
struct TogetherRun {
  JobSteps log;
  LinkLedger ledger;
};

double mean_s(const std::vector<Duration>& steps) {
  const Duration sum = std::accumulate(steps.begin(), steps.end(), Duration(0));
  return to_seconds(sum / static_cast<Duration::rep>(steps.size()));
}

std::vector<RepeatedJob> repeated(const FabricScenario& fabric, const PlanUnion& some,
                                  const std::vector<int>& jobs) {
  std::vector<RepeatedJob> list;
  for (std::uint32_t job = 0; job < some.jobs; ++job) {
    const auto [begin, end] =
        std::equal_range(some.job_of_rank.begin(), some.job_of_rank.end(), job);
    list.push_back({static_cast<std::uint32_t>(begin - some.job_of_rank.begin()),
                    static_cast<std::uint32_t>(end - some.job_of_rank.begin()),
                    fabric.jobs[at(jobs[job])].start});
  }
  return list;
}

class FabricRun {
 public:
  FabricRun(const FabricScenario& fabric, const FabricOptions& options)
      : fabric_(fabric),
        options_(options),
        plans_(fabric_plans(fabric, options.clusters != nullptr ? *options.clusters : own_)) {}

  FabricResult result() {
    begin();
    for (const std::vector<int>& part : plans_.meeting) {
      if (part.size() > 1) simulations_ += 1 + (part.size() > 2 ? part.size() : 0);
    }
    for (const std::vector<int>& part : plans_.meeting) {
      if (part.size() > 1) meet(part);
    }
    std::stable_sort(result_.links.begin(), result_.links.end(),
                     [](const SharedLink& one, const SharedLink& other) {
                       return one.held_up() > other.held_up();
                     });
    return std::move(result_);
  }

 private:
  void begin() {
    const ClusterSpec& cluster = plans_.cluster->spec();
    result_.name = fabric_.name;
    result_.cluster = cluster.name;
    result_.nodes = cluster.nodes;
    result_.gpus = cluster.gpus();
    result_.links_never_bind = plans_.links_never_bind;
    result_.meeting = plans_.meeting;
    result_.ranks = plans_.ranks;
    result_.ranks_simulated = plans_.all ? static_cast<int>(plans_.all->plan.ranks.size()) : 0;
    result_.steps = fabric_.steps;
    for (std::size_t i = 0; i < fabric_.jobs.size(); ++i) {
      const FabricJob& job = fabric_.jobs[i];
      const double alone = plans_.alone_s[i];
      result_.jobs.push_back({job.name, job.scenario.name, job.placement, job.scenario.gpus(),
                              placed_hosts(cluster, job.scenario.placement), to_seconds(job.start),
                              alone, alone, alone, alone, 0,
                              std::vector<double>(fabric_.jobs.size(), alone)});
    }
  }

  /// Runs some jobs that may meet, then without each of them.
  void meet(const std::vector<int>& part) {
    const PlanUnion some = only(*plans_.all, numbers(part));
    TogetherRun run{JobSteps(repeated(fabric_, some, part), fabric_.steps),
                    LinkLedger(some.plan, some.job_of_rank, some.jobs)};
    run.ledger.count_from(run.log);
    execute_steps(some.plan, run.log, &run.ledger);
    run.ledger.close();
    note_done();
    for (std::uint32_t i = 0; i < part.size(); ++i) note_steps(result_.jobs[at(part[i])], run, i);
    for (const int job : part) {
      JobOnFabric& own = result_.jobs[at(job)];
      std::fill(own.without_s.begin(), own.without_s.end(), own.together_s);
    }
    note_links(some, run, part);
    for (const int gone : part) {
      if (options_.only_without < 0 || gone == options_.only_without) leave_out(part, gone);
    }
  }

  void leave_out(std::vector<int> part, int gone) {
    std::erase(part, gone);
    if (part.size() == 1) {
      JobOnFabric& left = result_.jobs[at(part.front())];
      left.without_s[at(gone)] = left.alone_s;
      return;
    }
    const PlanUnion some = only(*plans_.all, numbers(part));
    JobSteps log(repeated(fabric_, some, part), fabric_.steps);
    execute_steps(some.plan, log);
    note_done();
    for (std::uint32_t i = 0; i < part.size(); ++i)
      result_.jobs[at(part[i])].without_s[at(gone)] = mean_s(log.counted(i));
  }

  static std::vector<std::uint32_t> numbers(const std::vector<int>& part) {
    return {part.begin(), part.end()};
  }

  static void note_steps(JobOnFabric& job, const TogetherRun& run, std::uint32_t number) {
    const std::vector<Duration>& steps = run.log.counted(number);
    job.steps = static_cast<int>(steps.size());
    job.together_s = mean_s(steps);
    job.least_s = to_seconds(*std::min_element(steps.begin(), steps.end()));
    job.most_s = to_seconds(*std::max_element(steps.begin(), steps.end()));
  }

  void note_links(const PlanUnion& some, const TogetherRun& run, const std::vector<int>& part) {
    const Cluster& cluster = *plans_.cluster;
    const double seconds = run.ledger.seconds();
    for (std::size_t id = 0; id < some.plan.link_capacities.size(); ++id) {
      SharedLink link;
      const double capacity = some.plan.link_capacities[id];
      link.used.assign(fabric_.jobs.size(), 0);
      for (std::uint32_t i = 0; i < part.size(); ++i)
        link.used[at(part[i])] = run.ledger.bytes(id, i) / seconds / capacity;
      if (std::count_if(link.used.begin(), link.used.end(), [](double u) { return u > 0; }) < 2)
        continue;
      const int of_cluster = some.plan.cluster_links[id];
      link.from = device_name(cluster, cluster.graph().from(of_cluster));
      link.to = device_name(cluster, cluster.graph().to(of_cluster));
      link.alike = some.link_copies[id];
      link.bytes_per_s = capacity;
      link.held_up_s.assign(fabric_.jobs.size(), std::vector<double>(fabric_.jobs.size(), 0));
      for (std::uint32_t i = 0; i < part.size(); ++i) {
        const double steps = seconds / result_.jobs[at(part[i])].together_s;
        for (std::uint32_t by = 0; by < part.size(); ++by)
          link.held_up_s[at(part[i])][at(part[by])] = run.ledger.held_up_s(id, i, by) / steps;
      }
      result_.links.push_back(std::move(link));
    }
  }

  void note_done() {
    if (options_.watch) options_.watch(++done_, simulations_);
  }

  const FabricScenario& fabric_;
  const FabricOptions& options_;
  ClusterCache own_;
  FabricPlans plans_;
  FabricResult result_;
  std::size_t simulations_ = 0;
  std::size_t done_ = 0;
};

}  // namespace

double SharedLink::held_up() const {
  double sum = 0;
  for (std::size_t job = 0; job < held_up_s.size(); ++job) {
    for (std::size_t by = 0; by < held_up_s.size(); ++by) {
      if (by != job) sum += held_up_s[job][by];
    }
  }
  return sum;
}

FabricResult share_fabric(const FabricScenario& fabric, const FabricOptions& options) {
  const auto begun = std::chrono::steady_clock::now();
  FabricResult result = FabricRun(fabric, options).result();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begun;
  result.wall_s = taken.count();
  return result;
}

}  // namespace simtrain
