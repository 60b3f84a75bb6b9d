#pragma once

#include <string>
#include <vector>

#include "sim/study/nccl/nccl_sweep.h"

namespace simtrain {

/// The head of a table of NCCL calls.
struct NcclTableHead {
  std::string cluster;  ///< name and description
  std::string gpu;
  int nodes = 1;
  NcclSettings settings;
  NcclSweepRequest request;
};

/// A table in the format of nccl-tests, which scripts that read its output read: size, count, type,
/// redop, root, and time, algbw, busbw twice, since in place and out of place are predicted alike.
/// Comment lines name what was chosen for which sizes.
std::string nccl_table(const NcclTableHead& head, const std::vector<NcclSweepRow>& rows);

/// The same as JSON, schema `simtrain.nccl/1`.
std::string nccl_json(const NcclTableHead& head, const std::vector<NcclSweepRow>& rows);

}  // namespace simtrain
