// Uniform pipelines with messages that cost nothing show the textbook bubble, (PP-1)/(VP m)
// (Narayanan et al., Efficient Large-Scale Language Model Training on GPU Clusters, 2021).
#include <doctest/doctest.h>

#include "sim/run/engine/executor.h"
#include "sim/run/pieces/critical_path.h"
#include "sim/workload/schedule/schedule.h"
#include "tests/run/plans.h"

namespace simtrain::testing::bubble_test {

namespace {

struct Pipeline {
  int stages;
  int chunks;
  int micro_batches;
};

constexpr Duration kForward = std::chrono::milliseconds(10);
constexpr Duration kBackward = std::chrono::milliseconds(20);

/// Every stage runs its schedule; sends and receives have neither bytes nor latency.
HandMade uniform(const Pipeline& shape) {
  HandMade made;
  std::vector<std::uint32_t> ranks;
  for (int stage = 0; stage < shape.stages; ++stage) ranks.push_back(made.rank(stage));
  for (std::size_t stage = 0; stage < ranks.size(); ++stage) {
    const std::uint32_t next = ranks[(stage + 1) % ranks.size()];
    made.pair(GroupKind::to_next, ranks[stage], next);
    made.pair(GroupKind::to_previous, next, ranks[stage]);
  }
  const auto nothing = HandMade::bytes(0, 0);
  for (int stage = 0; stage < shape.stages; ++stage) {
    const std::uint32_t rank = ranks[static_cast<std::size_t>(stage)];
    for (const Task& action :
         PipelineStage({shape.stages, shape.chunks, shape.micro_batches}, stage).tasks()) {
      const bool forward = action.forward();
      const bool starts = stage == 0 && action.chunk == 0;
      const bool ends = stage + 1 == shape.stages && action.chunk + 1 == shape.chunks;
      std::uint32_t received = kNoOp;
      if (forward ? !starts : !ends) {
        received =
            made.transfer(rank, forward ? Stream::receive_forward : Stream::receive_backward,
                          forward ? GroupKind::from_previous : GroupKind::from_next, nothing);
      }
      const std::uint32_t pass = made.compute(rank, forward ? kForward : kBackward, {received});
      if (forward ? !ends : !starts) {
        made.transfer(rank, forward ? Stream::send_forward : Stream::send_backward,
                      forward ? GroupKind::to_next : GroupKind::to_previous, nothing, {pass});
      }
    }
  }
  return made;
}

void check(const Pipeline& shape) {
  CAPTURE(shape.stages);
  CAPTURE(shape.chunks);
  CAPTURE(shape.micro_batches);
  const HandMade made = uniform(shape);
  const Timeline timeline = execute(made.plan);
  const Duration busy = (kForward + kBackward) * shape.micro_batches * shape.chunks;
  const Duration bubble = (kForward + kBackward) * (shape.stages - 1);
  CHECK(timeline.end == busy + bubble);
  const Breakdown breakdown = path_breakdown(
      made.plan, timeline, critical_path(made.plan, timeline), busiest_rank(made.plan, timeline));
  CHECK(part(breakdown, Share::bubble) == doctest::Approx(to_seconds(bubble)));
}

}  // namespace

TEST_CASE("uniform 1F1B has a bubble of (PP - 1) / m") {
  for (const Pipeline& shape : {Pipeline{1, 1, 5}, Pipeline{2, 1, 4}, Pipeline{4, 1, 4},
                                Pipeline{4, 1, 16}, Pipeline{8, 1, 9}, Pipeline{16, 1, 32}}) {
    check(shape);
  }
}

TEST_CASE("uniform interleaved 1F1B has a bubble of (PP - 1) / (VP m)") {
  for (const Pipeline& shape : {Pipeline{2, 2, 4}, Pipeline{4, 2, 8}, Pipeline{4, 5, 64},
                                Pipeline{8, 12, 16}, Pipeline{8, 8, 64}, Pipeline{14, 9, 28}}) {
    check(shape);
  }
}

}  // namespace simtrain::testing::bubble_test
