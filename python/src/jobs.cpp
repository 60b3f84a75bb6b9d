#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <simtrain/simtrain.h>

#include "python/src/attributes.h"
#include "python/src/bindings.h"

namespace py = pybind11;
namespace api = simtrain::api;

namespace {

void bind_goodput(py::module_& module) {
  using Spread = api::Spread;
  Attributes<Spread>(module, "Spread")("mean", &Spread::mean)("p5", &Spread::p5)(
      "p10", &Spread::p10)("p50", &Spread::p50)("p90", &Spread::p90)("p95", &Spread::p95);
  using Checkpoint = api::Checkpoint;
  Attributes<Checkpoint>(module, "Checkpoint")("storage", &Checkpoint::storage)(
      "bytes", &Checkpoint::bytes)("writers", &Checkpoint::writers)("copy_s", &Checkpoint::copy_s)(
      "write_s", &Checkpoint::write_s)("stall_s", &Checkpoint::stall_s)(
      "load_s", &Checkpoint::load_s)("interval", &Checkpoint::interval)("host_bytes",
                                                                        &Checkpoint::host_bytes);
  using JobFailure = api::JobFailure;
  Attributes<JobFailure>(module, "JobFailure")("component", &JobFailure::component)(
      "effect", &JobFailure::effect)("per_day", &JobFailure::per_day)(
      "mean_of_a_run", &JobFailure::mean_of_a_run)("nodes", &JobFailure::nodes)(
      "slowdown", &JobFailure::slowdown);
  using JobChange = api::JobChange;
  Attributes<JobChange>(module, "JobChange")("change", &JobChange::change)(
      "value", &JobChange::value)("goodput", &JobChange::goodput)(
      "elapsed_s", &JobChange::elapsed_s)("gpu_hours", &JobChange::gpu_hours);
  using Goodput = api::Goodput;
  Attributes<Goodput> goodput(module, "Goodput");
  goodput("scenario", &Goodput::scenario)("gpus", &Goodput::gpus)("nodes", &Goodput::nodes)(
      "spare_nodes", &Goodput::spare_nodes)("step_time_s", &Goodput::step_time_s)(
      "tokens_per_step", &Goodput::tokens_per_step)("runs", &Goodput::runs)(
      "finished", &Goodput::finished)("elapsed_s", &Goodput::elapsed_s)("steps", &Goodput::steps)(
      "goodput", &Goodput::goodput)("effective_time", &Goodput::effective_time)(
      "interruptions", &Goodput::interruptions)("restarts", &Goodput::restarts)(
      "saves", &Goodput::saves)("gpu_hours", &Goodput::gpu_hours)(
      "spare_gpu_hours", &Goodput::spare_gpu_hours)("used", &Goodput::used)(
      "joules", &Goodput::joules)("waiting_joules", &Goodput::waiting_joules)(
      "gpu_usd", &Goodput::gpu_usd)("electricity_usd", &Goodput::electricity_usd)(
      "carbon_kg", &Goodput::carbon_kg)("checkpoint", &Goodput::checkpoint)(
      "failures", &Goodput::failures)("young_steps", &Goodput::young_steps)(
      "daly_steps", &Goodput::daly_steps)("intervals", &Goodput::intervals)(
      "spares", &Goodput::spares)("changes", &Goodput::changes);
  bind_texts(goodput);
}

void bind_advice(py::module_& module) {
  using JobAdvice = api::JobAdvice;
  Attributes<JobAdvice>(module, "JobAdvice")("kind", &JobAdvice::kind)(
      "change", &JobAdvice::change)("settings", &JobAdvice::settings)(
      "step_time_s", &JobAdvice::step_time_s)("goodput", &JobAdvice::goodput)(
      "elapsed_s", &JobAdvice::elapsed_s)("saved_s", &JobAdvice::saved_s)(
      "saved_gpu_hours", &JobAdvice::saved_gpu_hours)("saved_usd", &JobAdvice::saved_usd);
  using AdvisedJob = api::AdvisedJob;
  Attributes<AdvisedJob> job(module, "AdvisedJob");
  job("step", &AdvisedJob::step)("goodput", &AdvisedJob::goodput)("runs", &AdvisedJob::runs)(
      "advice", &AdvisedJob::advice)("refused", &AdvisedJob::refused);
  bind_texts(job);
}

void bind_share(py::module_& module) {
  using SharedJob = api::SharedJob;
  Attributes<SharedJob>(module, "SharedJob")("name", &SharedJob::name)(
      "scenario", &SharedJob::scenario)("placement", &SharedJob::placement)(
      "gpus", &SharedJob::gpus)("hosts", &SharedJob::hosts)("alone_s", &SharedJob::alone_s)(
      "together_s", &SharedJob::together_s)("least_s", &SharedJob::least_s)(
      "most_s", &SharedJob::most_s)("steps", &SharedJob::steps)("lost_gpus", &SharedJob::lost_gpus);
  using JobPlacement = api::JobPlacement;
  Attributes<JobPlacement>(module, "JobPlacement")("placement", &JobPlacement::placement)(
      "hosts", &JobPlacement::hosts)("step_time_s", &JobPlacement::step_time_s)(
      "alone_s", &JobPlacement::alone_s)("lost_gpus", &JobPlacement::lost_gpus)(
      "others_lost_gpus", &JobPlacement::others_lost_gpus);
  using SharedCluster = api::SharedCluster;
  Attributes<SharedCluster> shared(module, "SharedCluster");
  shared("name", &SharedCluster::name)("cluster", &SharedCluster::cluster)(
      "nodes", &SharedCluster::nodes)("gpus", &SharedCluster::gpus)(
      "links_never_bind", &SharedCluster::links_never_bind)("jobs", &SharedCluster::jobs)(
      "placements", &SharedCluster::placements);
  bind_texts(shared);
}

void bind_recipes(py::module_& module) {
  using Imported = api::Imported;
  Attributes<Imported>(module, "Imported")("format", &Imported::format)("yaml", &Imported::yaml)(
      "taken", &Imported::taken)("assumed", &Imported::assumed)("ignored", &Imported::ignored)(
      "notes", &Imported::notes);
  using Exported = api::Exported;
  Attributes<Exported>(module, "Exported")("text", &Exported::text)("left_out",
                                                                    &Exported::left_out);
}

void bind_scale(py::module_& module) {
  using ScaleRow = api::ScaleRow;
  Attributes<ScaleRow>(module, "ScaleRow")("gpus", &ScaleRow::gpus)("illegal", &ScaleRow::illegal)(
      "global_batch_size", &ScaleRow::global_batch_size)("step_time_s", &ScaleRow::step_time_s)(
      "tokens_per_s", &ScaleRow::tokens_per_s)("mfu", &ScaleRow::mfu)(
      "efficiency", &ScaleRow::efficiency)("fits", &ScaleRow::fits)("days", &ScaleRow::days)(
      "gpu_hours", &ScaleRow::gpu_hours)("cost_usd", &ScaleRow::cost_usd)(
      "joules_per_token", &ScaleRow::joules_per_token)("breakdown", &ScaleRow::breakdown);
  using ScaleResult = api::ScaleResult;
  Attributes<ScaleResult>(module, "ScaleResult")("rows", &ScaleResult::rows)("json",
                                                                             &ScaleResult::json);
}

void bind_difference(py::module_& module) {
  using PartDifference = api::PartDifference;
  Attributes<PartDifference>(module, "PartDifference")("share", &PartDifference::share)(
      "against_s", &PartDifference::against_s)("run_s", &PartDifference::run_s)(
      "change_s", &PartDifference::change_s);
  using KeyDifference = api::KeyDifference;
  Attributes<KeyDifference>(module, "KeyDifference")("key", &KeyDifference::key)(
      "against", &KeyDifference::against)("run", &KeyDifference::run);
  using Difference = api::Difference;
  Attributes<Difference> difference(module, "Difference");
  difference("change_s", &Difference::change_s)("same_tokens", &Difference::same_tokens)(
      "parts", &Difference::parts)("keys", &Difference::keys)("run", &Difference::run)(
      "against", &Difference::against);
  bind_texts(difference);
}

void bind_topology(py::module_& module) {
  using Level = api::TopologyLevel;
  Attributes<Level>(module, "TopologyLevel")("level", &Level::level)("total", &Level::total)(
      "per_gpu", &Level::per_gpu)("oversubscription", &Level::oversubscription);
  using Topology = api::Topology;
  Attributes<Topology> topology(module, "Topology");
  topology("cluster", &Topology::cluster)("wiring", &Topology::wiring)("hosts", &Topology::hosts)(
      "gpus", &Topology::gpus)("nvlink_domains", &Topology::nvlink_domains)(
      "nvswitch_planes", &Topology::nvswitch_planes)("nics", &Topology::nics)(
      "leaf_switches", &Topology::leaf_switches)("spine_switches", &Topology::spine_switches)(
      "core_switches", &Topology::core_switches)("levels", &Topology::levels)("bisection",
                                                                              &Topology::bisection);
  bind_texts(topology);
}

}  // namespace

void bind_jobs(py::module_& module) {
  bind_goodput(module);
  bind_advice(module);
  bind_share(module);
  bind_recipes(module);
  bind_scale(module);
  bind_difference(module);
  bind_topology(module);
}
