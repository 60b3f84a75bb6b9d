#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/input/number_range.h"
#include "sim/run/analysis/nccl_calls.h"

namespace simtrain {

/// Writes what ranks call of NCCL in a step, in the order in which their hosts call it and in the
/// wording of NCCL_DEBUG=INFO with NCCL_DEBUG_SUBSYS=INIT,COLL,P2P; packed where the path ends in
/// .gz. Behind each rank's calls comes their summary, in lines that begin with #. Buffers and
/// streams have no addresses here. Without `ranks` the busiest one, whose communication the report
/// shows. Throws InputError at ranks that the job does not have and where the file cannot be
/// written.
void write_nccl_trace(const SimulatedStep& simulated, const std::string& path,
                      const std::optional<std::vector<NumberRange>>& ranks);

/// Whether a file that starts so, unpacked, is one of these.
bool is_own_nccl_trace(std::string_view start);

}  // namespace simtrain
