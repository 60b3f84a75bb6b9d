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

using namespace simtrain;

namespace {

using Pass = std::pair<int, int>;  ///< micro-batch, chunk

struct Shape {
  int stages;
  int chunks;
  int micro_batches;
};

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

std::vector<StageAction> schedule(const Shape& shape, int stage) {
  return pipeline_schedule({shape.stages, stage, shape.chunks, shape.micro_batches});
}

std::vector<Pass> passes(const std::vector<StageAction>& actions, Direction direction) {
  std::vector<Pass> result;
  for (const StageAction& action : actions) {
    if (action.direction == direction) result.emplace_back(action.micro_batch, action.chunk);
  }
  return result;
}

/// Where a pass of `stage` hands its result: nowhere after the last stage's last chunk (forward) or
/// the first stage's first (backward).
bool hands_on(const Shape& shape, int stage, const StageAction& action) {
  if (action.direction == Direction::forward)
    return stage + 1 < shape.stages || action.chunk + 1 < shape.chunks;
  return stage > 0 || action.chunk > 0;
}

/// A pass that takes from its neighbour what another pass of it made.
bool takes(const Shape& shape, int stage, const StageAction& action) {
  if (action.direction == Direction::forward) return stage > 0 || action.chunk > 0;
  return stage + 1 < shape.stages || action.chunk + 1 < shape.chunks;
}

/// The pass of the neighbouring stage that takes what this one hands on.
StageAction taker(const Shape& shape, int stage, StageAction action) {
  const bool forward = action.direction == Direction::forward;
  if (forward && stage + 1 == shape.stages) ++action.chunk;
  if (!forward && stage == 0) --action.chunk;
  return action;
}

std::vector<Pass> sent(const Shape& shape, int stage, Direction direction) {
  std::vector<Pass> result;
  for (const StageAction& action : schedule(shape, stage)) {
    if (action.direction != direction || !hands_on(shape, stage, action)) continue;
    const StageAction other = taker(shape, stage, action);
    result.emplace_back(other.micro_batch, other.chunk);
  }
  return result;
}

std::vector<Pass> received(const Shape& shape, int stage, Direction direction) {
  std::vector<Pass> result;
  for (const StageAction& action : schedule(shape, stage)) {
    if (action.direction == direction && takes(shape, stage, action))
      result.emplace_back(action.micro_batch, action.chunk);
  }
  return result;
}

/// Simulates the schedules of all stages against each other; true where every pass gets its turn.
bool comes_to_an_end(const Shape& shape) {
  std::vector<std::vector<StageAction>> actions;
  for (int stage = 0; stage < shape.stages; ++stage) actions.push_back(schedule(shape, stage));
  std::vector<std::size_t> next(actions.size(), 0);
  std::set<std::tuple<int, bool, int, int>> arrived;
  bool moved = true;
  while (moved) {
    moved = false;
    for (int stage = 0; stage < shape.stages; ++stage) {
      const auto at = static_cast<std::size_t>(stage);
      while (next[at] < actions[at].size()) {
        const StageAction& action = actions[at][next[at]];
        const bool forward = action.direction == Direction::forward;
        if (takes(shape, stage, action) &&
            !arrived.contains({stage, forward, action.micro_batch, action.chunk}))
          break;
        if (hands_on(shape, stage, action)) {
          const StageAction other = taker(shape, stage, action);
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
  CHECK(warm_up_passes({8, 0, 1, 16}) == 7);
  CHECK(warm_up_passes({8, 3, 1, 16}) == 4);
  CHECK(warm_up_passes({8, 7, 1, 16}) == 0);
}

TEST_CASE(
    "interleaved, a stage warms up with two passes for each stage after it and its earlier "
    "chunks") {
  CHECK(warm_up_passes({8, 0, 12, 16}) == 2 * 7 + 11 * 8);
  CHECK(warm_up_passes({8, 7, 12, 16}) == 11 * 8);
  CHECK(warm_up_passes({14, 5, 9, 1008}) == 2 * 8 + 8 * 14);
}

TEST_CASE("a stage never warms up with more passes than there are") {
  CHECK(warm_up_passes({8, 0, 1, 3}) == 3);
  CHECK(warm_up_passes({4, 0, 2, 4}) == 8);
  CHECK(warm_up_passes({8, 0, 2, 8}) == 16);
}

TEST_CASE("one stage alternates forward and backward") {
  const auto actions = pipeline_schedule({1, 0, 1, 3});
  REQUIRE(actions.size() == 6);
  for (std::size_t i = 0; i < actions.size(); ++i) {
    CHECK(actions[i].direction == (i % 2 == 0 ? Direction::forward : Direction::backward));
    CHECK(actions[i].micro_batch == static_cast<int>(i / 2));
  }
}

TEST_CASE("1F1B of the second of three stages is as written out by hand") {
  const auto actions = pipeline_schedule({3, 1, 1, 4});
  std::string text;
  for (const StageAction& action : actions) {
    text += (action.direction == Direction::forward ? "F" : "B") +
            std::to_string(action.micro_batch) + " ";
  }
  CHECK(text == "F0 F1 B0 F2 B1 F3 B2 B3 ");
}

TEST_CASE(
    "interleaved 1F1B of two stages, two chunks and four micro-batches is as written out by hand") {
  const auto text = [](int stage) {
    std::string result;
    for (const StageAction& action : pipeline_schedule({2, stage, 2, 4})) {
      result += (action.direction == Direction::forward ? "F" : "B") +
                std::to_string(action.micro_batch) + (action.chunk == 0 ? "a " : "b ");
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
      for (const Direction direction : {Direction::forward, Direction::backward}) {
        auto found = passes(actions, direction);
        std::sort(found.begin(), found.end());
        CHECK(found == all);
      }
      std::set<Pass> open;
      for (const StageAction& action : actions) {
        const Pass pass{action.micro_batch, action.chunk};
        if (action.direction == Direction::forward) {
          open.insert(pass);
        } else {
          CHECK(open.erase(pass) == 1);
        }
      }
    }
  });
}

TEST_CASE("a stage holds at most one pass more than it warmed up with") {
  for_random_shapes(300, [](const Shape& shape) {
    for (int stage = 0; stage < shape.stages; ++stage) {
      const int bound =
          warm_up_passes({shape.stages, stage, shape.chunks, shape.micro_batches}) + 1;
      int in_flight = 0;
      int most = 0;
      for (const StageAction& action : schedule(shape, stage)) {
        in_flight += action.direction == Direction::forward ? 1 : -1;
        most = std::max(most, in_flight);
      }
      CHECK(most <= bound);
      CHECK(in_flight == 0);
    }
  });
}

TEST_CASE("micro-batches reach each chunk in order") {
  for_random_shapes(300, [](const Shape& shape) {
    for (const Direction direction : {Direction::forward, Direction::backward}) {
      std::vector<int> next(static_cast<std::size_t>(shape.chunks), 0);
      for (const auto& [micro_batch, chunk] : passes(schedule(shape, 0), direction))
        CHECK(micro_batch == next[static_cast<std::size_t>(chunk)]++);
    }
  });
}

TEST_CASE("neighbouring stages send and receive in the same order") {
  for_random_shapes(400, [](const Shape& shape) {
    if (shape.stages == 1) return;
    for (int stage = 0; stage < shape.stages; ++stage) {
      const int next = (stage + 1) % shape.stages;
      CHECK(sent(shape, stage, Direction::forward) == received(shape, next, Direction::forward));
      CHECK(sent(shape, next, Direction::backward) == received(shape, stage, Direction::backward));
    }
  });
}

TEST_CASE("the schedules of all stages together come to an end") {
  for_random_shapes(400, [](const Shape& shape) { CHECK(comes_to_an_end(shape)); });
}
