// What holds for every file of hardware/ that describes machines.
#include <doctest/doctest.h>

#include "sim/topology/specs/gpu_fields.h"
#include "tests/topology/clusters.h"

namespace simtrain::testing::hardware_files_test {

namespace {

GpuSpec gpu(const std::string& name) {
  return data_folder().load<GpuSpec>("hardware/gpus", name, {}, "");
}

std::vector<GpuSpec> gpus() {
  std::vector<GpuSpec> all;
  for (const std::string& name : data_folder().names("hardware/gpus")) all.push_back(gpu(name));
  return all;
}

}  // namespace

TEST_CASE("no kernel of any GPU is faster than the dense peak, nor long runs than short ones") {
  for (const GpuSpec& one : gpus()) {
    CAPTURE(one.name);
    for (const GemmRate& rate : one.gemm.rates) {
      CAPTURE(name_of(rate.data_type));
      CHECK(rate.sustained <= rate.burst);
      CHECK(rate.burst <= one.peak(rate.data_type));
    }
    for (const AttentionSpec& attention : one.attention)
      CHECK(attention.rate <= one.peak(DataType::bf16));
  }
}

TEST_CASE("every GPU has numbers of a communication library, and no rate of it beats the links") {
  for (const GpuSpec& one : gpus()) {
    CAPTURE(one.name);
    CHECK(one.has_nccl() != one.rccl.has_value());
    CHECK(one.nvlink.copy_engine_bandwidth.value <= one.nvlink.bandwidth.value);
    if (!one.has_nccl()) continue;
    CHECK(one.nccl.simple.bandwidth <= one.nvlink.bandwidth.value);
    CHECK(one.nccl.pair.bandwidth <= one.nvlink.bandwidth.value);
    CHECK(one.nccl.ll.bandwidth <= one.nccl.simple.bandwidth);
  }
}

TEST_CASE("a GPU whose rates are not measured names where they are from") {
  for (const GpuSpec& one : gpus()) {
    CAPTURE(one.name);
    if (one.kernels.value == KernelKnowledge::measured) continue;
    CHECK(one.kernels.source.size() > 10);
    for (const GemmRate& rate : one.gemm.rates) CHECK(!rate.source.empty());
  }
  CHECK(gpu("h100-sxm").kernels.value == KernelKnowledge::measured);
  CHECK(gpu("h800-sxm").kernels.value == KernelKnowledge::derived);
  CHECK(gpu("mi300x").kernels.value == KernelKnowledge::assumed);
}

TEST_CASE("every cluster is built, and its links carry what its files give") {
  for (const std::string& name : data_folder().names("hardware/clusters")) {
    CAPTURE(name);
    const Cluster cluster = simtrain::testing::cluster(name, 2);
    CHECK(cluster.gpus() == cluster.spec().gpus());
    for (const double capacity : cluster.capacities()) CHECK(capacity > 0);
    const Route far = cluster.route(0, cluster.gpus() - 1);
    CHECK(!far.links.empty());
    CHECK(far.latency > Duration(0));
  }
}

}  // namespace simtrain::testing::hardware_files_test
