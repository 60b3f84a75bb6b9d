#include <algorithm>

#include <fmt/format.h>

#include "sim/api/access.h"
#include "sim/api/errors.h"
#include "sim/api/figures.h"
#include "sim/api/result_of.h"
#include "sim/output/run/json_report.h"
#include "sim/output/run/text_report.h"
#include "sim/output/work/kernel_shape.h"
#include "sim/output/work/work_report.h"
#include "sim/run/results/sampled_steps.h"
#include "sim/run/simulate.h"

namespace simtrain::api {
namespace {

StageMemory memory_of(const simtrain::StageMemory& stage) {
  return {stage.weights,      stage.fp8_copies,    stage.gradients,    stage.optimizer,
          stage.workspaces,   stage.activations,   stage.loss,         stage.temporary,
          stage.cuda_context, stage.communicators, stage.user_buffers, stage.dispatcher_buffers,
          stage.allocated(),  stage.total(),       stage.fragmentation};
}

Communication call_of(const CommunicationRow& row) {
  return {row.group,
          std::string(name_of(row.collective)),
          std::string(name_of(row.algorithm)),
          std::string(name_of(row.protocol)),
          static_cast<double>(row.bytes.value()),
          row.count,
          row.total_s,
          row.exposed_s};
}

void add_job(Result& result, const Report& report) {
  result.scenario = report.scenario;
  result.source = report.source;
  result.cluster = report.cluster;
  result.model = report.model;
  result.software = report.software;
  result.layout = report.layout;
  result.gpus = report.gpus;
  result.data_parallel_size = report.data_parallel;
  result.micro_batches = report.micro_batches;
  result.tokens_per_step = report.tokens_per_step();
  const ParameterCounts& counts = report.parameters;
  result.parameters = {counts.model, counts.fullest, counts.fullest_stage, counts.mean,
                       counts.trained};
}

void add_times(Result& result, const Report& report) {
  const simtrain::Interval interval = report.step_time_interval();
  result.step_time_s = report.step_time_s;
  result.step_time_interval = {interval.low, interval.high};
  result.step_time_std_s = report.step_spread.deviation_s();
  if (report.sample) result.steps_s = report.sample->seconds;
  result.tokens_per_s = report.tokens_per_s;
  result.tflops_per_gpu = report.tflops_per_gpu;
  result.peak_tflops_per_gpu = report.peak_tflops_per_gpu;
  result.mfu = report.mfu;
  result.mfu_convention = name_of(report.mfu_convention);
  result.model_flops_per_sample = report.model_flops_per_sample;
  result.days_per_1t_tokens = report.days_per_1t_tokens;
  result.sm_clock = report.clock;
  result.breakdown = shares_of(report.breakdown);
}

void add_memory(Result& result, const Report& report) {
  for (const simtrain::StageMemory& stage : report.memory)
    result.memory.push_back(memory_of(stage));
  result.memory_capacity_bytes = report.memory_capacity;
  result.peak_bytes = report.peak_bytes();
  result.fits = report.fits();
  result.tight = report.tight();
}

template <class Kind, std::size_t N>
std::vector<EnergyShare> joules_of(const std::array<double, N>& joules) {
  std::vector<EnergyShare> shares;
  shares.reserve(N);
  for (const auto& [name, kind] : EnumNames<Kind>::rows)
    shares.push_back({std::string(name), joules[static_cast<std::size_t>(kind)]});
  return shares;
}

Energy energy_of(const StepEnergy& energy) {
  return {energy.gpu_w(),
          energy.limit_w,
          energy.node_w(),
          energy.cluster_w(),
          energy.total_joules(),
          energy.joules_per_token(),
          energy.mwh_per_1t_tokens(),
          energy.pue,
          joules_of<PowerPart>(energy.joules),
          joules_of<DrawKind>(energy.gpu_joules),
          energy.by_rule};
}

KernelWork kernel_work_of(const simtrain::KernelWork& row) {
  return {row.module,
          kernel_of(row),
          row.kernel ? shape_text(*row.kernel) : "",
          std::string(name_of(row.share)),
          std::string(name_of(row.bound)),
          row.each_s,
          row.flops,
          row.bytes,
          row.share_of_peak.value_or(0),
          row.calls,
          row.total_s,
          row.path_s};
}

TransferWork transfer_work_of(const simtrain::TransferWork& row) {
  return {row.group,
          std::string(name_of(row.cost.collective)),
          std::string(name_of(row.cost.algorithm)),
          std::string(name_of(row.cost.protocol)),
          static_cast<double>(row.cost.bytes.value()),
          std::string(name_of(row.share)),
          std::string(name_of(row.bound)),
          row.bus_bandwidth(),
          row.calls,
          row.total_s,
          row.path_s};
}

void add_work(Result& result, const StepWork& work) {
  result.kernels.reserve(work.kernels.size());
  for (const simtrain::KernelWork& row : work.kernels)
    result.kernels.push_back(kernel_work_of(row));
  result.transfers.reserve(work.transfers.size());
  for (const simtrain::TransferWork& row : work.transfers)
    result.transfers.push_back(transfer_work_of(row));
}

}  // namespace

Result result_of(Report report, std::optional<StepWork> work) {
  Result result;
  add_job(result, report);
  add_times(result, report);
  add_memory(result, report);
  for (const CommunicationRow& row : report.communication)
    result.communication.push_back(call_of(row));
  result.energy = energy_of(report.energy);
  if (work) add_work(result, *work);
  result.events = report.engine.events;
  result.ranks_simulated = report.engine.ranks_simulated;
  result.fingerprint = report.engine.fingerprint;
  Access::keep(result, std::move(report), std::move(work));
  return result;
}

std::vector<TimeShare> shares_of(const Breakdown& breakdown) {
  std::vector<TimeShare> shares;
  shares.reserve(kShares);
  for (const auto& [name, share] : EnumNames<Share>::rows)
    shares.push_back({std::string(name), breakdown[static_cast<std::size_t>(share)]});
  return shares;
}

double Result::seconds_of(const std::string& share) const {
  const auto found = std::find_if(breakdown.begin(), breakdown.end(),
                                  [&](const TimeShare& row) { return row.name == share; });
  return found == breakdown.end() ? 0 : found->seconds;
}

const StageMemory& Result::fullest_stage() const {
  return *std::max_element(memory.begin(), memory.end(),
                           [](const auto& a, const auto& b) { return a.total < b.total; });
}

std::string Result::json() const {
  return guarded([&] {
    const auto& [report, work] = *source_report_;
    return json_report(report, {}, {nullptr, work ? &*work : nullptr});
  });
}

std::string Result::text() const {
  return guarded([&] {
    const auto& [report, work] = *source_report_;
    return text_report(report) + (work ? work_text(*work, report) : "");
  });
}

Result simulate(const Scenario& scenario, const SimulateOptions& options) {
  return guarded([&] {
    if (options.steps < 0 || options.steps > kMostSampledSteps)
      throw simtrain::InputError({}, "steps",
                                 fmt::format("must be from 0 to {}", kMostSampledSteps));
    const auto& content = Access::of(scenario);
    ClusterCache* clusters = Access::of(content.data).clusters.get();
    const simtrain::Scenario checked = content.scenario();
    const SimulatedStep step = simulate_step(checked, {options.unfold, clusters, {}});
    Report report = report_of(step);
    if (options.steps > 0) report.sample = sampled_steps(report, options.steps, options.seed);
    return result_of(std::move(report),
                     options.kernels ? std::optional(step_work(step)) : std::nullopt);
  });
}

}  // namespace simtrain::api
