#include "sim/workload/plan/data/host_copy.h"

#include <cmath>

namespace simtrain {
namespace {

TransferCost host_copy(const NodeSpec& node, double bytes, Algorithm way) {
  TransferCost cost;
  cost.collective = Collective::none;
  cost.algorithm = way;
  cost.protocol = Protocol::copy_engine;
  cost.bytes = Bytes(std::llround(bytes));
  cost.wire = cost.bytes;
  cost.latency = node.host->copy_latency.value;
  cost.limit = node.host->gpu_bandwidth.value.value();
  cost.memory_traffic = 1;
  return cost;
}

}  // namespace

TransferCost copy_to_host(const NodeSpec& node, double bytes) {
  return host_copy(node, bytes, Algorithm::to_host);
}

TransferCost copy_from_host(const NodeSpec& node, double bytes) {
  return host_copy(node, bytes, Algorithm::from_host);
}

TransferCost host_update(const NodeSpec& node, double parameters) {
  TransferCost cost;
  cost.collective = Collective::none;
  cost.algorithm = Algorithm::cpu_adam;
  cost.protocol = Protocol::simple;
  cost.bytes = Bytes(std::llround(kHostAdamBytes * parameters));
  cost.wire = cost.bytes;
  cost.limit = node.host->adam_bandwidth.value.value() / node.gpus;
  return cost;
}

}  // namespace simtrain
