// What a host that launches too late costs a layer, on timelines small enough to work out by hand.
#include "sim/run/pieces/host_slack.h"

#include <algorithm>
#include <random>

#include <doctest/doctest.h>

namespace simtrain::testing::host_slack_test {

namespace {

constexpr HostTask wait_until(double end) { return {.waits = true, .until_s = end}; }

/// A layer on a GPU that runs op after op without gaps: the host's tasks, of launches how long the
/// op takes, of waits which op they are for.
struct Layer {
  std::vector<HostTask> tasks;
  std::vector<double> gpu_s;
  std::vector<std::size_t> of_op;
  double end_s = 0;
};

/// Waits are for an op that has been launched before, of the same layer.
Layer drawn_layer(std::mt19937& random) {
  std::uniform_real_distribution<double> time(0, 1);
  Layer layer;
  std::vector<double> ends;
  const std::size_t count = 2 + random() % 8;
  for (std::size_t i = 0; i < count; ++i) {
    const bool waits = !ends.empty() && random() % 3 == 0;
    const std::size_t op = waits ? random() % ends.size() : ends.size();
    if (waits) {
      layer.tasks.push_back(wait_until(ends[op]));
    } else {
      layer.tasks.push_back(
          {.host_s = random() % 3 == 0 ? 0 : time(random), .needed_s = layer.end_s});
      layer.gpu_s.push_back(time(random));
      layer.end_s += layer.gpu_s.back();
      ends.push_back(layer.end_s);
    }
    layer.of_op.push_back(op);
  }
  return layer;
}

/// The mean time of a layer among many: the host launches op by op, the GPU begins each when it is
/// launched and the one before has ended.
double mean_of_many(const Layer& layer) {
  constexpr int kLayers = 4000;
  double host = 0;
  double gpu = 0;
  double first = 0;
  for (int number = 0; number < 2 * kLayers; ++number) {
    if (number == kLayers) first = gpu;
    std::vector<double> ends;
    for (std::size_t i = 0; i < layer.tasks.size(); ++i) {
      const HostTask& task = layer.tasks[i];
      host = task.waits ? std::max(host, ends[layer.of_op[i]]) : host + task.host_s;
      if (task.waits) continue;
      gpu = std::max(gpu, host) + layer.gpu_s[ends.size()];
      ends.push_back(gpu);
    }
  }
  return (gpu - first) / kLayers;
}

}  // namespace

TEST_CASE("What the host launches in all counts no waits") {
  CHECK(launches_s({}) == 0);
  CHECK(launches_s({{.host_s = 1}, wait_until(9), {.host_s = 2}}) == 3);
}

TEST_CASE("a host that never waits costs what all launches take beyond the layer") {
  CHECK(host_slack({{1, 0}, {2, 4}}, 5) == 0);
  CHECK(host_slack({{1, 0}, {2, 0.5}}, 1) == 2);
}

TEST_CASE("after a wait the queue is empty: the long kernel behind the next one hides nothing") {
  // The second op begins 2 after the wait, not at once; the third is long launched when it ends.
  const std::vector<HostTask> tasks{{1, 0}, wait_until(1), {2, 1}, {0.5, 1.5}};
  CHECK(host_slack(tasks, 9) == doctest::Approx(2));
}

TEST_CASE("a long kernel before the end of the layer hides the launches of the next") {
  const std::vector<HostTask> tasks{{3, 0}, {0.5, 1}, wait_until(2), {0.5, 2}};
  CHECK(host_slack(tasks, 9) == doctest::Approx(0.5));
}

TEST_CASE("what was launched before a wait hides what is launched behind it") {
  // While the second op runs, 3 long, the host waits for the first and launches the third.
  const std::vector<HostTask> tasks{{0.5, 0}, {0.5, 1}, wait_until(1), {2, 4}};
  CHECK(host_slack(tasks, 9) == doctest::Approx(0));
}

TEST_CASE("slack is what the launches of many layers come to, launched one by one") {
  std::mt19937 random(20261124);
  int waits = 0;
  for (int tried = 0; tried < 500; ++tried) {
    const Layer layer = drawn_layer(random);
    const bool any = std::any_of(layer.tasks.begin(), layer.tasks.end(),
                                 [](const HostTask& task) { return task.waits; });
    waits += any ? 1 : 0;
    CHECK(layer.end_s + host_slack(layer.tasks, layer.end_s) ==
          doctest::Approx(mean_of_many(layer)).epsilon(any ? 1e-9 : 2e-3));
  }
  CHECK(waits > 250);
}

}  // namespace simtrain::testing::host_slack_test
