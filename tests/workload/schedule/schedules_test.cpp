// Every pipeline schedule: its order, its bubble and its memory (shared reference of schedules).
#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include "sim/workload/schedule/unit_step.h"
#include "tests/workload/schedule_orders.h"

namespace simtrain::testing::schedules_test {

namespace {

char letter_of(Phase phase) {
  switch (phase) {
    case Phase::forward:
      return 'F';
    case Phase::input_gradient:
      return 'I';
    case Phase::weight_gradient:
      return 'W';
    default:
      return 'B';
  }
}

std::string order_of(const PipelineShape& shape, int stage) {
  const PipelineStage pipeline(shape, stage);
  std::string text;
  bool pair = false;
  for (const Task& task : pipeline.tasks()) {
    text += pair ? "|" : (text.empty() ? "" : " ");
    if (task.paired) text += "(";
    const int chunk = pipeline.model_chunks()[static_cast<std::size_t>(task.chunk)];
    const int copy = chunk % shape.copies();
    text += std::to_string(chunk / shape.copies() + copy * shape.parts());
    text += letter_of(task.phase);
    text += std::to_string(task.micro_batch + copy * shape.micro_batches_of_copy());
    if (pair) text += ")";
    pair = task.paired;
  }
  return text;
}

/// Lines joined, stages cut apart.
std::vector<std::string> stages_of(std::string_view order) {
  std::vector<std::string> stages(1);
  for (const char letter : order) {
    std::string& text = stages.back();
    if (letter == '/') {
      stages.emplace_back();
    } else if (letter != '\n' && letter != ' ') {
      text += letter;
    } else if (!text.empty() && text.back() != ' ') {
      text += ' ';
    }
  }
  for (std::string& text : stages) {
    if (!text.empty() && text.back() == ' ') text.pop_back();
  }
  return stages;
}

/// A row of the reference's table: makespan, idle, chunks held.
struct Written {
  PipelineSchedule schedule{};
  int chunks = 1;
  int stages = 0;
  int micro_batches = 0;
  int makespan = 0;
  int idle = 0;
  int peak = 0;
};

using S = PipelineSchedule;
constexpr std::array kTable = {
    Written{S::gpipe, 1, 2, 4, 15, 3, 4},
    Written{S::gpipe, 1, 4, 8, 33, 9, 8},
    Written{S::gpipe, 1, 4, 16, 57, 9, 16},
    Written{S::gpipe, 1, 8, 16, 69, 21, 16},
    Written{S::gpipe, 1, 8, 32, 117, 21, 32},
    Written{S::one_forward_one_backward, 1, 2, 4, 15, 3, 2},
    Written{S::one_forward_one_backward, 1, 4, 8, 33, 9, 4},
    Written{S::one_forward_one_backward, 1, 4, 16, 57, 9, 4},
    Written{S::one_forward_one_backward, 1, 8, 16, 69, 21, 8},
    Written{S::one_forward_one_backward, 1, 8, 32, 117, 21, 8},
    Written{S::interleaved, 2, 2, 4, 27, 3, 5},
    Written{S::interleaved, 2, 4, 8, 57, 9, 11},
    Written{S::interleaved, 2, 4, 16, 105, 9, 11},
    Written{S::interleaved, 2, 8, 16, 117, 21, 23},
    Written{S::interleaved, 2, 8, 32, 213, 21, 23},
    Written{S::interleaved, 4, 2, 4, 51, 3, 9},
    Written{S::interleaved, 4, 4, 8, 105, 9, 19},
    Written{S::interleaved, 4, 4, 16, 201, 9, 19},
    Written{S::interleaved, 4, 8, 16, 213, 21, 39},
    Written{S::interleaved, 4, 8, 32, 405, 21, 39},
    Written{S::looped_breadth_first, 2, 4, 8, 57, 9, 16},
    Written{S::zero_bubble_h1, 1, 2, 4, 13, 1, 2},
    Written{S::zero_bubble_h1, 1, 4, 8, 27, 3, 4},
    Written{S::zero_bubble_h1, 1, 4, 16, 51, 3, 4},
    Written{S::zero_bubble_h1, 1, 8, 16, 55, 7, 8},
    Written{S::zero_bubble_h1, 1, 8, 32, 103, 7, 8},
    Written{S::zero_bubble_h2, 1, 2, 4, 13, 1, 3},
    Written{S::zero_bubble_h2, 1, 4, 8, 27, 3, 7},
    Written{S::zero_bubble_h2, 1, 4, 16, 51, 3, 7},
    Written{S::zero_bubble_h2, 1, 8, 16, 55, 7, 15},
    Written{S::zero_bubble_h2, 1, 8, 32, 103, 7, 15},
    Written{S::zero_bubble_v, 2, 2, 4, 25, 1, 4},
    Written{S::zero_bubble_v, 2, 4, 8, 51, 3, 8},
    Written{S::zero_bubble_v, 2, 4, 16, 99, 3, 8},
    Written{S::zero_bubble_v, 2, 8, 16, 103, 7, 16},
    Written{S::zero_bubble_v, 2, 8, 32, 199, 7, 16},
    Written{S::v_half, 2, 2, 4, 29, 5, 4},
    Written{S::v_half, 2, 4, 8, 60, 12, 6},
    Written{S::v_half, 2, 4, 16, 108, 12, 6},
    Written{S::v_half, 2, 8, 16, 122, 26, 10},
    Written{S::v_half, 2, 8, 32, 218, 26, 10},
    Written{S::v_min, 2, 2, 4, 27, 3, 4},
    Written{S::v_min, 2, 4, 8, 59, 11, 4},
    Written{S::v_min, 2, 4, 16, 107, 11, 4},
    Written{S::v_min, 2, 8, 16, 123, 27, 8},
    Written{S::v_min, 2, 8, 32, 219, 27, 8},
    Written{S::dual_pipe_v, 2, 2, 4, 26, 2, 5},
    Written{S::dual_pipe_v, 2, 4, 8, 54, 6, 9},
    Written{S::dual_pipe_v, 2, 4, 16, 102, 6, 9},
    Written{S::dual_pipe_v, 2, 8, 16, 110, 14, 17},
    Written{S::dual_pipe_v, 2, 8, 32, 206, 14, 17},
    Written{S::dual_pipe, 1, 2, 4, 12, 0, 3},
    Written{S::dual_pipe, 1, 4, 8, 26, 2, 5},
    Written{S::dual_pipe, 1, 4, 16, 50, 2, 5},
    Written{S::dual_pipe, 1, 8, 16, 54, 6, 9},
    Written{S::dual_pipe, 1, 8, 32, 102, 6, 9},
};

/// Shapes that no schedule refuses: each row's numbers of chunks, several of them.
template <class Check>
void for_random_shapes(int cases, const Check& check) {
  constexpr std::uint64_t kSeed = 20261123;
  std::mt19937_64 random(kSeed);
  const auto between = [&](int least, int most) {
    return least + static_cast<int>(random() % static_cast<unsigned>(most - least + 1));
  };
  for (const ScheduleRow& row : schedule_rows()) {
    for (int i = 0; i < cases; ++i) {
      PipelineShape shape{between(2, 9), between(row.least_chunks, std::min(row.most_chunks, 5)),
                          between(1, 30), row.kind};
      if (row.takes_groups && i % 2 == 0) shape.micro_batch_group = between(1, 30);
      if (row.refusal != nullptr && row.refusal(shape)) continue;
      INFO(name_of(row.kind), ", case ", i, ": ", shape.stages, " stages, ", shape.chunks,
           " chunks, ", shape.micro_batches, " micro-batches, groups of ", shape.group_size());
      check(shape);
    }
  }
}

using Pass = std::tuple<Phase, int, int>;  ///< chunk, micro-batch

/// What a stage sends the `step` next one (`sends`), or receives from the one `step` away, as
/// chunks of the model that take it, in order; of one way of messages.
std::vector<Pass> messages(const PipelineShape& shape, int stage, bool forward, int step,
                           bool sends) {
  const PipelineStage pipeline(shape, stage);
  std::vector<Pass> result;
  for (const Task& task : pipeline.tasks()) {
    if (task.forward() != forward || (!forward && !task.sends_gradient())) continue;
    if ((sends ? pipeline.goal(task) : pipeline.source(task)) != step) continue;
    const int own = pipeline.model_chunks()[static_cast<std::size_t>(task.chunk)];
    const int taker = sends ? own + (forward ? shape.copies() : -shape.copies()) : own;
    result.emplace_back(forward ? Phase::forward : Phase::backward, taker, task.micro_batch);
  }
  return result;
}

}  // namespace

TEST_CASE("every schedule has a row, found by its kind") {
  CHECK(schedule_rows().size() == EnumNames<PipelineSchedule>::rows.size());
  for (const auto& row : EnumNames<PipelineSchedule>::rows) {
    const PipelineSchedule kind = row.second;
    CAPTURE(row.first);
    CHECK(row_of(kind).kind == kind);
    CHECK_FALSE(row_of(kind).meaning.empty());
  }
}

TEST_CASE("a recipe knows of each schedule whether both ends of the model are on one stage") {
  for (const ScheduleRow& row : schedule_rows()) {
    CAPTURE(name_of(row.kind));
    const PipelineShape shape{
        .stages = 4, .chunks = row.least_chunks, .micro_batches = 8, .schedule = row.kind};
    const int last = shape.parts() * shape.copies() - 1;
    CHECK(ends_meet(row.kind) == (row.placement->stage_of(shape, last) == 0));
  }
}

TEST_CASE("four stages run eight micro-batches in the order that is written down") {
  CHECK(kWrittenOrders.size() == schedule_rows().size());
  for (const WrittenOrder& written : kWrittenOrders) {
    CAPTURE(name_of(written.schedule));
    const std::vector<std::string> stages = stages_of(written.order);
    REQUIRE(stages.size() == 4);
    for (int stage = 0; stage < 4; ++stage) {
      CAPTURE(stage);
      CHECK(order_of({4, written.chunks, 8, written.schedule}, stage) ==
            stages[static_cast<std::size_t>(stage)]);
    }
  }
}

TEST_CASE("combined passes are pairs after one more forward") {
  PipelineShape shape{4, 2, 8};
  shape.combined = true;
  const std::vector<std::string> stages = stages_of(kCombinedOrder);
  REQUIRE(stages.size() == 4);
  for (int stage = 0; stage < 4; ++stage)
    CHECK(order_of(shape, stage) == stages[static_cast<std::size_t>(stage)]);
  const auto step = unit_step(shape);
  REQUIRE(step);
  CHECK(step->makespan == 57);
  CHECK(step->idle == 9);
  CHECK(step->peak == 12);
  PipelineShape alone{1, 1, 4};
  alone.combined = true;
  CHECK(order_of(alone, 0) == "0F0 (0F1|0B0) (0F2|0B1) (0F3|0B2) 0B3");
  CHECK(unit_step(alone)->makespan == 12);
  CHECK(unit_step(alone)->peak == 2);
}

TEST_CASE("each task of a pair knows beside which chunk it runs") {
  PipelineShape shape{2, 2, 4};
  for (const bool combined : {false, true}) {
    shape.combined = combined;
    const std::vector<Task> tasks = PipelineStage(shape, 0).tasks();
    int pairs = 0;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      const bool first = tasks[i].paired;
      const bool second = i > 0 && tasks[i - 1].paired;
      CHECK((tasks[i].beside >= 0) == (first || second));
      if (!first) continue;
      ++pairs;
      CHECK(tasks[i].beside == tasks[i + 1].chunk);
      CHECK(tasks[i + 1].beside == tasks[i].chunk);
    }
    CHECK((pairs > 0) == combined);
  }
}

