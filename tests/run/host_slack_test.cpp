// What a host that launches too late costs a layer, on timelines small enough to work out by hand.
#include "sim/run/host_slack.h"

#include <algorithm>
#include <random>

#include <doctest/doctest.h>

using namespace simtrain;

namespace {

/// Ops one after the other on the GPU, without gaps.
std::vector<HostOp> one_after_the_other(std::vector<HostOp> ops, const std::vector<double>& gpu_s) {
  double now = 0;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    ops[i].needed_s = now;
    now += gpu_s[i];
    ops[i].end_s = now;
  }
  return ops;
}

/// The time of the last of many layers: the host launches op by op, the GPU begins each when it is
/// launched and the one before has ended.
double layer_of_many(const std::vector<HostOp>& ops) {
  double host = 0;
  double gpu = 0;
  double layer_began = 0;
  for (int layer = 0; layer < 20; ++layer) {
    layer_began = gpu;
    for (const HostOp& op : ops) {
      host += op.host_s;
      gpu = std::max(gpu, host) + (op.end_s - op.needed_s);
      if (op.host_waits) host = gpu;
    }
  }
  return gpu - layer_began;
}

}  // namespace

TEST_CASE("a host that never waits costs what all launches take beyond the layer") {
  CHECK(host_slack({{1, 0, 4, false}, {2, 4, 5, false}}, 5) == 0);
  CHECK(host_slack({{1, 0, 0.5, false}, {2, 0.5, 1, false}}, 1) == 2);
}

TEST_CASE(
    "after a wait the queue is empty: the long kernel after the next launches hides nothing") {
  // The second op begins 2 after the wait, not at once; the third is long launched when it ends.
  const std::vector<HostOp> ops{{1, 0, 1, true}, {2, 1, 1.5, false}, {0.5, 1.5, 9, false}};
  CHECK(host_slack(ops, 9) == doctest::Approx(2));
}

TEST_CASE("a long kernel before the end of the layer hides the launches of the next") {
  const std::vector<HostOp> ops{{3, 0, 1, false}, {0.5, 1, 2, true}, {0.5, 2, 9, false}};
  CHECK(host_slack(ops, 9) == doctest::Approx(0.5));
}

TEST_CASE("slack is what the launches of many layers come to, launched one by one") {
  std::mt19937 random(20261124);
  std::uniform_real_distribution<double> time(0, 1);
  for (int tried = 0; tried < 500; ++tried) {
    std::vector<HostOp> ops(1 + random() % 8);
    std::vector<double> gpu_s;
    for (HostOp& op : ops) {
      op.host_s = random() % 3 == 0 ? 0 : time(random);
      op.host_waits = random() % 4 == 0;
      gpu_s.push_back(time(random));
    }
    ops[random() % ops.size()].host_waits = true;
    ops = one_after_the_other(ops, gpu_s);
    CHECK(ops.back().end_s + host_slack(ops, ops.back().end_s) ==
          doctest::Approx(layer_of_many(ops)));
  }
}
