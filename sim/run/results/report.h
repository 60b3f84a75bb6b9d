#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "sim/run/energy/step_energy.h"
#include "sim/run/figures/headline.h"
#include "sim/run/figures/metrics.h"
#include "sim/run/results/resolved_recipe.h"
#include "sim/run/step/steps_in_row.h"
#include "sim/run/uncertainty/uncertainty.h"
#include "sim/workload/plan/memory/memory.h"
#include "sim/workload/plan/plan.h"
#include "sim/workload/plan/stragglers.h"

namespace simtrain {

/// One row of the communication table: what the busiest rank spends in a step on one kind of call.
struct CommunicationRow {
  std::string group;  ///< tp, cp, pp, dp or world
  Collective collective{};
  Algorithm algorithm{};
  Protocol protocol{};
  Bytes bytes;  ///< of one call, as nccl-tests counts them
  std::int64_t count = 0;
  double total_s = 0;
  double exposed_s = 0;  ///< of it, on the critical path
};

/// Neighbours in the rings (tp, cp, dp) or pipelines (pp) of one kind of group, over the whole job,
/// counted by how far apart they are.
struct HopRow {
  std::string group;  ///< tp, cp, dp or pp
  std::array<std::int64_t, kDistances> hops{};
};

/// A link between switches and the part of the step in which its transfers fill it.
struct BusyLink {
  std::string name;  ///< from switch to switch
  double load = 0;
};

/// How the job lies in the cluster.
struct PlacementFigures {
  std::string kind;
  std::string rank_order;
  int nodes = 0;
  int available_nodes = 0;
  std::vector<HopRow> hops;              ///< kinds of groups with more than one rank
  std::optional<BusyLink> busiest_link;  ///< where links between switches can bind
};

/// Memory of the fullest host, which its ranks share.
struct HostMemory {
  double bytes = 0;  ///< of all ranks on it
  double capacity = 0;
  [[nodiscard]] bool fits() const { return bytes <= capacity; }
};

/// Steps drawn one by one.
struct StepSample {
  std::uint64_t seed = 0;
  std::vector<double> seconds;
};

/// How the engine got there.
struct EngineFigures {
  std::uint64_t events = 0;
  std::uint64_t repeated_events = 0;  ///< of them: Timeline::repeated
  double wall_s = 0;
  int ranks = 0;
  int ranks_simulated = 0;
  std::string fingerprint;
};

/// All that one simulation says; schema `simtrain.result/1` is this, printed.
struct Report {
  std::string scenario;
  std::string source;
  std::optional<ChangedFrom> changed_from;  ///< where keys of the scenario's file were changed
  std::vector<KeyChange> hardware;          ///< values of hardware files that were changed
  std::string cluster;
  std::string model;
  std::string software;
  std::string layout;  ///< "TP 4, PP 14, ..."
  ResolvedRecipe recipe;
  ParameterCounts parameters;
  int gpus = 0;
  int data_parallel = 1;
  int micro_batches = 1;  ///< of a replica in a step
  double step_time_s = 0;
  StepError step_time_error;         ///< with its causes
  StepSpread step_spread;            ///< from step to step
  std::optional<StepSample> sample;  ///< where steps were asked for
  double tokens_per_s = 0;
  double tflops_per_gpu = 0;
  double mfu = 0;
  MfuConvention mfu_convention{};
  double days_per_1t_tokens = 0;
  double model_flops_per_sample = 0;
  double peak_tflops_per_gpu = 0;
  double clock = 1;  ///< of the SMs, as a share of the full clock, held by the power limit
  Breakdown breakdown{};
  double passes_s = 0;  ///< of a step, of the rank whose passes take longest
  std::vector<StageMemory> memory;
  double memory_capacity = 0;
  std::optional<HostMemory> host_memory;  ///< where something is offloaded
  std::vector<CommunicationRow> communication;
  PlacementFigures placement;
  std::vector<std::string> faults;       ///< of the cluster, as the scenario says them
  std::vector<StepsInRow> steps_in_row;  ///< from the first on, where faults come and go
  StepEnergy energy;
  EngineFigures engine;

  /// Of one step, over all replicas.
  [[nodiscard]] std::int64_t tokens_per_step() const;
  /// Holds 9 of 10 measured step times.
  [[nodiscard]] Interval step_time_interval() const {
    return interval_90(step_time_s, step_time_error);
  }
  /// Allocator peak of the fullest stage.
  [[nodiscard]] double peak_bytes() const;
  /// What the fullest stage keeps allocated between steps.
  [[nodiscard]] double kept_bytes() const;
  /// The stage that needs most, counting what is outside of the allocator; there is one.
  [[nodiscard]] const StageMemory& fullest_stage() const;
  /// Whether each stage has room for what it needs at least, and each host for what is offloaded.
  [[nodiscard]] bool fits() const;
  /// Whether it fits only with less fragmentation of the allocator than usual, so that a run may
  /// still fail.
  [[nodiscard]] bool tight() const;
};

}  // namespace simtrain
