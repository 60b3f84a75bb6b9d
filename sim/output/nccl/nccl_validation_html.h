#pragma once

#include <string>
#include <vector>

#include "sim/study/nccl/nccl_tests_validation.h"
#include "sim/study/nccl/nccl_validation.h"

namespace simtrain {

/// Measured calls against predictions as one page: errors by size, and how large they are by
/// machine and collective.
std::string nccl_validation_html(const std::vector<CurvePoint>& points);

/// Output of nccl-tests against predictions: errors by size, and each test size by size.
std::string nccl_tests_html(const std::vector<PredictedTest>& tests,
                            const std::vector<NcclTestsLog>& logs);

}  // namespace simtrain
