#pragma once

#include <string>
#include <string_view>

#include "sim/collectives/names.h"
#include "sim/core/files/data_folder.h"
#include "sim/topology/cluster.h"

namespace simtrain {

/// GPUs in all and the nodes over which they are spread evenly.
struct NcclExtent {
  int nodes = 1;
  int gpus = 1;
};

/// The nodes of a cluster that so many ranks need. Messages call the two numbers `prefix` with
/// "gpus" and "nodes". Throws InputError where it cannot have them or does not run NCCL.
Cluster nccl_cluster(const DataFolder& data, const std::string& name, const NcclExtent& extent,
                     const std::string& prefix);

/// Letters and digits in small letters, as NCCL_ALGO takes its words.
std::string plain_word(std::string_view word);

/// The collective of a word: all_reduce, alltoall, sendrecv, ... Throws InputError at `key` at
/// other words.
Collective named_operation(const std::string& word, const std::string& key);

}  // namespace simtrain
