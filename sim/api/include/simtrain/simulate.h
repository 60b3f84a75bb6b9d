#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <simtrain/scenario.h>

namespace simtrain::api {

/// A range that holds 9 of 10 measured values.
struct Interval {
  double low = 0;
  double high = 0;
};

/// Seconds of the critical path of a step that one kind of work takes.
struct TimeShare {
  std::string name;  ///< "gemm", "tp_exposed", "pipeline_bubble", ...; docs/physics.md defines them
  double seconds = 0;
};

/// What fills the memory of a GPU of one pipeline stage, in bytes, at the worst moment of a step.
struct StageMemory {
  // In the allocator of the framework, all through a run:
  double weights = 0;     ///< with their FP8 copies
  double fp8_copies = 0;  ///< part of `weights`
  double gradients = 0;
  double optimizer = 0;
  double gemm_workspaces = 0;
  // In the allocator, in the course of a step:
  double activations = 0;  ///< of all micro-batches in flight
  double loss = 0;         ///< logits, loss and what their backward needs
  double temporary = 0;
  // Outside of the allocator:
  double cuda_context = 0;
  double communicators = 0;       ///< buffers of NCCL
  double user_buffers = 0;        ///< buffers of tensor-parallel overlap
  double dispatcher_buffers = 0;  ///< of DeepEP or HybridEP

  double allocated = 0;      ///< sum of what is in the allocator
  double total = 0;          ///< sum of all
  double fragmentation = 0;  ///< likely on top of `total` where there is room
};

/// What the busiest rank spends on one kind of call in a step.
struct Communication {
  std::string group;       ///< tp, cp, pp, dp, ...
  std::string collective;  ///< all_gather, reduce_scatter, ...
  std::string algorithm;
  std::string protocol;
  double bytes = 0;  ///< of one call, as nccl-tests counts them
  std::int64_t count = 0;
  double total_s = 0;
  double exposed_s = 0;  ///< of it, on the critical path
};

/// Joules of a step that one thing takes.
struct EnergyShare {
  std::string name;
  double joules = 0;
};

/// What a step draws and takes.
struct Energy {
  double gpu_w = 0;        ///< watts of a GPU, mean of the step
  double gpu_limit_w = 0;  ///< watts that it may draw
  double node_w = 0;       ///< watts at the socket
  double cluster_w = 0;    ///< watts of the job, network and site with it
  double joules_per_step = 0;
  double joules_per_token = 0;
  double mwh_per_1t_tokens = 0;
  double pue = 1;                           ///< what the site takes over its computers
  std::vector<EnergyShare> by_part;         ///< by what draws it; sums to joules_per_step
  std::vector<EnergyShare> gpus_by_kernel;  ///< of all GPUs, by what it is drawn for
  std::vector<std::string> by_rule;  ///< facts that no file gives, with the rule that they follow
};

/// A kernel of one module and shape in a step.
struct KernelWork {
  std::string module;    ///< in the words of Megatron
  std::string kernel;    ///< as a profiler names it
  std::string shape;     ///< "1024 x 26624 x 16384" (m, n, k) of a GEMM; empty for the step's end
  std::string share;     ///< of the breakdown
  std::string bound_by;  ///< compute, memory or launch
  double each_s = 0;     ///< a call, alone on its GPU
  double flops = 0;      ///< of a call
  double bytes = 0;      ///< of a call of a memory-bound kernel; otherwise 0
  double share_of_peak = 0;  ///< FLOP/s or bytes per second over the peak; 0 where there is none
  std::int64_t count = 0;    ///< calls of the busiest rank
  double total_s = 0;        ///< of the busiest rank
  double path_s = 0;         ///< on the critical path, whichever rank that is on
};

/// Calls of one kind and size in a step.
struct TransferWork {
  std::string group;  ///< tp, cp, pp, dp, ...
  std::string collective;
  std::string algorithm;
  std::string protocol;
  double bytes = 0;          ///< of one call, as nccl-tests counts them
  std::string share;         ///< of the breakdown
  std::string bound_by;      ///< latency, channels, nvlink, nic, shared_nvlink, shared_nic, ...
  double bus_bandwidth = 0;  ///< bytes per second of the mean call
  std::int64_t count = 0;    ///< calls of the busiest rank
  double total_s = 0;        ///< of the busiest rank, hidden or not
  double path_s = 0;         ///< on the critical path, whichever rank that is on
};

/// Counts of weights.
struct Parameters {
  std::int64_t total = 0;        ///< of the model
  std::int64_t fullest_gpu = 0;  ///< of a GPU of the stage that holds most
  int fullest_stage = 0;         ///< that stage, from 0
  double mean_gpu = 0;
  std::int64_t trained = 0;  ///< of the total: all, or with LoRA adapters alone
};

/// One training step as predicted.
struct Result {
  std::string scenario;  ///< title
  std::string source;    ///< where the scenario comes from
  std::string cluster;
  std::string model;
  std::string software;
  std::string layout;  ///< "TP 4, PP 14, ..."
  int gpus = 0;
  int data_parallel_size = 1;
  int micro_batches = 1;  ///< of a replica in a step
  std::int64_t tokens_per_step = 0;
  Parameters parameters;

  double step_time_s = 0;       ///< of the mean step
  Interval step_time_interval;  ///< of measured means, in seconds
  double step_time_std_s = 0;   ///< from step to step, as GPU clocks make it
  std::vector<double> steps_s;  ///< single steps, where SimulateOptions::steps asks for them

