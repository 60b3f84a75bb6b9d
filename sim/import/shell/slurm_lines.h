#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace simtrain {

/// What `#SBATCH` lines of a script ask for, as the variables that Slurm gives the job:
/// SLURM_NNODES, SLURM_JOB_NUM_NODES, SLURM_NTASKS_PER_NODE, SLURM_NTASKS, SLURM_GPUS_PER_NODE and
/// SLURM_GPUS_ON_NODE. `nodes` takes the place of the number of nodes that they say.
std::map<std::string, std::string> slurm_variables(std::string_view script,
                                                   std::optional<int> nodes);

/// The nodes that `#SBATCH` lines ask for, or without such a line `srun`; none where they are no
/// number or a range.
std::optional<int> slurm_nodes(std::string_view script);

}  // namespace simtrain
