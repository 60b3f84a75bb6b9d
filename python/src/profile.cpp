#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <simtrain/simtrain.h>

#include "python/src/attributes.h"
#include "python/src/bindings.h"

namespace py = pybind11;
namespace api = simtrain::api;

namespace {

void bind_kernels(py::module_& module) {
  using Times = api::KernelTimes;
  Attributes<Times>(module, "KernelTimes")("kind", &Times::kind)(
      "predicted_s", &Times::predicted_s)("predicted_waiting_s", &Times::predicted_waiting_s)(
      "predicted_calls", &Times::predicted_calls)("measured_s", &Times::measured_s)(
      "error", &Times::error)("measured_calls", &Times::measured_calls);
  using Calls = api::NcclCalls;
  Attributes<Calls>(module, "NcclCalls")("function", &Calls::function)("ranks", &Calls::ranks)(
      "type", &Calls::type)("count", &Calls::count)("bytes", &Calls::bytes)(
      "predicted", &Calls::predicted)("logged", &Calls::logged);
  using Named = api::NamedKernel;
  Attributes<Named>(module, "NamedKernel")("name", &Named::name)("kind", &Named::kind)(
      "calls", &Named::calls)("time_s", &Named::time_s);
}

void bind_ranks(py::module_& module) {
  using Rank = api::ProfiledRank;
  Attributes<Rank>(module, "ProfiledRank")("process", &Rank::process)("rank", &Rank::rank)(
      "stage", &Rank::stage)("rank_from", &Rank::rank_from)("steps", &Rank::steps)(
      "steps_from", &Rank::steps_from)("predicted_s", &Rank::predicted_s)(
      "predicted_busy_s", &Rank::predicted_busy_s)("measured_s", &Rank::measured_s)(
      "measured_busy_s", &Rank::measured_busy_s)(
      "predicted_straggler_wait_s", &Rank::predicted_straggler_wait_s)("kernels", &Rank::kernels)(
      "unclassified", &Rank::unclassified)("calls", &Rank::calls);
}

}  // namespace

void bind_profile(py::module_& module) {
  bind_kernels(module);
  bind_ranks(module);
  using File = api::ProfiledFile;
  using Process = api::NcclProcess;
  Attributes<Process>(module, "NcclProcess")("process", &Process::process)("rank", &Process::rank)(
      "calls", &Process::calls);
  Attributes<File>(module, "ProfiledFile")("steps", &File::steps)("calls", &File::calls)(
      "untold_calls", &File::untold_calls)("processes", &File::processes)("path", &File::path)(
      "format", &File::format)("lines", &File::lines)("gpus", &File::gpus)(
      "incomplete", &File::incomplete)("skipped_lines", &File::skipped_lines)(
      "kernels", &File::kernels)("comparisons", &File::comparisons);
  Attributes<api::Profile> profile(module, "Profile");
  profile("scenario", &api::Profile::scenario)("profiles", &api::Profile::profiles);
  bind_texts(profile);
}
