#pragma once

#include "sim/job/specs/storage_spec.h"
#include "sim/run/scenario/job_spec.h"
#include "sim/run/scenario/scenario.h"

namespace simtrain {

/// Bytes of one parameter in a checkpoint.
struct FormatBytes {
  double weight = 0;     ///< that the model runs with
  double optimizer = 0;  ///< main weight and both moments
};

/// torch_dist (Megatron's distributed checkpoints) and deepspeed: a BF16 weight, and FP32 main
/// weight, exp_avg and exp_avg_sq: 14 bytes. torch_dcp (torchtitan, FSDP2): weights are FP32 and
/// main weights at once: 12 bytes.
FormatBytes bytes_of(CheckpointFormat format);

/// What a checkpoint holds, and how many take part in writing and reading it.
struct CheckpointShape {
  double bytes = 0;            ///< of the whole job
  double weight_bytes = 0;     ///< of these the model's
  double optimizer_bytes = 0;  ///< the optimizer's
  double frozen_bytes = 0;     ///< of the model it was tuned from, beside them: loaded, not saved
  int gpus = 0;
  int nodes = 0;
  int writers = 0;  ///< GPUs that write
  int writing_nodes = 0;
  double copied = 0;     ///< by each GPU that writes
  double read_each = 0;  ///< by each GPU
};

/// Frozen weights are in none; they are loaded in BF16 from where the model came from. Without
/// fully parallel saving the ranks that hold one copy of the weights write all. Without fully
/// parallel loading every rank reads all weights that it keeps (of sharded parameters its shard),
/// and the part of the optimizer's state that it keeps; with it no byte is read twice (what
/// replicas then send each other takes well below a second and is left out).
CheckpointShape checkpoint_shape(const Scenario& scenario, const CheckpointSpec& spec);

/// How long checkpoints of a shape take on a storage.
struct CheckpointCost {
  double copy_s = 0;               ///< state from GPUs to host memory
  double write_s = 0;              ///< from there to the storage
  double drain_s = 0;              ///< from there to the one that it drains to
  double load_s = 0;               ///< read and copied to the GPUs
  double host_bytes_per_node = 0;  ///< while it is written, but for what is kept
  double kept_bytes_per_node = 0;  ///< in host memory, where the storage is that
  double load_bytes_per_gpu = 0;   ///< beside the model's own state while it is loaded
  double network_s = 0;            ///< for which it moves over the NICs of training
  double node_rate = 0;            ///< bytes/s that each node that writes moves over them

  /// Training is stalled for so long.
  [[nodiscard]] double stall_s(bool async) const { return async ? copy_s : copy_s + write_s; }
  /// From the beginning until it can be loaded.
  [[nodiscard]] double saved_s() const { return copy_s + write_s; }
};

/// `staging` is the memory of the hosts, through which all state goes; `drain` where the storage
/// drains to, if anywhere; `node_nics` what all NICs of a node have, which loads over the network
/// of training do not exceed (saves: NetworkUse).
CheckpointCost checkpoint_cost(const CheckpointShape& shape, const StorageSpec& storage,
                               const StorageSpec& staging, const StorageSpec* drain,
                               Bandwidth node_nics);

}  // namespace simtrain
