#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/core/files/data_folder.h"
#include "sim/study/fit/kernel_points.h"
#include "sim/study/nccl/nccl_tests_validation.h"

namespace simtrain {

/// What was measured on one machine. Each part may be missing, not all.
struct MachineEvidence {
  std::vector<KernelPoint> kernels;  ///< of its GPU, `load_kernel_points`
  std::vector<PredictedTest> nccl;   ///< output of nccl-tests beside predictions for its cluster
  /// Errors of the step times of its training runs, predicted over measured less one, with the
  /// hardware as it is in a folder.
  std::function<std::vector<double>(const DataFolder&)> runs;
};

/// A value of the machine, and what it follows from.
struct MachineFinding {
  std::string key;  ///< as in a machine file: "gpu.power.available"
  std::string unit;
  double before = 0;  ///< of the hardware file
  double value = 0;
  double standard_error = 0;  ///< relative, of the speed that the value stands for
  std::size_t points = 0;
  std::string source;
};

/// A machine as its measurements have it.
struct MachineFit {
  std::string node;
  std::string gpu;
  std::string fabric;
  std::vector<MachineFinding> findings;
  std::vector<double> runs_before;  ///< errors of the runs, predicted over measured less one
  std::vector<double> runs_after;
  double relative_error = 0;  ///< of step times on the machine
  std::string relative_error_source;
};

/// The values of one machine of `cluster`, by medians of measured over predicted speed: robust, and
/// each value by the points that depend on it alone.
///
/// - Sustained GEMMs of the class "large" set `gpu.power.available`, the share of the power limit
///   that the machine has for kernels: (measured / sustained rate)^exponent. Where it is faster
///   than the GPU file's sustained rates, those grow instead.
/// - Memory-bound kernels set the shares of the memory bandwidth, `gpu.streaming`.
/// - Calls of nccl-tests of 16 MiB and more set the bandwidth of the protocol that NCCL takes;
///   between nodes `fabric.link_efficiency`.
/// - Training runs set `gpu.power.available` where no GEMMs do, and tell how well the machine is
///   known then.
///
/// Throws InputError where there is nothing that sets a value.
MachineFit fit_machine(const DataFolder& data, const std::string& cluster,
                       const MachineEvidence& evidence);

}  // namespace simtrain