TEST_CASE("in unit time a schedule takes, waits and holds what is known of it") {
  for (const Written& row : kTable) {
    const auto step = unit_step({row.stages, row.chunks, row.micro_batches, row.schedule});
    INFO(name_of(row.schedule), ", ", row.stages, " stages, ", row.chunks, " chunks, ",
         row.micro_batches, " micro-batches");
    REQUIRE(step);
    CHECK(step->makespan == row.makespan);
    CHECK(step->idle == row.idle);
    CHECK(step->peak == row.peak);
  }
}

TEST_CASE("every micro-batch goes through every chunk once, its gradients in order") {
  for_random_shapes(60, [](const PipelineShape& shape) {
    for (int stage = 0; stage < shape.stages; ++stage) {
      std::set<Pass> seen;
      const auto chunks = static_cast<std::size_t>(shape.chunks * shape.copies());
      std::vector<int> completed(chunks, 0);
      int weights = 0;
      for (const Task& task : PipelineStage(shape, stage).tasks()) {
        const auto ran = [&](Phase phase) {
          return seen.contains({phase, task.chunk, task.micro_batch});
        };
        CHECK(seen.insert({task.phase, task.chunk, task.micro_batch}).second);
        if (task.sends_gradient()) CHECK(ran(Phase::forward));
        if (task.phase == Phase::weight_gradient) CHECK(ran(Phase::input_gradient));
        if (task.phase == Phase::backward) CHECK_FALSE(ran(Phase::input_gradient));
        CHECK(completed[static_cast<std::size_t>(task.chunk)] <= (task.forward() ? 1 : 0));
        if (task.makes_weight_gradients()) ++weights;
        if (task.completes) ++completed[static_cast<std::size_t>(task.chunk)];
      }
      CHECK(weights == shape.micro_batches * shape.chunks);
      CHECK(completed == std::vector<int>(chunks, 1));
    }
  });
}

