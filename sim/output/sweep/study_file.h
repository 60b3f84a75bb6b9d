#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace simtrain {

/// What an HDF5 file of simtrain says of itself (docs/sweep.md, docs/goodput.md).
struct StudyFile {
  std::string
      schema;  ///< "simtrain.sweep/1"; empty where the file is none, or not as it was written
  std::string scenario;
  std::optional<std::string> question{};  ///< of a sweep, as are all below
  std::optional<std::uint64_t> candidates{};
  std::optional<bool> complete{};
  std::uint64_t fitting = 0;       ///< candidates that run and fit
  std::optional<double> step_s{};  ///< of the fastest of these
  std::optional<double> mfu{};
};

/// Empty for what is not to the byte what simtrain wrote: the HDF5 library trusts a file in much.
StudyFile study_file(const std::string& path);

}  // namespace simtrain
