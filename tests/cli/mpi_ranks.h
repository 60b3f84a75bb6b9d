#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/cli/sweep_runs.h"

namespace simtrain::testing {

/// Whether jobs of several ranks can be tried here.
inline bool mpi_here() {
  const bool built =
      run_simtrain(with(cheap_sweep(4), {"--mpi"})).err.find("without MPI") == std::string::npos;
  const bool here = built && shell("command -v mpirun").status == 0;
  if (!here) MESSAGE("skipped: no MPI here; tools/setup.sh test installs Open MPI");
  return here;
}

/// A command of the program, as three ranks of a job.
inline std::vector<std::string> three_ranks(std::vector<std::string> arguments) {
  arguments = simtrain_command(std::move(arguments));
  // Open MPI itself leaves memory behind, which a build under sanitizers would report.
  const char* set = std::getenv("ASAN_OPTIONS");
  std::vector<std::string> command = words(
      "/usr/bin/env ASAN_OPTIONS=" + std::string(set == nullptr ? "" : set) +
      ":detect_leaks=0 "
      "OMPI_ALLOW_RUN_AS_ROOT=1 "
      "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
      "OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_vader_single_copy_mechanism=none mpirun -n "
      "3");
  return with(std::move(command), arguments);
}

}  // namespace simtrain::testing