TEST_CASE("the stages of every schedule together come to their end") {
  for_random_shapes(150, [](const PipelineShape& shape) { CHECK(unit_step(shape)); });
}

TEST_CASE("two stages send and take the messages of one way in the same order") {
  for_random_shapes(60, [](const PipelineShape& shape) {
    for (int stage = 0; stage < shape.stages; ++stage) {
      for (const int step : {1, -1}) {
        const int there = (stage + step + shape.stages) % shape.stages;
        for (const bool forward : {true, false}) {
          CHECK(messages(shape, stage, forward, step, true) ==
                messages(shape, there, forward, -step, false));
        }
      }
    }
  });
}

TEST_CASE(
    "only a V has its first and its last chunk on one stage, and never sends round the ring") {
  for_random_shapes(20, [](const PipelineShape& shape) {
    const PipelineStage first(shape, 0);
    const PipelineStage last(shape, shape.stages - 1);
    const int end = shape.parts() * shape.copies() - 1;
    const bool both_ends = schedule_of(shape).placement == &kChunksFromBothEnds;
    const bool v = schedule_of(shape).placement == &kChunksInV || both_ends;
    CHECK(first.model_chunks().front() == 0);
    CHECK((v ? first : last).model_chunks().back() == end);
    CHECK(first.meets(-1) == (!v && shape.chunks > 1));
    CHECK(last.meets(1) == (!v && shape.chunks > 1));
    if (!v || both_ends) return;
    CHECK(last.goal({Phase::forward, 0, kChunkDown}) == 0);
    CHECK(last.source({Phase::forward, 0, kChunkUp}) == 0);
    CHECK(last.goal({Phase::forward, 0, kChunkUp}) == -1);
    CHECK(first.source({Phase::forward, 0, kChunkUp}) == 1);
    CHECK(first.goal({Phase::input_gradient, 0, kChunkUp}) == 1);
    CHECK(first.goal({Phase::weight_gradient, 0, kChunkUp}) == 0);
  });
}

