#pragma once

#include <string>
#include <vector>

#include "sim/core/watch.h"
#include "sim/run/shared/fabric_scenario.h"
#include "sim/topology/cluster_cache.h"

namespace simtrain {

/// A job alone on its hosts and beside the others.
struct JobOnFabric {
  std::string name;
  std::string scenario;
  std::string placement;
  int gpus = 0;
  std::vector<int> hosts;  ///< in the order of its ranks
  double start_s = 0;
  double alone_s = 0;     ///< its step, as `simtrain run` has it
  double together_s = 0;  ///< mean over the steps that count
  double least_s = 0;     ///< of these
  double most_s = 0;
  int steps = 0;                  ///< that count; 0 where it meets nobody
  std::vector<double> without_s;  ///< by job: its step if that one were not there

  /// What it loses to the others, in GPUs that might as well not be there.
  [[nodiscard]] double lost_gpus() const { return gpus * (1 - alone_s / together_s); }
};

/// A link between switches (or of a GPU that carries another's messages) that more than one job
/// uses, for all that are alike.
struct SharedLink {
  std::string from;  ///< of the first of them
  std::string to;
  int alike = 1;             ///< how many there are
  double bytes_per_s = 0;    ///< that it has
  std::vector<double> used;  ///< by job: mean share of that
  /// By job and who is to blame: seconds a step by which transfers over it were held up there.
  std::vector<std::vector<double>> held_up_s;
  /// All of them that one job causes another.
  [[nodiscard]] double held_up() const;
};

/// Jobs on one cluster.
struct FabricResult {
  std::string name;
  std::string cluster;
  int nodes = 0;
  int gpus = 0;                   ///< of the cluster
  bool links_never_bind = false;  ///< between switches, whoever uses them
  std::vector<JobOnFabric> jobs;
  std::vector<std::vector<int>>
      meeting;                    ///< jobs that slow one another, directly or through others
  std::vector<SharedLink> links;  ///< those with most delay first
  int ranks = 0;
  int ranks_simulated = 0;
  StepsToCount steps;
  double wall_s = 0;
};

struct FabricOptions {
  ClusterCache* clusters = nullptr;  ///< shared with other simulations; not owned
  Watch watch{};                     ///< receives the number of simulations that have ended
  int only_without =
      -1;  ///< a job: the others are not left out, JobOnFabric::without_s of it alone
};

/// Simulates the jobs of a cluster alone and together (docs/adr/0042). Jobs whose links can never
/// be asked for more than they have do not meet: together they take what they take alone.
FabricResult share_fabric(const FabricScenario& fabric, const FabricOptions& options = {});

}  // namespace simtrain