  double tokens_per_s = 0;
  double tflops_per_gpu = 0;  ///< achieved, in TFLOP/s of model FLOPs
  double peak_tflops_per_gpu = 0;
  double mfu = 0;              ///< tflops_per_gpu over peak_tflops_per_gpu
  std::string mfu_convention;  ///< how model FLOPs are counted
  double model_flops_per_sample = 0;
  double days_per_1t_tokens = 0;
  double sm_clock = 1;  ///< as a share of the full clock, at the power limit

  std::vector<TimeShare> breakdown;  ///< sums to step_time_s

  std::vector<StageMemory> memory;   ///< by pipeline stage
  double memory_capacity_bytes = 0;  ///< of a GPU
  double peak_bytes = 0;             ///< the largest `allocated` of a stage
  bool fits = false;                 ///< every stage has room for its `total`
  bool tight = false;                ///< it fits, but not with the usual fragmentation

  std::vector<Communication> communication;  ///< of the busiest rank
  Energy energy;

  /// Where SimulateOptions::kernels asks for them; most time on the critical path first.
  std::vector<KernelWork> kernels;
  std::vector<TransferWork> transfers;

  std::uint64_t events = 0;  ///< simulated
  int ranks_simulated = 0;   ///< each represents ranks that do the same
  std::string fingerprint;   ///< of all spans of time; equal where the same events were simulated

  /// Seconds of a share of the breakdown; 0 where none has this name.
  [[nodiscard]] double seconds_of(const std::string& share) const;
  /// The stage whose `total` is largest. There is always one.
  [[nodiscard]] const StageMemory& fullest_stage() const;
  /// All of it as a JSON document (`simtrain.result/1`), as the program prints it.
  [[nodiscard]] std::string json() const;
  /// A report of 80 columns, as the program prints it.
  [[nodiscard]] std::string text() const;

 private:
  friend struct Access;
  struct Source;
  std::shared_ptr<const Source> source_report_;
};

struct SimulateOptions {
  /// Simulates every rank instead of one of each class of equal ranks. Slower; the same numbers.
  bool unfold = false;
  /// Single steps to draw beside the mean one, up to 1,000,000.
  int steps = 0;
  std::uint64_t seed = 0;  ///< of these draws
  /// The kernels and transfers of the step too: Result::kernels, Result::transfers.
  bool kernels = false;
};

/// Predicts one training step. Throws InputError where the scenario cannot be a job, where the file
/// has a table of which no row was chosen, and where `steps` is out of range.
///
/// A step that does not fit into memory is simulated all the same: see Result::fits.
[[nodiscard]] Result simulate(const Scenario& scenario, const SimulateOptions& options = {});

/// A key to vary, and its values: "1,2,4,8", whole numbers "1:8" or with a step "0:64:8", or both
/// ("1,2:8:2"). Keys are those of Scenario::with.
struct Axis {
  std::string key;
  std::string values;
};

enum class SweepStatus {
  ok,
  does_not_fit,  ///< simulated, but needs more memory than there is
  illegal,       ///< no job: the values do not go together; not simulated
  failed         ///< a fault of the library
};

/// One combination of a sweep. Figures as in Result; 0 where nothing was simulated.
struct SweepRow {
  std::uint64_t index = 0;                                  ///< the first axis changes slowest
  std::vector<std::pair<std::string, std::string>> values;  ///< key and value of each axis
  SweepStatus status{};
  std::string reason;  ///< why not `ok`
  int gpus = 0;
  int data_parallel_size = 0;
  double step_time_s = 0;
  Interval step_time_interval;
  double tokens_per_s = 0;
  double tflops_per_gpu = 0;
  double mfu = 0;
  double peak_bytes = 0;             ///< in the allocator, of the fullest stage
  double total_bytes = 0;            ///< of the fullest stage
  double memory_capacity_bytes = 0;  ///< of a GPU
  std::vector<TimeShare> breakdown;
  std::string fingerprint;
};

/// Called with each row when it is done, in no order, in the thread that called sweep(). What it
/// throws ends the sweep and reaches the caller.
using SweepCallback = std::function<void(const SweepRow& row)>;

struct SweepOptions {
  int threads = 0;       ///< 0: one for each core
  std::stop_token stop;  ///< ends the sweep with the rows that have been begun
};

/// Simulates every combination of the axes' values. Throws InputError, before anything is
/// simulated, where an axis is wrong or a value is wrong in itself; combinations that are no job
/// are rows. A scenario may have a block `sweep` of its own; its axes come first, and an axis given
/// here takes the place of one with the same key.
///
/// Returns the number of rows, which is less than that of combinations only after a stop.
std::size_t sweep(const Scenario& scenario, const std::vector<Axis>& axes,
                  const SweepCallback& callback, const SweepOptions& options = {});

/// The same with all rows at once, in the order of their index.
[[nodiscard]] std::vector<SweepRow> sweep(const Scenario& scenario, const std::vector<Axis>& axes,
                                          const SweepOptions& options = {});

/// How many combinations sweep() would simulate. Throws InputError where keys, ranges or lists are
/// wrong; whether a job may have a value is left to sweep().
[[nodiscard]] std::uint64_t sweep_size(const Scenario& scenario, const std::vector<Axis>& axes);

/// The fastest row that fits; nullptr where none does.
[[nodiscard]] const SweepRow* fastest(const std::vector<SweepRow>& rows);

}  // namespace simtrain::api
