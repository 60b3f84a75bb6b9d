#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <simtrain/simtrain.h>

#include "python/src/attributes.h"
#include "python/src/bindings.h"

namespace py = pybind11;
namespace api = simtrain::api;

namespace {

void bind_parts(py::module_& module) {
  Attributes<api::Interval>(module, "Interval")("low", &api::Interval::low)("high",
                                                                            &api::Interval::high);
  using Memory = api::StageMemory;
  Attributes<Memory>(module, "StageMemory")("weights", &Memory::weights)(
      "fp8_copies", &Memory::fp8_copies)("gradients", &Memory::gradients)(
      "optimizer", &Memory::optimizer)("gemm_workspaces", &Memory::gemm_workspaces)(
      "activations", &Memory::activations)("loss", &Memory::loss)("temporary", &Memory::temporary)(
      "cuda_context", &Memory::cuda_context)("communicators", &Memory::communicators)(
      "user_buffers", &Memory::user_buffers)("dispatcher_buffers", &Memory::dispatcher_buffers)(
      "allocated", &Memory::allocated)("total", &Memory::total)("fragmentation",
                                                                &Memory::fragmentation);
  using Call = api::Communication;
  Attributes<Call>(module, "Communication")("group", &Call::group)("collective", &Call::collective)(
      "algorithm", &Call::algorithm)("protocol", &Call::protocol)("bytes", &Call::bytes)(
      "count", &Call::count)("total_s", &Call::total_s)("exposed_s", &Call::exposed_s);
  using Counts = api::Parameters;
  Attributes<Counts>(module, "Parameters")("total", &Counts::total)(
      "fullest_gpu", &Counts::fullest_gpu)("fullest_stage", &Counts::fullest_stage)(
      "mean_gpu", &Counts::mean_gpu)("trained", &Counts::trained);
}

void bind_work(py::module_& module) {
  using Energy = api::Energy;
  Attributes<Energy>(module, "Energy")("gpu_w", &Energy::gpu_w)(
      "gpu_limit_w", &Energy::gpu_limit_w)("node_w", &Energy::node_w)(
      "cluster_w", &Energy::cluster_w)("joules_per_step", &Energy::joules_per_step)(
      "joules_per_token", &Energy::joules_per_token)(
      "mwh_per_1t_tokens", &Energy::mwh_per_1t_tokens)("pue", &Energy::pue)(
      "by_part", &Energy::by_part)("gpus_by_kernel", &Energy::gpus_by_kernel)("by_rule",
                                                                              &Energy::by_rule);
  using KernelWork = api::KernelWork;
  Attributes<KernelWork>(module, "KernelWork")("module", &KernelWork::module)(
      "kernel", &KernelWork::kernel)("shape", &KernelWork::shape)("share", &KernelWork::share)(
      "bound_by", &KernelWork::bound_by)("each_s", &KernelWork::each_s)(
      "flops", &KernelWork::flops)("bytes", &KernelWork::bytes)(
      "share_of_peak", &KernelWork::share_of_peak)("count", &KernelWork::count)(
      "total_s", &KernelWork::total_s)("path_s", &KernelWork::path_s);
  using TransferWork = api::TransferWork;
  Attributes<TransferWork>(module, "TransferWork")("group", &TransferWork::group)(
      "collective", &TransferWork::collective)("algorithm", &TransferWork::algorithm)(
      "protocol", &TransferWork::protocol)("bytes", &TransferWork::bytes)(
      "share", &TransferWork::share)("bound_by", &TransferWork::bound_by)(
      "bus_bandwidth", &TransferWork::bus_bandwidth)("count", &TransferWork::count)(
      "total_s", &TransferWork::total_s)("path_s", &TransferWork::path_s);
}

void bind_result(py::module_& module) {
  using Result = api::Result;
  Attributes<Result> result(module, "Result");
  result("scenario", &Result::scenario)("source", &Result::source)("cluster", &Result::cluster)(
      "model", &Result::model)("software", &Result::software)("layout", &Result::layout)(
      "gpus", &Result::gpus)("data_parallel_size", &Result::data_parallel_size)(
      "micro_batches", &Result::micro_batches)("tokens_per_step", &Result::tokens_per_step)(
      "parameters", &Result::parameters);
  result("step_time_s", &Result::step_time_s)("step_time_interval", &Result::step_time_interval)(
      "step_time_std_s", &Result::step_time_std_s)("steps_s", &Result::steps_s)(
      "tokens_per_s", &Result::tokens_per_s)("tflops_per_gpu", &Result::tflops_per_gpu)(
      "peak_tflops_per_gpu", &Result::peak_tflops_per_gpu)("mfu", &Result::mfu)(
      "mfu_convention", &Result::mfu_convention)("model_flops_per_sample",
                                                 &Result::model_flops_per_sample)(
      "days_per_1t_tokens", &Result::days_per_1t_tokens)("sm_clock", &Result::sm_clock)(
      "breakdown", &Result::breakdown);
  result("memory", &Result::memory)("memory_capacity_bytes", &Result::memory_capacity_bytes)(
      "peak_bytes", &Result::peak_bytes)("fits", &Result::fits)("tight", &Result::tight)(
      "communication", &Result::communication)("energy", &Result::energy)(
      "kernels", &Result::kernels)("transfers", &Result::transfers)("events", &Result::events)(
      "ranks_simulated", &Result::ranks_simulated)("fingerprint", &Result::fingerprint);
  result.type().def("json", &Result::json).def("text", &Result::text);
}

std::string status_of(const api::SweepRow& row) {
  switch (row.status) {
    case api::SweepStatus::ok:
      return "ok";
    case api::SweepStatus::does_not_fit:
      return "does_not_fit";
    case api::SweepStatus::illegal:
      return "illegal";
    case api::SweepStatus::failed:
      break;
  }
  return "failed";
}

void bind_sweep_row(py::module_& module) {
  using Row = api::SweepRow;
  Attributes<Row> row(module, "SweepRow");
  row("index", &Row::index)("values", &Row::values)("reason", &Row::reason)("gpus", &Row::gpus)(
      "data_parallel_size", &Row::data_parallel_size)("step_time_s", &Row::step_time_s)(
      "step_time_interval", &Row::step_time_interval)("tokens_per_s", &Row::tokens_per_s)(
      "tflops_per_gpu", &Row::tflops_per_gpu)("mfu", &Row::mfu)("peak_bytes", &Row::peak_bytes)(
      "total_bytes", &Row::total_bytes)("memory_capacity_bytes", &Row::memory_capacity_bytes)(
      "breakdown", &Row::breakdown)("fingerprint", &Row::fingerprint);
  row.type().def_property_readonly("status", &status_of);
}

void bind_explanation(py::module_& module) {
  using Stage = api::PathStage;
  Attributes<Stage>(module, "PathStage")("stage", &Stage::stage)("forward_s", &Stage::forward_s)(
      "backward_s", &Stage::backward_s)("other_s", &Stage::other_s)("communication_s",
                                                                    &Stage::communication_s);
  using Change = api::WhatIf;
  Attributes<Change>(module, "WhatIf")("kind", &Change::kind)("name", &Change::name)(
      "from_", &Change::from)("to", &Change::to)("step_time_s", &Change::step_time_s)(
      "relative", &Change::relative)("mfu", &Change::mfu)("fits", &Change::fits);
  using Why = api::Explanation;
  Attributes<Why>(module, "Explanation")("step_time_s", &Why::step_time_s)("path", &Why::path)(
      "moves", &Why::moves)("what_ifs", &Why::what_ifs)("refused", &Why::refused)("json",
                                                                                  &Why::json);
}

void bind_tune(py::module_& module) {
  using Plan = api::TunedPlan;
  Attributes<Plan>(module, "TunedPlan")("plan", &Plan::plan)("scenario", &Plan::scenario)(
      "result", &Plan::result)("memory_bytes", &Plan::memory_bytes)("spare_bytes",
                                                                    &Plan::spare_bytes);
  using Tuned = api::TuneResult;
  Attributes<Tuned>(module, "TuneResult")("considered", &Tuned::considered)("legal", &Tuned::legal)(
      "fitting", &Tuned::fitting)("simulated", &Tuned::simulated)("best", &Tuned::best)(
      "json", &Tuned::json);
}

void bind_front(py::module_& module) {
  using Plan = api::FrontPlan;
  Attributes<Plan>(module, "FrontPlan")("plan", &Plan::plan)("scenario", &Plan::scenario)(
      "on_front", &Plan::on_front)("tight", &Plan::tight)("step_time_s", &Plan::step_time_s)(
      "tokens_per_s", &Plan::tokens_per_s)("mfu", &Plan::mfu)("memory_bytes", &Plan::memory_bytes)(
      "spare_bytes", &Plan::spare_bytes)("joules_per_token", &Plan::joules_per_token)(
      "usd_per_1t_tokens", &Plan::usd_per_1t_tokens)("fingerprint", &Plan::fingerprint);
  using Front = api::FrontResult;
  Attributes<Front>(module, "FrontResult")("considered", &Front::considered)(
      "legal", &Front::legal)("fitting", &Front::fitting)("simulated", &Front::simulated)(
      "plans", &Front::plans)("json", &Front::json);
}

void bind_other_studies(py::module_& module) {
  using Size = api::NcclSize;
  Attributes<Size>(module, "NcclSize")("bytes", &Size::bytes)("algorithm", &Size::algorithm)(
      "protocol", &Size::protocol)("channels", &Size::channels)("time_s", &Size::time_s)(
      "algorithm_bandwidth", &Size::algorithm_bandwidth)("bus_bandwidth", &Size::bus_bandwidth);
  using Nccl = api::NcclResult;
  Attributes<Nccl>(module, "NcclResult")("sizes", &Nccl::sizes)("table", &Nccl::table)("json",
                                                                                       &Nccl::json);
  using Row = api::ValidationRow;
  Attributes<Row>(module, "ValidationRow")("document", &Row::document)("table", &Row::table)(
      "group", &Row::group)("precision", &Row::precision)("scenario", &Row::scenario)(
      "row", &Row::row)("measured_s", &Row::measured_s)("predicted_s", &Row::predicted_s)(
      "error", &Row::error);
  using Validation = api::Validation;
  Attributes<Validation>(module, "Validation")("rows", &Validation::rows)(
      "mean_absolute_error", &Validation::mean_absolute_error)(
      "largest_absolute_error", &Validation::largest_absolute_error)("bias", &Validation::bias)(
      "broken", &Validation::broken)("json", &Validation::json);
  using Value = api::MachineValue;
  Attributes<Value>(module, "MachineValue")("key", &Value::key)("unit", &Value::unit)(
      "before", &Value::before)("value", &Value::value)("standard_error", &Value::standard_error)(
      "points", &Value::points)("source", &Value::source);
  using Fit = api::MachineFit;
  Attributes<Fit>(module, "MachineFit")("node", &Fit::node)("gpu", &Fit::gpu)(
      "values", &Fit::values)("relative_error", &Fit::relative_error)("yaml", &Fit::yaml)(
      "json", &Fit::json);
}

}  // namespace

void bind_results(py::module_& module) {
  bind_parts(module);
  bind_work(module);
  bind_result(module);
  bind_sweep_row(module);
  bind_explanation(module);
  bind_tune(module);
  bind_front(module);
  bind_other_studies(module);
}
