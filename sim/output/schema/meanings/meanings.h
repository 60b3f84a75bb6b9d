#pragma once

#include <span>
#include <string_view>

namespace simtrain {

/// A line of meaning for a dotted key of a file.
struct Meaning {
  std::string_view key;
  std::string_view text;
};

/// Of the keys of a scenario, as scenarios name them.
std::span<const Meaning> scenario_meanings();
/// Of the keys of a file of jobs (`simtrain share`).
std::span<const Meaning> jobs_meanings();
/// Of the keys of the files below hardware/ and of models, behind the kind of the file:
/// "gpu.gemm.kernel_floor".
std::span<const Meaning> hardware_meanings();
std::span<const Meaning> model_meanings();
std::span<const Meaning> software_meanings();
std::span<const Meaning> job_meanings();
/// The same of files below validation/.
std::span<const Meaning> study_meanings();

/// The line for a key behind its kind of file, "scenario.training.precision" or "fabric.wiring";
/// empty where there is none. What is called the same everywhere ("source") has one line for all.
std::string_view meaning_of(std::string_view key);

}  // namespace simtrain
