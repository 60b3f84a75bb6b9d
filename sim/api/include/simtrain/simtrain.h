#pragma once

/// simtrain predicts how long one training step of a large language model takes on a GPU cluster,
/// where the time goes and what it needs of the GPUs' memory. This header is the whole library:
///
///     #include <cstdio>
///     #include <simtrain/simtrain.h>
///
///     int main() {
///       namespace api = simtrain::api;
///       const auto data = api::DataFolder::installed();
///       const auto scenario = api::Scenario::from_data(data, "llama405b_a4_224");
///       const api::Result result = api::simulate(scenario.with("gbs", 1008));
///       std::printf("%.3f s, MFU %.1f %%\n", result.step_time_s, 100 * result.mfu);
///     }
///
/// with, in CMake,
///
///     find_package(simtrain REQUIRED)
///     target_link_libraries(example simtrain::simtrain)
///
/// - scenario.h: the data folder (GPUs, clusters, models), scenarios, errors.
/// - simulate.h: the simulation of one step and its result, sweeps over many.
/// - study.h: why a step takes so long, the best plan, sizes, NCCL, validation, a machine's values.
/// - job.h: a training job with failures and checkpoints, several jobs on one cluster.
/// - measured.h: training logs, alone and beside the predictions of their scenarios.
/// - profile.h: what a profiler saw of a rank, likewise.
/// - recipe.h: recipes of other frameworks, in and out.
///
/// Units: times are in seconds, sizes in bytes, rates per second, shares between 0 and 1, unless a
/// name ends in another unit (`tflops_per_gpu`).
///
/// Errors are exceptions: InputError where a file, a key or a value is wrong, InternalError where
/// the library is. Nothing in it ends the process, prints, or reads standard input.
///
/// Threads: the library has no state of its own. Objects may be copied freely (copies are cheap)
/// and read by many threads at a time; simulate() and sweep() may run in many threads at once.
/// Equal scenarios give equal results, digit by digit, whatever runs beside them.

#include <simtrain/job.h>
#include <simtrain/measured.h>
#include <simtrain/profile.h>
#include <simtrain/recipe.h>
#include <simtrain/scenario.h>
#include <simtrain/simulate.h>
#include <simtrain/study.h>

namespace simtrain::api {

/// The version of the library, as "0.1.0".
[[nodiscard]] std::string version();

}  // namespace simtrain::api
