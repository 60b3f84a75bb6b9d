#pragma once

#include <string>

#include <boost/program_options.hpp>

#include "sim/app/command.h"
#include "sim/collectives/libraries/nccl/nccl_settings.h"
#include "sim/topology/cluster.h"

namespace simtrain {

/// Adds what says how NCCL is built and told to behave: --software, --nccl-version, --algo, ...
void add_nccl_options(boost::program_options::options_description& options);

/// What these options say; without --software and --nccl-version NCCL of version `usual` as it
/// comes. Throws InputError at words that they do not know.
NcclSettings nccl_settings(const CommandCall& call,
                           const boost::program_options::variables_map& values,
                           const NcclVersion& usual);

/// The collective of `--op`: all_reduce, alltoall, sendrecv, ... Throws InputError at other words.
Collective named_operation(const std::string& word);

/// GPUs in all and the nodes over which they are spread evenly.
struct NcclExtent {
  int nodes = 1;
  int gpus = 1;
};

/// The nodes of a cluster that so many ranks need. Throws InputError, under --gpus or --nodes,
/// where it cannot have them.
Cluster nccl_cluster(const CommandCall& call, const std::string& name, const NcclExtent& extent);

}  // namespace simtrain
