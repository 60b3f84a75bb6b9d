#include <doctest/doctest.h>

#include "tests/cli/bad_edit.h"
#include "tests/core/checkout.h"

namespace simtrain::testing::bad_placement_test {
namespace {

TEST_CASE("A placement is a known word or a map of its keys") {
  check_edits({
      {"placement: compact", "placement: {}", "5:57: cluster.placement.kind: is missing"},
      {"placement: compact", "placement: {kind: randon}",
       "5:64: cluster.placement.kind: 'randon' is not known here; did you mean 'random'?"},
      {"placement: compact", "placement: {kind: compact, sed: 1}",
       "5:73: cluster.placement.sed: is not known here; did you mean 'seed'?"},
      {"placement: compact", "rank_order: by-node",
       "5:58: cluster.rank_order: 'by-node' is not known here; known are by-host, round-robin, "
       "sorted-hosts"},
  });
}

TEST_CASE("A placement has the keys that its kind needs, and no other") {
  check_edits({
      {"placement: compact", "placement: random",
       "5:57: cluster.placement.seed: is missing; placement random needs it"},
      {"placement: compact", "placement: {kind: random, seed: -1}",
       "5:78: cluster.placement.seed: '-1' is out of range; 0 to 1000000000 would do"},
      {"placement: compact", "placement: {kind: spread, seed: 7}",
       "5:78: cluster.placement.seed: does not apply to placement spread"},
      {"placement: compact", "placement: {kind: random, seed: 7, free: 0.5}",
       "5:87: cluster.placement.free: does not apply to placement random"},
      {"placement: compact", "placement: {kind: fragmented, seed: 7}",
       "5:57: cluster.placement.free: is missing; placement fragmented needs it"},
      {"placement: compact", "placement: {kind: fragmented, seed: 7, free: 60}",
       "5:91: cluster.placement.free: '60' is out of range; 0 to 1 would do"},
      {"placement: compact", "placement: hosts",
       "5:57: cluster.placement.hosts: is missing; placement hosts needs it"},
  });
}

TEST_CASE("A job gets hosts that there are, each once") {
  check_edits({
      {"placement: compact", "available_nodes: 3",
       "5:63: cluster.available_nodes: 3 is fewer than the 4 nodes of the job"},
      {"placement: compact", "available_nodes: 1025",
       "5:63: cluster.available_nodes: 1025 is more than the 1024 nodes that dgx-superpod-h100 "
       "has"},
      {"placement: compact", "placement: {kind: hosts, hosts: [0, 1, 2, 4]}",
       "5:57: cluster.placement: '4' is no host; there are 0 to 3"},
      {"placement: compact", "placement: {kind: hosts, hosts: [0, 1, 2, 0]}",
       "5:57: cluster.placement: '0' is given twice"},
      {"placement: compact", "placement: {kind: hosts, hosts: [0, 1]}",
       "5:57: cluster.placement: lists 2 hosts for a job of 4 nodes"},
      {"placement: compact", "placement: {kind: fragmented, seed: 1, free: 0.5}",
       "5:57: cluster.placement: leaves 2 of 4 hosts free, too few for 4 nodes"},
  });
}

TEST_CASE("Segments divide a job and lie in NVLink domains") {
  check_edits({
      {"placement: compact", "placement: {kind: compact, segment: 0}",
       "5:82: cluster.placement.segment: '0' is out of range; 1 to 1000000 would do"},
      {"placement: compact", "placement: {kind: random, seed: 1, segment: 1}",
       "5:90: cluster.placement.segment: does not apply to placement random"},
      {"placement: compact", "placement: {kind: compact, segment: 2}",
       "5:57: cluster.placement: has segments of 2 nodes, more than the 1 of an NVLink domain"},
      {"name: dgx-superpod-h100, nodes: 4, placement: compact",
       "name: dgx-superpod-gb200, nodes: 4, placement: {kind: compact, segment: 3}",
       "5:58: cluster.placement: has segments of 3 nodes, which do not divide the job's 4; 6 nodes "
       "would do"},
  });
}

TEST_CASE("A stack runs on GPUs that its library knows") {
  check_edits({
      {"dgx-superpod-h100", "oci-mi300x",
       "6:11: software: nemo-25.02 runs nccl, of which hardware/gpus/mi300x.yaml has no numbers"},
      {"model: llama3.1-8b", "model: llama3.1-8b\nrccl: {msccl: false}",
       "8:7: rccl: is of a library that nemo-25.02 does not run; it runs nccl"},
  });
  const std::string amd = source_dir() + "/scenarios/llama31_mi300x.yaml";
  const Outcome outcome =
      run_simtrain({"run", amd, "--row", "70b-8", "--set", "overlap.tp_comm_overlap=true", "--set",
                    "overlap.tp_comm_overlap_table=te-default"});
  CHECK(outcome.status == 2);
  CHECK(outcome.err.find("overlap.tp_comm_overlap: is of user buffers beside NCCL, which "
                         "megatron-rocm-2025 does not run; false would do") != std::string::npos);
}

}  // namespace
}  // namespace simtrain::testing::bad_placement_test
