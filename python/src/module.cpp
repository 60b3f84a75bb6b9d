#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <simtrain/simtrain.h>

#include "python/src/bindings.h"

namespace py = pybind11;
namespace api = simtrain::api;

namespace {

/// Errors become those of simtrain.errors, with where and why as attributes.
void raise_for_python(std::exception_ptr thrown) {
  const auto raise = [](const char* name, const py::tuple& arguments) {
    const py::object type = py::module_::import("simtrain.errors").attr(name);
    PyErr_SetObject(type.ptr(), type(*arguments).ptr());
  };
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const api::InputError& error) {
    const api::InputError::Place& place = error.place();
    raise("InputError", py::make_tuple(error.what(), place.file, place.line, place.column,
                                       error.key(), error.reason()));
  } catch (const api::InternalError& error) {
    raise("InternalError", py::make_tuple(error.what()));
  }
}

/// Calls that may take long let other Python threads run.
using Unlocked = py::call_guard<py::gil_scoped_release>;

void bind_inputs(py::module_& module) {
  module.def("version", &api::version);
  module.def("installed_data_path", &api::installed_data_path);
  py::class_<api::DataFolder>(module, "DataFolder")
      .def(py::init<const std::string&>())
      .def_static("installed", &api::DataFolder::installed)
      .def_static("families", &api::DataFolder::families)
      .def("path", &api::DataFolder::path)
      .def("names", &api::DataFolder::names)
      .def("json", &api::DataFolder::json)
      .def_static("schemas", &api::DataFolder::schemas)
      .def("schema", &api::DataFolder::schema);
  py::class_<api::Scenario>(module, "Scenario")
      .def_static("from_file", &api::Scenario::from_file)
      .def_static("from_data", &api::Scenario::from_data)
      .def_static("from_text", &api::Scenario::from_text)
      .def("rows", &api::Scenario::rows)
      .def("row", &api::Scenario::row)
      .def("with_", [](const api::Scenario& scenario, const std::string& key,
                       const std::string& value) { return scenario.with(key, value); })
      .def("data", &api::Scenario::data)
      .def("check", &api::Scenario::check, Unlocked())
      .def("name", &api::Scenario::name)
      .def("gpus", &api::Scenario::gpus)
      .def("yaml", &api::Scenario::yaml)
      .def("json", &api::Scenario::json);
}

api::Result simulate(const api::Scenario& scenario, bool unfold, int steps, std::uint64_t seed,
                     bool kernels) {
  return api::simulate(scenario, {unfold, steps, seed, kernels});
}