TEST_CASE("a model held twice idles and holds as DeepSeek's closed forms say, whatever its size") {
  for (int stages = 2; stages <= 16; stages += 2) {
    for (const int micro_batches : {2 * stages, 2 * stages + 2, 5 * stages, 64}) {
      INFO(stages, " stages, ", micro_batches, " micro-batches");
      const auto step = unit_step({stages, 1, micro_batches, S::dual_pipe});
      REQUIRE(step);
      // (PP / 2 - 1) (F&B + B - 3 W) with F = I = W = 1, of a pair 3 units.
      CHECK(step->idle == (stages / 2 - 1) * (3 + 2 - 3));
      CHECK(step->makespan == 3 * micro_batches + step->idle);
      CHECK(step->peak == stages + 1);
    }
  }
}

TEST_CASE("stages at one place from both ends hold the same layers and run the same order") {
  const PipelineShape shape{6, 1, 14, S::dual_pipe};
  for (int stage = 0; stage < 3; ++stage) {
    const PipelineStage here(shape, stage);
    const PipelineStage there(shape, 5 - stage);
    CHECK(here.model_chunks() == std::vector<int>{2 * stage, 2 * (5 - stage) + 1});
    CHECK(there.model_chunks() == std::vector<int>{2 * stage + 1, 2 * (5 - stage)});
    const std::vector<Task> tasks = here.tasks();
    const std::vector<Task> twins = there.tasks();
    REQUIRE(tasks.size() == twins.size());
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      CHECK(tasks[i].phase == twins[i].phase);
      CHECK(tasks[i].chunk == twins[i].chunk);
      CHECK(tasks[i].micro_batch == twins[i].micro_batch);
      CHECK(here.goal(tasks[i]) == -there.goal(twins[i]));
      CHECK(here.source(tasks[i]) == -there.source(twins[i]));
    }
  }
}

TEST_CASE("without a name the number of chunks says what Megatron runs") {
  CHECK(schedule_of({4, 1, 8}).kind == S::one_forward_one_backward);
  CHECK(schedule_of({4, 3, 8}).kind == S::interleaved);
}

TEST_CASE("groups of more micro-batches than stages warm up with more passes") {
  PipelineShape shape{4, 2, 16};
  CHECK(unit_step(shape)->peak == 11);
  shape.micro_batch_group = 8;
  CHECK(unit_step(shape)->peak == 2 * 3 + 8 + 1);
  CHECK(unit_step(shape)->makespan == 105);
}

}  // namespace simtrain::testing::schedules_test
