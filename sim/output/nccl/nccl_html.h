#pragma once

#include <string>
#include <vector>

#include "sim/measured/nccl/nccl_tests_log.h"
#include "sim/output/nccl/nccl_table.h"

namespace simtrain {

/// What nccl-tests measured of the calls that a page shows.
struct MeasuredCurve {
  std::string name;  ///< of the file
  NcclTest test;
};

/// A table of NCCL calls as one HTML page without other files: bus bandwidth by size, what was
/// chosen, and measured points beside it. Sizes that were measured and are of the table show by how
/// much the prediction is off.
std::string nccl_html(const NcclTableHead& head, const std::vector<NcclSweepRow>& rows,
                      const std::vector<MeasuredCurve>& measured);

}  // namespace simtrain
