#include <doctest/doctest.h>

#include "tests/cli/bad_edit.h"

namespace simtrain::testing::bad_faults_test {
namespace {

TEST_CASE("A fault names its device and how bad it is") {
  check_edits({
      {"placement: compact", "faults: [a]",
       "5:54: cluster.faults: must be a map of keys, found a list"},
      {"placement: compact", "faults: {gpu: []}",
       "5:55: cluster.faults.gpu: is not known here; did you mean 'gpus'?"},
      {"placement: compact", "faults: {gpus: [{host: 0, gpu: 1}]}",
       "5:62: cluster.faults.gpus[0].slowdown: is missing"},
      {"placement: compact", "faults: {gpus: [{host: 0, gpu: 1, slowdown: 0.5}]}",
       "5:90: cluster.faults.gpus[0].slowdown: '0.5' is out of range; 1 to 1000 would do"},
      {"placement: compact", "faults: {nics: [{host: 0, nic: 1, bandwidth_share: 1.5}]}",
       "5:97: cluster.faults.nics[0].bandwidth_share: '1.5' is out of range; 0 to 1 would do"},
  });
}

TEST_CASE("A fault is of a device that the cluster has, each once") {
  check_edits({
      {"placement: compact", "faults: {gpus: [{host: 4, gpu: 1, slowdown: 2}]}",
       "5:62: cluster.faults.gpus[0].host: '4' is no host of this cluster; known are node0, node1, "
       "node2, node3"},
      {"placement: compact", "faults: {gpus: [{host: 3, gpu: 8, slowdown: 2}]}",
       "5:62: cluster.faults.gpus[0].gpu: node3 has no GPU 8; they count from 0"},
      {"placement: compact", "faults: {nics: [{host: 3, nic: 8, bandwidth_share: 0.5}]}",
       "5:62: cluster.faults.nics[0].nic: node3 has no NIC 8; they count from 0"},
      {"placement: compact",
       "faults: {gpus: [{host: 1, gpu: 1, slowdown: 2}, {host: 1, gpu: 1, slowdown: 3}]}",
       "5:94: cluster.faults.gpus[1]: GPU 1 of node1 is given twice"},
  });
}

TEST_CASE("A fault that comes and goes has times with units, and its device at all times") {
  check_edits({
      {"placement: compact", "faults: {gpus: [{host: 0, gpu: 1, slowdown: 2, start: 5}]}",
       "5:100: cluster.faults.gpus[0].start: '5' needs one of the units ps, ns, us, ms, s, min, h"},
      {"placement: compact", "faults: {gpus: [{host: 0, gpu: 1, slowdown: 2, for: -5 s}]}",
       "5:98: cluster.faults.gpus[0].for: '-5 s' is negative"},
      {"placement: compact", "faults: {nics: [{host: 0, nic: 1, bandwidth_share: 0, end: 5 s}]}",
       "5:100: cluster.faults.nics[0].end: is not known here; known are host, nic, "
       "bandwidth_share, start, for"},
      {"placement: compact",
       "faults: {gpus: [{host: 4, gpu: 1, slowdown: 2, start: 1 s, for: 0 s}]}",
       "5:62: cluster.faults.gpus[0].host: '4' is no host of this cluster; known are node0, node1, "
       "node2, node3"},
      {"placement: compact",
       "faults: {gpus: [{host: 1, gpu: 1, slowdown: 2, for: 2 s}, {host: 1, gpu: 1, slowdown: 3, "
       "start: 1 s}]}",
       "5:104: cluster.faults.gpus[1]: GPU 1 of node1 is given twice"},
  });
}

}  // namespace
}  // namespace simtrain::testing::bad_faults_test