/// What a handler of a signal raises that came in the meantime.
void raise_signals() {
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

/// Rows go to `callback` as they are done; what it raises, and Ctrl-C, ends the sweep.
std::size_t sweep(const api::Scenario& scenario, const std::vector<api::Axis>& axes,
                  const py::function& callback, int threads) {
  const auto each = [&](const api::SweepRow& row) {
    const py::gil_scoped_acquire locked;
    raise_signals();
    callback(py::cast(row));
  };
  const py::gil_scoped_release unlocked;
  api::SweepOptions options;
  options.threads = threads;
  return api::sweep(scenario, axes, each, options);
}

void bind_runs(py::module_& module) {
  module.def("simulate", &simulate, Unlocked());
  module.def("sweep", &sweep);
  module.def("sweep_size", &api::sweep_size);
  py::class_<api::Axis>(module, "Axis").def(py::init([](std::string key, std::string values) {
    return api::Axis{std::move(key), std::move(values)};
  }));
}

/// What `study` returns. Its progress goes to `function`, in any thread, or nowhere; what that
/// raises, and Ctrl-C, ends the study.
template <class Study>
auto reported(const py::object& function, const Study& study) {
  const api::Progress progress = [&function](std::size_t done, std::size_t total) {
    const py::gil_scoped_acquire locked;
    raise_signals();
    if (!function.is_none()) function(done, total);
  };
  const py::gil_scoped_release unlocked;
  return study(progress);
}

api::TuneGoal goal_of(const std::string& by) {
  if (by == "step_time") return api::TuneGoal::step_time;
  if (by == "mfu") return api::TuneGoal::mfu;
  if (by == "cost") return api::TuneGoal::cost;
  const std::string reason = "'" + by + "' is not known; step_time, mfu or cost would do";
  throw api::InputError("by: " + reason, {}, "by", reason);
}

api::Objective objective_of(const std::string& name) {
  if (name == "step_time") return api::Objective::step_time;
  if (name == "price") return api::Objective::price;
  if (name == "memory") return api::Objective::memory;
  if (name == "energy") return api::Objective::energy;
  const std::string reason =
      "'" + name + "' is not known; step_time, price, memory or energy would do";
  throw api::InputError("objectives: " + reason, {}, "objectives", reason);
}

void bind_front_study(py::module_& module) {
  module.def(
      "tune_front", [](const api::Scenario& scenario, const std::vector<std::string>& objectives,
                       double usd_per_gpu_hour, std::vector<int> gpus,
                       std::vector<std::string> limits, double memory_margin, bool allow_tight,
                       bool exhaustive, int threads, const py::object& progress) {
        api::FrontOptions options{
            {},          usd_per_gpu_hour, std::move(gpus), std::move(limits), memory_margin,
            allow_tight, exhaustive,       threads};
        for (const std::string& name : objectives) options.objectives.push_back(objective_of(name));
        return reported(
            progress, [&](const auto& watch) { return api::tune_front(scenario, options, watch); });
      });
}

void bind_studies(py::module_& module) {
  module.def("explain", [](const api::Scenario& scenario, const py::object& progress) {
    return reported(progress, [&](const auto& watch) { return api::explain(scenario, watch); });
  });
  module.def("tune", [](const api::Scenario& scenario, std::vector<int> gpus,
                        std::vector<std::string> limits, const std::string& by, int top,
                        double memory_margin, bool allow_tight, bool exhaustive,
                        const py::object& progress) {
    const api::TuneOptions options{std::move(gpus), std::move(limits), goal_of(by), top,
                                   memory_margin,   allow_tight,       exhaustive};
    return reported(progress,
                    [&](const auto& watch) { return api::tune(scenario, options, watch); });
  });
  module.def("validate", [](const api::DataFolder& data, const std::vector<std::string>& paths,
                            const py::object& progress) {
    return reported(progress, [&](const auto& watch) { return api::validate(data, paths, watch); });
  });
  module.def(
      "nccl",
      [](const api::DataFolder& data, const std::string& cluster, const std::string& operation,
         int gpus, int nodes, std::int64_t least_bytes, std::int64_t most_bytes, int factor,
         const std::string& software, const std::string& settings) {
        return api::nccl(data, cluster, operation,
                         {gpus, nodes, least_bytes, most_bytes, factor, software, settings});
      },
      Unlocked());
  module.def(
      "calibrate_machine",
      [](const api::DataFolder& data, const std::string& machine, const std::string& cluster,
         const std::string& kernels, const std::string& runs) {
        return api::calibrate_machine(data, machine, cluster, {kernels, runs});
      },
      Unlocked());
}

api::Scaling scaling_of(const std::string& mode) {
  if (mode == "weak") return api::Scaling::weak;
  if (mode == "strong") return api::Scaling::strong;
  const std::string reason = "'" + mode + "' is not known; weak or strong would do";
  throw api::InputError("mode: " + reason, {}, "mode", reason);
}

void bind_job_studies(py::module_& module) {
  module.def(
      "goodput", [](const api::Scenario& scenario, bool changes, const py::object& progress) {
        return reported(
            progress, [&](const auto& watch) { return api::goodput(scenario, {changes}, watch); });
      });
  module.def("advise", [](const api::Scenario& scenario, const py::object& progress) {
    return reported(progress, [&](const auto& watch) { return api::advise(scenario, watch); });
  });
  module.def("share", [](const api::DataFolder& data, const std::string& path, bool place_last,
                         const py::object& progress) {
    return reported(progress,
                    [&](const auto& watch) { return api::share(data, path, {place_last}, watch); });
  });
  module.def("scale", [](const api::Scenario& scenario, const std::vector<int>& gpus,
                         const std::string& mode, double tokens, double usd_per_gpu_hour,
                         const py::object& progress) {
    return reported(progress, [&](const auto& watch) {
      return api::scale(scenario, gpus, {scaling_of(mode), tokens, usd_per_gpu_hour}, watch);
    });
  });
  module.def("difference", &api::difference, Unlocked());
  module.def("topology", &api::topology, Unlocked());
}

void bind_log_functions(py::module_& module) {
  module.def("metrics", [](const std::vector<std::string>& paths,
                           const std::optional<api::Scenario>& scenario, std::string steps,
                           std::string format, const py::object& progress) {
    const api::LogOptions options{std::move(steps), std::move(format)};
    return reported(
        progress, [&](const auto& watch) { return api::metrics(paths, scenario, options, watch); });
  });
  module.def("compare", [](const api::Scenario& scenario, const std::string& log, std::string steps,
                           std::string format, const py::object& progress) {
    const api::LogOptions options{std::move(steps), std::move(format)};
    return reported(progress,
                    [&](const auto& watch) { return api::compare(scenario, log, options, watch); });
  });
}

void bind_profile_function(py::module_& module) {
  module.def("profile", [](const std::vector<std::string>& paths,
                           const std::optional<api::Scenario>& scenario, std::optional<int> rank,
                           std::optional<std::int64_t> steps, std::string format,
                           const py::object& progress) {
    const api::ProfileOptions options{rank, steps, std::move(format)};
    return reported(
        progress, [&](const auto& watch) { return api::profile(paths, scenario, options, watch); });
  });
}

void bind_recipe_functions(py::module_& module) {
  module.def(
      "import_recipe",
      [](const api::DataFolder& data, const std::string& path, std::string name,
         std::string cluster, int nodes, std::string software, std::string model,
         std::string arguments, std::vector<std::string> overrides,
         std::vector<std::string> settings, bool defaults) {
        return api::import_recipe(
            data, path,
            {std::move(name), std::move(cluster), nodes, std::move(software), std::move(model),
             std::move(arguments), std::move(overrides), std::move(settings), defaults});
      },
      Unlocked());
  module.def("export_targets", &api::export_targets);
  module.def("export_recipe", &api::export_recipe, Unlocked());
}

}  // namespace

PYBIND11_MODULE(_simtrain, module) {
  module.doc() = "The C++ library behind simtrain; `import simtrain` is the door to it.";
  py::register_exception_translator(&raise_for_python);
  bind_results(module);
  bind_inputs(module);
  bind_runs(module);
  bind_studies(module);
  bind_front_study(module);
  bind_jobs(module);
  bind_job_studies(module);
  bind_measured(module);
  bind_log_functions(module);
  bind_profile(module);
  bind_profile_function(module);
  bind_recipe_functions(module);
}
