#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <simtrain/scenario.h>
#include <simtrain/simulate.h>

/// Questions that take many simulations: why a step takes as long as it does, which plan is best or
/// which are on the front of several objectives, what nccl-tests would measure, how predictions
/// compare with documented runs, what measurements say of one machine. Each does what the command
/// of its name does, and each answer holds that command's JSON.
namespace simtrain::api {

/// Receives the progress of a task: parts done of all. Called in any thread, one call at a time.
/// What it throws ends the task, and reaches who began it.
using Progress = std::function<void(std::size_t done, std::size_t total)>;

/// What the critical path of a step does on one pipeline stage, in seconds.
struct PathStage {
  int stage = 0;  ///< from 0
  double forward_s = 0;
  double backward_s = 0;  ///< with deferred weight gradients
  double other_s = 0;     ///< gradient norm and optimizer
  double communication_s = 0;
};

/// The same step with one thing changed, simulated anew.
struct WhatIf {
  std::string kind;  ///< "knob", or "cost_removed": a cost of the hardware set to nothing
  std::string name;  ///< "VP"
  std::string from;  ///< "9"; empty where a cost is removed
  std::string to;    ///< "3"
  double step_time_s = 0;
  double relative = 0;  ///< step time over that of the scenario, less one
  double mfu = 0;
  bool fits = false;  ///< in memory
};

struct Explanation {
  double step_time_s = 0;        ///< of the scenario itself
  std::vector<PathStage> path;   ///< its time by stage, which sums to the step
  std::int64_t moves = 0;        ///< how often the path goes from one stage to another
  std::vector<WhatIf> what_ifs;  ///< legal changes: those that fit first, then by step time
  int refused = 0;               ///< changes that make no legal scenario
  std::string json;              ///< the field `explain` of `simtrain run --explain --format json`
};

/// Simulates the scenario again with each knob one legal step up and down, and without each cost
/// that a number of the hardware files sets. Throws InputError as simulate().
[[nodiscard]] Explanation explain(const Scenario& scenario, const Progress& progress = {});

/// What the best plan has least of: step time; GPU seconds of a step (mfu and cost).
enum class TuneGoal { step_time, mfu, cost };

struct TuneOptions {
  std::vector<int> gpus;            ///< sizes to choose from; none: the scenario's own
  std::vector<std::string> limits;  ///< values of knobs, as for `simtrain tune --limit`: "tp=1,2,4"
  TuneGoal by = TuneGoal::step_time;
  int top = 5;               ///< how many of the best to look for, 1 to 1000
  double memory_margin = 0;  ///< share of a GPU's memory to leave free, below 1
  bool allow_tight = false;  ///< plans without room for fragmentation rank with the others
  bool exhaustive = false;   ///< simulates every plan that fits: the same result, later
};

/// A plan that was simulated.
struct TunedPlan {
  std::vector<std::pair<std::string, std::string>> plan;  ///< "gpus", "tp", "pp", ... with values
  Scenario scenario;                                      ///< with the plan in it
  Result result;                                          ///< of a step
  double memory_bytes = 0;                                ///< that the fullest GPU needs
  double spare_bytes = 0;                                 ///< of its memory, beside the margin
};

struct TuneResult {
  std::int64_t considered = 0;  ///< combinations whose sizes multiply to the GPUs and the batch
  std::int64_t legal = 0;       ///< of them, those that can be laid out
  std::int64_t fitting = 0;     ///< of the legal, those that fit in memory
  std::int64_t simulated = 0;   ///< of the fitting; the others are ruled out by a lower bound
  std::vector<TunedPlan> best;  ///< best first; none where no plan fits
  std::string json;             ///< `simtrain tune --format json`, schema simtrain.tune/1
};

/// Finds the plans (TP, PP, VP, CP, DP, EP, ETP, micro-batch, recompute, pipeline split) of least
/// step time that fit in memory. All else stays as in the scenario, the global batch too. Throws
/// InputError where the scenario, a size or a limit is wrong.
[[nodiscard]] TuneResult tune(const Scenario& scenario, const TuneOptions& options = {},
                              const Progress& progress = {});

/// What a plan has the less of the better: seconds of a step; dollars of a token, by GPU hours;
/// bytes that its fullest GPU needs, whose rest is room; joules of a token, site included.
enum class Objective { step_time, price, memory, energy };

struct FrontOptions {
  std::vector<Objective> objectives{Objective::step_time, Objective::memory};  ///< each once
  double usd_per_gpu_hour = 0;      ///< more than 0 where the price is an objective
  std::vector<int> gpus;            ///< sizes to choose from; none: the scenario's own
  std::vector<std::string> limits;  ///< values of knobs, as for `simtrain tune --limit`: "tp=1,2,4"
  double memory_margin = 0;         ///< share of a GPU's memory to leave free, below 1
  bool allow_tight = false;         ///< plans without room for fragmentation count as the others
  bool exhaustive = false;          ///< simulates every plan that fits: the same front, later
  int threads = 0;                  ///< that simulate; 0: one for each core
};

/// A plan that was simulated.
struct FrontPlan {
  std::vector<std::pair<std::string, std::string>> plan;  ///< "gpus", "tp", "pp", ... with values
  Scenario scenario;      ///< with the plan in it, to simulate and go on with
  bool on_front = false;  ///< none has less of one objective without more of another
  bool tight = false;     ///< fits, but without room for fragmentation
  double step_time_s = 0;
  double tokens_per_s = 0;
  double mfu = 0;
  double memory_bytes = 0;       ///< that the fullest GPU needs
  double spare_bytes = 0;        ///< of its memory, beside the margin
  double joules_per_token = 0;   ///< site included
  double usd_per_1t_tokens = 0;  ///< of 10^12 tokens, by GPU hours; 0 without a price
  std::string fingerprint{};     ///< of the simulation
};

struct FrontResult {
  std::int64_t considered = 0;   ///< combinations whose sizes multiply to the GPUs and the batch
  std::int64_t legal = 0;        ///< of them, those that can be laid out
  std::int64_t fitting = 0;      ///< of the legal, those that fit in memory
  std::int64_t simulated = 0;    ///< of the fitting; others are ruled out by bounds, or tight
  std::vector<FrontPlan> plans;  ///< that were simulated: least of the first objective first
  std::string json;  ///< `simtrain tune --objectives` as JSON, schema simtrain.tune-front/1
};

/// Finds the front of plans by several objectives: those of which none has less of one without more
/// of another, the same as by simulating all that fit. Plans are those of tune(). Throws InputError
/// where the scenario, an objective, a size or a limit is wrong.
[[nodiscard]] FrontResult tune_front(const Scenario& scenario, const FrontOptions& options = {},
                                     const Progress& progress = {});

/// How the global batch follows the number of GPUs: with it, or not at all.
enum class Scaling { weak, strong };

struct ScaleOptions {
  Scaling mode = Scaling::weak;
  double tokens = 1e12;         ///< of the training run whose days and GPU hours are told
  double usd_per_gpu_hour = 0;  ///< 0: no price
};

/// A scenario's plan on one number of GPUs. Figures as in Result; 0 where it is illegal there.
struct ScaleRow {
  int gpus = 0;
  std::string illegal;                 ///< why there is no step; empty where there is one
  std::int64_t global_batch_size = 0;  ///< samples
  double step_time_s = 0;
  double tokens_per_s = 0;
  double mfu = 0;
  double efficiency = 0;  ///< tokens/s of a GPU over those of the first legal size
  bool fits = false;      ///< in memory
  double days = 0;        ///< of the training run
  double gpu_hours = 0;   ///< of the training run
  double cost_usd = 0;    ///< of the training run; 0 without a price
  double joules_per_token = 0;
  std::vector<TimeShare> breakdown;
};

struct ScaleResult {
  std::vector<ScaleRow> rows;
  std::string json;  ///< `simtrain scale --format json`, schema simtrain.scale/1
};

/// Simulates a scenario's plan on several numbers of GPUs; DP follows. Throws InputError where the
/// scenario itself is wrong.
[[nodiscard]] ScaleResult scale(const Scenario& scenario, const std::vector<int>& gpus,
                                const ScaleOptions& options = {}, const Progress& progress = {});

/// A part of the critical path of two runs, in seconds of a step.
struct PartDifference {
  std::string share;
  double against_s = 0;
  double run_s = 0;
  double change_s = 0;  ///< run less against
};

/// A key in which two runs differ; empty where one does not have it.
struct KeyDifference {
  std::string key;
  std::string against;
  std::string run;
};

/// One run beside another, from which differences are counted.
struct Difference {
  double change_s = 0;                ///< of the step time: positive where the run takes longer
  bool same_tokens = false;           ///< both steps train on as many tokens
  std::vector<PartDifference> parts;  ///< whose changes sum to that of the step time
  std::vector<KeyDifference> keys;
  Result run;
  Result against;
  std::string text;
  std::string json;  ///< `simtrain run --against --format json`, schema simtrain.difference/1
};

/// Simulates two scenarios and says where their steps differ and in which keys. Throws InputError
/// as simulate().
[[nodiscard]] Difference difference(const Scenario& run, const Scenario& against);

struct NcclOptions {
  int gpus = 8;                  ///< ranks in all, one a GPU
  int nodes = 0;                 ///< over which they are spread evenly; 0: as few as can be
  std::int64_t least_bytes = 8;  ///< the first size, as nccl-tests counts it
  std::int64_t most_bytes = 1LL << 33;
  int factor = 2;        ///< from a size to the next, 2 or more
  std::string software;  ///< whose NCCL settings to take; empty: NCCL as it comes
  std::string settings;  ///< YAML: keys of `nccl` of a scenario, "{nvls: false}"
};

/// One size of a collective on an otherwise idle cluster.
struct NcclSize {
  std::int64_t bytes = 0;
  std::string algorithm;
  std::string protocol;
  int channels = 0;
  double time_s = 0;
  double algorithm_bandwidth = 0;  ///< size over time, bytes per second (nccl-tests: algbw)
  double bus_bandwidth = 0;        ///< bytes per second (nccl-tests: busbw)
};

struct NcclResult {
  std::vector<NcclSize> sizes;
  std::string table;  ///< in nccl-tests' format
  std::string json;   ///< `simtrain nccl --format json`, schema simtrain.nccl/1
};

/// What nccl-tests would measure: all_reduce, all_gather, reduce_scatter, broadcast, alltoall or
/// sendrecv on the first GPUs of a cluster. Throws InputError where a name or a number is wrong.
[[nodiscard]] NcclResult nccl(const DataFolder& data, const std::string& cluster,
                              const std::string& operation, const NcclOptions& options = {});

/// What goes up from one level of a cluster to the next, bytes per second in one direction.
struct TopologyLevel {
  std::string level;  ///< "NVLink", "NIC", "leaf up", ...
  double total = 0;
  double per_gpu = 0;
  double oversubscription = 0;  ///< downlinks over uplinks; 0 where it is no switch
};

/// A cluster in numbers.
struct Topology {
  std::string cluster;
  std::string wiring;
  int hosts = 0;
  int gpus = 0;
  int nvlink_domains = 0;
  int nvswitch_planes = 0;
  int nics = 0;
  int leaf_switches = 0;
  int spine_switches = 0;
  int core_switches = 0;
  std::vector<TopologyLevel> levels;
  double bisection = 0;  ///< bytes per second between the worst halves of the hosts
  std::string text;
  std::string json;  ///< `simtrain topology --format json`, schema simtrain.topology/1
};

/// Counts devices and links of so many nodes of a cluster; 0: 32, or all of fewer. Throws
/// InputError where the name or the number is wrong.
[[nodiscard]] Topology topology(const DataFolder& data, const std::string& cluster, int nodes = 0);

/// A documented step time beside its prediction.
struct ValidationRow {
  std::string document;
  std::string table;
  std::string group;  ///< model and document that belong together
  std::string precision;
  std::string scenario;
  std::string row;
  double measured_s = 0;
  double predicted_s = 0;
  double error = 0;  ///< predicted over measured, less one
};

struct Validation {
  std::vector<ValidationRow> rows;  ///< of the headline tables
  double mean_absolute_error = 0;
  double largest_absolute_error = 0;
  double bias = 0;                  ///< mean error with its sign
  std::vector<std::string> broken;  ///< a sentence for each bound of the files that does not hold
  std::string json;  ///< `simtrain validate --format json`, schema simtrain.validation/1
};

/// Simulates documented runs: files as in `validation/` of the data folder, or folders of one's own
/// runs (NAME.yaml beside NAME.log). Without paths those of `simtrain validate`. Throws InputError
/// where a file is wrong.
[[nodiscard]] Validation validate(const DataFolder& data,
                                  const std::vector<std::string>& paths = {},
                                  const Progress& progress = {});

/// What was measured on one machine; at least one of the two.
struct MachineEvidence {
  std::string kernels;  ///< a folder of gemm.csv, attention.csv, streaming.csv
  std::string runs;     ///< a folder of training runs, as for validate()
};

/// A value of the machine.
struct MachineValue {
  std::string key;  ///< behind `hardware.` in a scenario: "gpu.power.available"
  std::string unit;
  double before = 0;  ///< of the hardware file
  double value = 0;
  double standard_error = 0;  ///< relative, of the speed that it stands for
  std::size_t points = 0;     ///< measurements that it follows from
  std::string source;
};

struct MachineFit {
  std::string node;
  std::string gpu;
  std::vector<MachineValue> values;
  double relative_error = 0;  ///< of step times on the machine
  std::string yaml;           ///< its file, for hardware/machines/NAME.yaml
  std::string json;  ///< `simtrain calibrate --machine --format json`, schema simtrain.machine/1
};

/// The values of one machine of a cluster as measured on it. Throws InputError where nothing that
/// was measured sets a value.
[[nodiscard]] MachineFit calibrate_machine(const DataFolder& data, const std::string& machine,
                                           const std::string& cluster,
                                           const MachineEvidence& evidence);

}  // namespace simtrain::api
