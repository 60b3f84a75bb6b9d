// Megatron core pipeline_parallel/schedules.py; kernels.md 4.6.
#include "sim/workload/schedule/schedule.h"

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace simtrain::testing::schedule_test {

namespace {

using Pass = std::pair<int, int>;  ///< micro-batch, chunk

using Shape = PipelineShape;

/// Shapes that a recipe may have: interleaved only over several stages, micro-batches in whole
/// groups.
Shape random_shape(std::mt19937_64& random) {
  const auto upto = [&](int most) {
    return 1 + static_cast<int>(random() % static_cast<unsigned>(most));
  };
  const int stages = upto(9);
  const int chunks = stages == 1 ? 1 : upto(5);
  return {stages, chunks, chunks > 1 ? stages * upto(4) : upto(20)};
}

std::vector<Task> schedule(const Shape& shape, int stage) {
  return PipelineStage(shape, stage).tasks();
}

/// Forward passes of a stage before its first backward: its warm-up and one.
int before_backward(const Shape& shape, int stage) {
  int forwards = 0;
  for (const Task& task : schedule(shape, stage)) {
    if (!task.forward()) break;
    ++forwards;
  }
  return forwards;
}

std::vector<Pass> passes(const std::vector<Task>& actions, Phase phase) {
  std::vector<Pass> result;
  for (const Task& action : actions) {
    if (action.phase == phase) result.emplace_back(action.micro_batch, action.chunk);
  }
  return result;
}

/// Where a pass of `stage` hands its result: nowhere after the last stage's last chunk (forward) or
/// the first stage's first (backward).
bool hands_on(const Shape& shape, int stage, const Task& action) {
  if (action.forward()) return stage + 1 < shape.stages || action.chunk + 1 < shape.chunks;
  return stage > 0 || action.chunk > 0;
}

/// A pass that takes from its neighbour what another pass of it made.
bool takes(const Shape& shape, int stage, const Task& action) {
  if (action.forward()) return stage > 0 || action.chunk > 0;
  return stage + 1 < shape.stages || action.chunk + 1 < shape.chunks;
}

/// The pass of the neighbouring stage that takes what this one hands on.
Task taker(const Shape& shape, int stage, Task action) {
  const bool forward = action.forward();
  if (forward && stage + 1 == shape.stages) ++action.chunk;
  if (!forward && stage == 0) --action.chunk;
  return action;
}

std::vector<Pass> sent(const Shape& shape, int stage, Phase phase) {
  std::vector<Pass> result;
  for (const Task& action : schedule(shape, stage)) {
    if (action.phase != phase || !hands_on(shape, stage, action)) continue;
    const Task other = taker(shape, stage, action);
    result.emplace_back(other.micro_batch, other.chunk);
  }
  return result;
}

std::vector<Pass> received(const Shape& shape, int stage, Phase phase) {
  std::vector<Pass> result;
  for (const Task& action : schedule(shape, stage)) {
    if (action.phase == phase && takes(shape, stage, action))
      result.emplace_back(action.micro_batch, action.chunk);
  }
  return result;
}

/// Simulates the schedules of all stages against each other; true where every pass gets its turn.
bool comes_to_an_end(const Shape& shape) {
  std::vector<std::vector<Task>> actions;
  for (int stage = 0; stage < shape.stages; ++stage) actions.push_back(schedule(shape, stage));
  std::vector<std::size_t> next(actions.size(), 0);
  std::set<std::tuple<int, bool, int, int>> arrived;
  bool moved = true;
  while (moved) {
    moved = false;
    for (int stage = 0; stage < shape.stages; ++stage) {
      const auto at = static_cast<std::size_t>(stage);
      while (next[at] < actions[at].size()) {
        const Task& action = actions[at][next[at]];
        const bool forward = action.forward();
        if (takes(shape, stage, action) &&
            !arrived.contains({stage, forward, action.micro_batch, action.chunk}))
          break;
        if (hands_on(shape, stage, action)) {
          const Task other = taker(shape, stage, action);
          const int goal = (stage + (forward ? 1 : -1) + shape.stages) % shape.stages;
          arrived.insert({goal, forward, other.micro_batch, other.chunk});
        }
        ++next[at];
        moved = true;
      }
    }
  }
  for (std::size_t stage = 0; stage < actions.size(); ++stage) {
    if (next[stage] < actions[stage].size()) return false;
  }
  return true;
}

template <class Check>
void for_random_shapes(int cases, const Check& check) {
  constexpr std::uint64_t kSeed = 20250611;
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < cases; ++i) {
    const Shape shape = random_shape(random);
    INFO("seed ", kSeed, ", case ", i, ": ", shape.stages, " stages, ", shape.chunks, " chunks, ",
         shape.micro_batches, " micro-batches");
    check(shape);
  }
}

}  // namespace

TEST_CASE("without interleaving a stage warms up with one pass for each stage after it") {
  CHECK(before_backward({8, 1, 16}, 0) == 7 + 1);
  CHECK(before_backward({8, 1, 16}, 3) == 4 + 1);
  CHECK(before_backward({8, 1, 16}, 7) == 0 + 1);
}

TEST_CASE(
    "interleaved, a stage warms up with two passes for each stage after it and its earlier "
    "chunks") {
  CHECK(before_backward({8, 12, 16}, 0) == 2 * 7 + 11 * 8 + 1);
  CHECK(before_backward({8, 12, 16}, 7) == 11 * 8 + 1);
  CHECK(before_backward({14, 9, 1008}, 5) == 2 * 8 + 8 * 14 + 1);
}

