#pragma once

#include <pybind11/pybind11.h>

#include "python/src/shares.h"

/// What the library answers, as classes with read-only attributes of the names in its headers.
void bind_results(pybind11::module_& module);

/// The same of jobs, sizes, two runs and recipes.
void bind_jobs(pybind11::module_& module);

/// The same of training logs.
void bind_measured(pybind11::module_& module);

/// The same of profiles.
void bind_profile(pybind11::module_& module);
