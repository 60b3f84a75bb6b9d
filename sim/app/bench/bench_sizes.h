#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sim/core/files/data_folder.h"
#include "sim/run/scenario/scenario.h"

namespace simtrain {

/// One size of the weak scaling that `simtrain bench` measures.
struct BenchSize {
  int gpus = 0;
  bool unfold = false;
  std::string_view routing;  ///< of the fabric
};

std::span<const BenchSize> bench_sizes();

/// Names of the columns of bench_size_line(), a line.
std::string bench_size_header();

/// A line of `source`, Llama 3.1 405B on H100, on so many GPUs with a global batch of half as many:
/// CPU seconds to build the cluster and to simulate, events, CPU nanoseconds of one, and the most
/// memory that is held meanwhile by rank, 0 where the system does not say.
std::string bench_size_line(const DataFolder& data, const ScenarioSource& source,
                            const BenchSize& size);

}  // namespace simtrain