TEST_CASE("a stage never warms up with more passes than there are") {
  CHECK(before_backward({8, 1, 3}, 0) == 3);
  CHECK(before_backward({4, 2, 4}, 0) == 8);
  CHECK(before_backward({8, 2, 8}, 0) == 16);
}

TEST_CASE("one stage alternates forward and backward") {
  const auto actions = schedule({1, 1, 3}, 0);
  REQUIRE(actions.size() == 6);
  for (std::size_t i = 0; i < actions.size(); ++i) {
    CHECK(actions[i].phase == (i % 2 == 0 ? Phase::forward : Phase::backward));
    CHECK(actions[i].micro_batch == static_cast<int>(i / 2));
  }
}

TEST_CASE("1F1B of the second of three stages is as written out by hand") {
  const auto actions = schedule({3, 1, 4}, 1);
  std::string text;
  for (const Task& action : actions) {
    text += (action.forward() ? "F" : "B") + std::to_string(action.micro_batch) + " ";
  }
  CHECK(text == "F0 F1 B0 F2 B1 F3 B2 B3 ");
}

TEST_CASE(
    "interleaved 1F1B of two stages, two chunks and four micro-batches is as written out by hand") {
  const auto text = [](int stage) {
    std::string result;
    for (const Task& action : schedule({2, 2, 4}, stage)) {
      result += (action.forward() ? "F" : "B") + std::to_string(action.micro_batch) +
                (action.chunk == 0 ? "a " : "b ");
    }
    return result;
  };
  CHECK(text(0) == "F0a F1a F0b F1b F2a B0b F3a B1b F2b B0a F3b B1a B2b B3b B2a B3a ");
  CHECK(text(1) == "F0a F1a F0b B0b F1b B1b F2a B0a F3a B1a F2b B2b F3b B3b B2a B3a ");
}

TEST_CASE("every micro-batch goes through every chunk once forward and then once backward") {
  for_random_shapes(300, [](const Shape& shape) {
    std::vector<Pass> all;
    for (int micro_batch = 0; micro_batch < shape.micro_batches; ++micro_batch) {
      for (int chunk = 0; chunk < shape.chunks; ++chunk) all.emplace_back(micro_batch, chunk);
    }
    for (int stage = 0; stage < shape.stages; ++stage) {
      const auto actions = schedule(shape, stage);
      for (const Phase phase : {Phase::forward, Phase::backward}) {
        auto found = passes(actions, phase);
        std::sort(found.begin(), found.end());
        CHECK(found == all);
      }
      std::set<Pass> open;
      for (const Task& action : actions) {
        const Pass pass{action.micro_batch, action.chunk};
        if (action.forward()) {
          open.insert(pass);
        } else {
          CHECK(open.erase(pass) == 1);
        }
      }
    }
  });
}

TEST_CASE("a stage holds no more passes than at its first backward") {
  for_random_shapes(300, [](const Shape& shape) {
    for (int stage = 0; stage < shape.stages; ++stage) {
      const int bound = before_backward(shape, stage);
      int in_flight = 0;
      int most = 0;
      for (const Task& action : schedule(shape, stage)) {
        in_flight += action.forward() ? 1 : -1;
        most = std::max(most, in_flight);
      }
      CHECK(most <= bound);
      CHECK(in_flight == 0);
    }
  });
}

TEST_CASE("micro-batches reach each chunk in order") {
  for_random_shapes(300, [](const Shape& shape) {
    for (const Phase phase : {Phase::forward, Phase::backward}) {
      std::vector<int> next(static_cast<std::size_t>(shape.chunks), 0);
      for (const auto& [micro_batch, chunk] : passes(schedule(shape, 0), phase))
        CHECK(micro_batch == next[static_cast<std::size_t>(chunk)]++);
    }
  });
}

TEST_CASE("neighbouring stages send and receive in the same order") {
  for_random_shapes(400, [](const Shape& shape) {
    if (shape.stages == 1) return;
    for (int stage = 0; stage < shape.stages; ++stage) {
      const int next = (stage + 1) % shape.stages;
      CHECK(sent(shape, stage, Phase::forward) == received(shape, next, Phase::forward));
      CHECK(sent(shape, next, Phase::backward) == received(shape, stage, Phase::backward));
    }
  });
}

TEST_CASE("the schedules of all stages together come to an end") {
  for_random_shapes(400, [](const Shape& shape) { CHECK(comes_to_an_end(shape)); });
}

TEST_CASE("tasks are dealt into calls in their order: of pairs, or blocking of all that meet") {
  for (const ScheduleRow& row : schedule_rows()) {
    PipelineShape shape{4, std::max(2, row.least_chunks), 8, row.kind};
    if (row.most_chunks < shape.chunks) shape.chunks = row.most_chunks;
    for (int stage = 0; stage < shape.stages; ++stage) {
      const std::vector<Task> tasks = PipelineStage(shape, stage).tasks();
      for (const bool overlapped : {false, true}) {
        CAPTURE(row.meaning);
        const Task* next = tasks.data();
        for (const std::span<const Task> call : calls_of(tasks, overlapped)) {
          REQUIRE(!call.empty());
          CHECK(call.data() == next);
          next += call.size();
          for (std::size_t i = 0; i + 1 < call.size(); ++i)
            CHECK((call[i].paired || (!overlapped && call[i].with_next)));
          CHECK(!call.back().paired);
          CHECK((overlapped || !call.back().with_next));
        }
        CHECK(next == tasks.data() + tasks.size());
      }
    }
  }
}

}  // namespace simtrain::testing::schedule_test
