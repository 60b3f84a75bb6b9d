#pragma once

#include <optional>
#include <string>
#include <vector>

#include <simtrain/scenario.h>
#include <simtrain/simulate.h>
#include <simtrain/study.h>

/// Many steps: a training job with checkpoints and failures, what it costs, and several jobs on one
/// cluster. Each question does what the command of its name does, and each answer holds that
/// command's JSON.
namespace simtrain::api {

/// How a figure spreads over the runs of a job.
struct Spread {
  double mean = 0;
  double p5 = 0;  ///< one run in twenty is lower
  double p10 = 0;
  double p50 = 0;
  double p90 = 0;
  double p95 = 0;  ///< one run in twenty is higher
};

/// A checkpoint of the job to its storage.
struct Checkpoint {
  std::string storage;
  double bytes = 0;
  int writers = 0;        ///< GPUs that write
  double copy_s = 0;      ///< from GPUs to host memory
  double write_s = 0;     ///< from there to the storage
  double stall_s = 0;     ///< that training waits for a save
  double load_s = 0;      ///< of a restart
  double interval = 0;    ///< steps from one to the next
  double host_bytes = 0;  ///< of a node while saving
};

/// One kind of failure as the job meets it.
struct JobFailure {
  std::string component;
  std::string effect;        ///< stops, slows, corrupts or planned
  double per_day = 0;        ///< of the whole job
  double mean_of_a_run = 0;  ///< that a run meets
  double nodes = 0;          ///< that each takes out
  double slowdown = 1;       ///< steps take so many times as long
};

/// The job with one thing changed, simulated anew; figures are means of its runs.
struct JobChange {
  std::string change;
  double value = 0;  ///< steps of an interval, nodes of spares; 0 of others
  double goodput = 0;
  double elapsed_s = 0;
  double gpu_hours = 0;  ///< spares with them
};

/// A training job, simulated many times with failures of its own.
struct Goodput {
  std::string scenario;  ///< title
  int gpus = 0;          ///< without spares
  int nodes = 0;         ///< without spares
  int spare_nodes = 0;
  double step_time_s = 0;
  double tokens_per_step = 0;
  int runs = 0;
  int finished = 0;       ///< of the runs; the others were given up
  Spread elapsed_s;       ///< of the whole job
  Spread steps;           ///< that stay
  Spread goodput;         ///< share of time in steps that stay, at full speed
  Spread effective_time;  ///< share of time that was not interrupted
  Spread interruptions;   ///< failures that ended the job unannounced
  double restarts = 0;    ///< mean of a run
  double saves = 0;       ///< checkpoints, mean of a run
  double gpu_hours = 0;   ///< mean, of the job's nodes
  double spare_gpu_hours = 0;
  std::vector<TimeShare> used;    ///< seconds of a run by what they go into, mean; sum to elapsed_s
  double joules = 0;              ///< spares and site with it
  double waiting_joules = 0;      ///< of them while no step runs, and of spares
  std::optional<double> gpu_usd;  ///< of GPU hours, where the scenario has a price
  std::optional<double> electricity_usd;  ///< likewise
  std::optional<double> carbon_kg;        ///< CO2 equivalents, likewise
  Checkpoint checkpoint;
  std::vector<JobFailure> failures;
  double young_steps = 0;  ///< interval between checkpoints by Young's formula; 0: nothing fails
  double daly_steps = 0;   ///< by Daly's
  std::vector<JobChange> intervals;  ///< other intervals, in order
  std::vector<JobChange> spares;     ///< other numbers of spares, in order
  std::vector<JobChange> changes;    ///< what else may help, best first
  std::string text;                  ///< the report of `simtrain goodput`
  std::string json;                  ///< schema simtrain.goodput/1
};

struct GoodputOptions {
  /// Other intervals, numbers of spares and what else may help are simulated too.
  bool changes = true;
};

/// Simulates the training job of a scenario (its keys under `job`, `cost`) many times. Throws
/// InputError where the scenario has none, or it cannot be simulated.
[[nodiscard]] Goodput goodput(const Scenario& scenario, const GoodputOptions& options = {},
                              const Progress& progress = {});

/// A change that saves days or money of a job. Savings are what the job as it is takes less what
/// the changed one takes for as many steps, in the mean of runs; negative where one is saved at the
/// price of the other.
struct JobAdvice {
  std::string kind;                   ///< setting (of the scenario) or condition (of nobody's)
  std::string change;                 ///< "precision: bf16 -> fp8", "spare_nodes 8"
  std::vector<std::string> settings;  ///< KEY=VALUE that make it, of a setting
  double step_time_s = 0;
  double goodput = 0;
  double elapsed_s = 0;
  double saved_s = 0;
  double saved_gpu_hours = 0;       ///< spares with them
  std::optional<double> saved_usd;  ///< where the scenario has a price
};

/// A job with its step and what to change of both.
struct AdvisedJob {
  Result step;
  Goodput goodput;
  int runs = 0;                   ///< of each change
  std::vector<JobAdvice> advice;  ///< by days saved, then by price
  int refused = 0;                ///< changes of the step that make no legal job
  std::string text;               ///< the report of `simtrain run --job`
  std::string json;               ///< schema simtrain.job/1
};

/// Simulates the training job of a scenario, and each change of its step or its operation that may
/// help as a job of its own, which `progress` counts. Throws as goodput().
[[nodiscard]] AdvisedJob advise(const Scenario& scenario, const Progress& progress = {});

/// A job alone on its hosts and beside others on one cluster.
struct SharedJob {
  std::string name;
  std::string scenario;  ///< title
  std::string placement;
  int gpus = 0;
  std::vector<int> hosts;  ///< in the order of its ranks
  double alone_s = 0;      ///< its step with the cluster to itself
  double together_s = 0;   ///< its step beside the others, mean
  double least_s = 0;
  double most_s = 0;
  int steps = 0;         ///< that these are of; 0: it meets no other job
  double lost_gpus = 0;  ///< GPUs times the share of its time that it loses to the others
};

/// A way to place the last job beside the others.
struct JobPlacement {
  std::string placement;
  std::vector<int> hosts;
  double step_time_s = 0;       ///< of the job, beside the others
  double alone_s = 0;           ///< on these hosts without them
  double lost_gpus = 0;         ///< that it loses to the others
  double others_lost_gpus = 0;  ///< that the others lose to it
};

/// Jobs on one cluster, simulated alone and together.
struct SharedCluster {
  std::string name;
  std::string cluster;
  int nodes = 0;
  int gpus = 0;                   ///< of the cluster
  bool links_never_bind = false;  ///< between switches, whoever uses them
  std::vector<SharedJob> jobs;
  std::vector<JobPlacement> placements;  ///< that which costs the others least first
  std::string text;                      ///< the report of `simtrain share`
  std::string json;                      ///< schema simtrain.share/1
};

struct ShareOptions {
  bool place_last = false;  ///< tries several placements of the last job
};

/// Simulates the jobs of a file (`scenarios/jobs/`) on one cluster, each alone and all together.
/// Throws InputError where the file or a scenario that it names is wrong.
[[nodiscard]] SharedCluster share(const DataFolder& data, const std::string& path,
                                  const ShareOptions& options = {}, const Progress& progress = {});

}  // namespace simtrain::api
