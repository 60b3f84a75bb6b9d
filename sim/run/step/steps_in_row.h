#pragma once

#include <cstdint>

namespace simtrain {

/// Steps of a run that follow one another and take equally long, while faults come and go.
struct StepsInRow {
  std::int64_t first = 1;  ///< number in the run, from 1 on
  std::int64_t count = 1;  ///< 0: this one and all after it
  double start_s = 0;      ///< of the first, from the start of the run
  double step_time_s = 0;  ///< of each
  double slower_s = 0;     ///< than a step without the faults that come and go
};

}  // namespace simtrain
