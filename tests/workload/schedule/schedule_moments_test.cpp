#include <algorithm>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include "sim/workload/schedule/schedule.h"

namespace simtrain::testing::schedule_moments_test {
namespace {

/// Of a stage: every task together with what is held while it runs, by chunk how many forwards are
/// not gone backward and how many weight gradients wait.
using Moment = std::tuple<Phase, int, std::vector<int>>;

std::set<Moment> moments_of(const PipelineShape& shape, int stage) {
  std::set<Moment> moments;
  std::vector<int> held(2 * static_cast<std::size_t>(shape.chunks * shape.copies()));
  for (const Task& task : PipelineStage(shape, stage).tasks()) {
    moments.emplace(task.phase, task.chunk, held);
    const std::size_t place = 2 * static_cast<std::size_t>(task.chunk);
    if (task.forward()) ++held[place];
    if (task.sends_gradient()) --held[place];
    if (task.phase == Phase::input_gradient) ++held[place + 1];
    if (task.phase == Phase::weight_gradient) --held[place + 1];
  }
  return moments;
}

TEST_CASE("fewer micro-batches have every moment of many") {
  std::mt19937 random(20261125);
  const auto draw = [&](int least, int most) {
    return std::uniform_int_distribution(least, most)(random);
  };
  int fewer = 0;
  for (const ScheduleRow& row : schedule_rows()) {
    for (int round = 0; round < 60; ++round) {
      PipelineShape shape{draw(1, 9), std::clamp(draw(1, 4), row.least_chunks, row.most_chunks),
                          draw(1, 200), row.kind};
      if (row.takes_groups && draw(0, 1) == 1) shape.micro_batch_group = shape.stages + draw(0, 3);
      shape.combined = row.combines && draw(0, 1) == 1;
      if (row.refusal != nullptr && row.refusal(shape)) continue;
      const PipelineShape short_one = with_every_moment(shape);
      CAPTURE(row.meaning);
      CAPTURE(shape.stages);
      CAPTURE(shape.chunks);
      CAPTURE(shape.micro_batches);
      CAPTURE(short_one.micro_batches);
      REQUIRE((row.refusal == nullptr || !row.refusal(short_one)));
      CHECK((row.bounded || short_one.micro_batches == shape.micro_batches));
      if (short_one.micro_batches < shape.micro_batches) ++fewer;
      for (int stage = 0; stage < shape.stages; ++stage)
        REQUIRE(moments_of(short_one, stage) == moments_of(shape, stage));
    }
  }
  CHECK(fewer > 100);
}

}  // namespace
}  // namespace simtrain::testing::schedule_moments_test
