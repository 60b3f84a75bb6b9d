#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/study/nccl/nccl_tests_validation.h"
#include "sim/study/nccl/nccl_validation.h"

namespace simtrain {

/// A measured time of nccl-tests as a point of a curve.
CurvePoint point_of(const PredictedTest& test, const PredictedTestRow& row,
                    const NcclTestTime& time);

/// All times of a test, by size: out of place, then in place.
std::vector<CurvePoint> points_of(const PredictedTest& test);

/// How many values came out wrong.
std::int64_t wrong_values(const PredictedTest& test);

/// What speaks against a test, a sentence each.
std::vector<std::string> caveats_of(const PredictedTest& test);

/// "all_reduce on 16 GPUs of 2 nodes, dgx-superpod-h100".
std::string test_name(const PredictedTest& test, std::string_view operation);

/// The NCCL that is predicted, and where its version is from.
std::string nccl_words(const PredictedTest& test);

}  // namespace simtrain
