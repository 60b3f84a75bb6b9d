#pragma once

#include <string>
#include <vector>

#include "sim/study/nccl/nccl_tests_validation.h"

namespace simtrain {

/// Each test with its sizes: measured out of place and in place, predicted, the errors; and what
/// speaks against it: wrong values, other GPUs than the cluster's.
std::string nccl_tests_text(const std::vector<PredictedTest>& tests,
                            const std::vector<NcclTestsLog>& logs);

/// The same as JSON, schema `simtrain.nccl-validation/1`: `points` as of the published curves, one
/// for out of place and one for in place, and `tests`.
std::string nccl_tests_json(const std::vector<PredictedTest>& tests,
                            const std::vector<NcclTestsLog>& logs);

}  // namespace simtrain
