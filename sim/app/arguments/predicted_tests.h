#pragma once

#include <vector>

#include <boost/program_options.hpp>

#include "sim/app/command.h"
#include "sim/study/nccl/nccl_tests_validation.h"

namespace simtrain {

/// The tests of a log beside what is predicted on --cluster. GPUs, nodes, operation and NCCL are
/// those of the options where these are given (--gpus, --nodes, --op, `kNcclOptions`), else of the
/// log. Throws InputError where neither says one, or --cluster is missing.
std::vector<PredictedTest> predicted_tests(const CommandCall& call,
                                           const boost::program_options::variables_map& values,
                                           const NcclTestsLog& log);

}  // namespace simtrain
