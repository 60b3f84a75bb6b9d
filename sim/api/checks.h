#pragma once

#include <vector>

namespace simtrain::api {

// Each throws a simtrain::InputError with the name of the option where its value would not do.

/// 0: one for each core.
int checked_threads(int threads);
/// Sizes, each 1 or more and there once; none is for the caller to judge.
const std::vector<int>& checked_sizes(const std::vector<int>& gpus);
/// The share of a GPU's memory to leave free.
double checked_margin(double margin);
/// Dollars of a GPU hour, 0 for none.
double checked_price(double usd_per_gpu_hour);

}  // namespace simtrain::api
