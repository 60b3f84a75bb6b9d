#include "sim/api/checks.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "sim/core/input/input_error.h"

namespace simtrain::api {

int checked_threads(int threads) {
  if (threads < 0)
    throw simtrain::InputError({}, "threads", "must be 1 or more, or 0 for one for each core");
  return threads;
}

const std::vector<int>& checked_sizes(const std::vector<int>& gpus) {
  for (auto size = gpus.begin(); size != gpus.end(); ++size) {
    if (*size < 1) throw simtrain::InputError({}, "gpus", "must be 1 or more");
    if (std::find(gpus.begin(), size, *size) != size)
      throw simtrain::InputError({}, "gpus", fmt::format("{} is there twice", *size));
  }
  return gpus;
}

double checked_margin(double margin) {
  if (!(margin >= 0 && margin < 1))
    throw simtrain::InputError({}, "memory_margin", "must be from 0 to below 1");
  return margin;
}

double checked_price(double usd_per_gpu_hour) {
  if (!(usd_per_gpu_hour >= 0 && std::isfinite(usd_per_gpu_hour)))
    throw simtrain::InputError({}, "usd_per_gpu_hour", "must be 0 or more, and finite");
  return usd_per_gpu_hour;
}

}  // namespace simtrain::api
