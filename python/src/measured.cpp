#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <simtrain/simtrain.h>

#include "python/src/attributes.h"
#include "python/src/bindings.h"

namespace py = pybind11;
namespace api = simtrain::api;

namespace {

void bind_logs(py::module_& module) {
  using StepFigure = api::StepFigure;
  Attributes<StepFigure>(module, "StepFigure")("mean", &StepFigure::mean)("std", &StepFigure::std)(
      "min", &StepFigure::min)("max", &StepFigure::max);
  using LoggedStep = api::LoggedStep;
  Attributes<LoggedStep>(module, "LoggedStep")("step", &LoggedStep::step)("step_time_s",
                                                                          &LoggedStep::step_time_s);
  using LogMetrics = api::LogMetrics;
  Attributes<LogMetrics>(module, "LogMetrics")("name", &LogMetrics::name)(
      "path", &LogMetrics::path)("format", &LogMetrics::format)("status", &LogMetrics::status)(
      "why", &LogMetrics::why)("window", &LogMetrics::window)(
      "step_time_s", &LogMetrics::step_time_s)("logged_tflops_per_gpu",
                                               &LogMetrics::logged_tflops_per_gpu)(
      "tokens_per_s", &LogMetrics::tokens_per_s)("tokens_per_s_per_gpu",
                                                 &LogMetrics::tokens_per_s_per_gpu)(
      "tflops_per_gpu", &LogMetrics::tflops_per_gpu)("mfu", &LogMetrics::mfu)(
      "days_per_1t_tokens", &LogMetrics::days_per_1t_tokens)(
      "peak_memory_bytes", &LogMetrics::peak_memory_bytes)("steps", &LogMetrics::steps);
  Attributes<api::Metrics> metrics(module, "Metrics");
  metrics("runs", &api::Metrics::runs);
  bind_texts(metrics);
}

void bind_comparison(py::module_& module) {
  using Gap = api::GapExplanation;
  Attributes<Gap>(module, "GapExplanation")("share", &Gap::share)("predicted_s", &Gap::predicted_s)(
      "needed_s", &Gap::needed_s)("standard_errors", &Gap::standard_errors)("verdict",
                                                                            &Gap::verdict);
  using Stack = api::StackExplanation;
  Attributes<Stack>(module, "StackExplanation")("software", &Stack::software)(
      "refusal", &Stack::refusal)("predicted_s", &Stack::predicted_s)("error", &Stack::error)(
      "explains", &Stack::explains);
  using Comparison = api::Comparison;
  Attributes<Comparison> comparison(module, "Comparison");
  comparison("scenario", &Comparison::scenario)("log", &Comparison::log)(
      "status", &Comparison::status)("window", &Comparison::window)(
      "predicted_s", &Comparison::predicted_s)("interval_90_s", &Comparison::interval_90_s)(
      "measured_s", &Comparison::measured_s)("median_s", &Comparison::median_s)(
      "error", &Comparison::error)("inside", &Comparison::inside)(
      "predicted_peak_memory_bytes", &Comparison::predicted_peak_memory_bytes)(
      "peak_memory_bytes", &Comparison::peak_memory_bytes)("caveats", &Comparison::caveats)(
      "explanations", &Comparison::explanations)("stacks", &Comparison::stacks);
  bind_texts(comparison);
}

}  // namespace

void bind_measured(py::module_& module) {
  bind_logs(module);
  bind_comparison(module);
}
