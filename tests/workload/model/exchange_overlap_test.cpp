// Two passes beside each other, and shared experts beside the exchange of tokens: the same kernels
// and transfers in another order.
#include "sim/workload/model/layers/exchange_overlap.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "tests/workload/expanded.h"

namespace simtrain::testing::exchange_overlap_test {

namespace {

constexpr Piece kForward{Part::layer, Phase::forward, 1};
constexpr Piece kBackward{Part::layer, Phase::backward, 1};
constexpr Piece kPair{Part::layer_pair, Phase::backward, 1, 1};
constexpr Piece kDenseBefore{Part::layer_pair, Phase::backward, 0, 1};
constexpr Piece kDenseBehind{Part::layer_pair, Phase::backward, 1, 0};

/// Dense layers are of kind 0, mixtures of kind 1.
Recipe deepseek(TokenDispatcher dispatcher) {
  Recipe recipe = recipe_of("deepseek-v2-lite");
  recipe.parallelism.expert_model_parallel_size = 8;
  recipe.parallelism.expert_tensor_parallel_size = 1;
  recipe.moe.moe_token_dispatcher_type = dispatcher;
  return recipe;
}

/// Modules of a program's ops in order, without repetition.
std::vector<std::string_view> modules(const Program& program) {
  std::vector<std::string_view> result;
  for (const OpNote& note : program.notes) {
    if (result.empty() || result.back() != note.module) result.push_back(note.module);
  }
  return result;
}

/// What is done, whatever the order: modules of kernels and transfers, sorted.
std::vector<std::string> work(const Program& program) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < program.ops.size(); ++i) {
    const Op& op = program.ops[i];
    std::string one(program.notes[i].module);
    one += op.compute ? " kernel" : " " + std::to_string(program.transfers[op.cost].wire.value());
    result.push_back(one);
  }
  return result;
}

std::vector<std::string> sorted(std::vector<std::string> all) {
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<std::string> both(const Recipe& recipe, const Piece& one, const Piece& other) {
  std::vector<std::string> all = work(Expanded(recipe, one).program);
  const std::vector<std::string> more = work(Expanded(recipe, other).program);
  all.insert(all.end(), more.begin(), more.end());
  return sorted(all);
}

std::size_t place(const Program& program, std::uint32_t micro_batch, std::string_view module,
                  bool exchange) {
  for (std::size_t i = 0; i < program.ops.size(); ++i) {
    if (program.ops[i].micro_batch == micro_batch && program.notes[i].module == module &&
        (program.ops[i].stream == Stream::expert) == exchange)
      return i;
  }
  return program.ops.size();
}

constexpr std::array kDispatchers{TokenDispatcher::alltoall, TokenDispatcher::flex};

}  // namespace

TEST_CASE("a pair does what both passes do, and nothing waits for what comes later") {
  for (const TokenDispatcher dispatcher : kDispatchers) {
    Recipe recipe = deepseek(dispatcher);
    for (const bool delayed : {false, true}) {
      recipe.overlap.delay_wgrad_compute = delayed;
      for (const Piece& pair : {kPair, kDenseBefore, kDenseBehind}) {
        const Program program = Expanded(recipe, pair).program;
        CHECK(sorted(work(program)) == both(recipe, {Part::layer, Phase::forward, pair.kind},
                                            {Part::layer, Phase::backward, pair.backward_kind}));
        for (std::size_t i = 0; i < program.ops.size(); ++i) {
          for (const std::uint32_t after : program.ops[i].after)
            CHECK((after == kNoOp || after < i));
        }
      }
    }
  }
}

TEST_CASE("exchanges of a pair take turns, each beside kernels of the other pass") {
  for (const TokenDispatcher dispatcher : kDispatchers) {
    const Program program = Expanded(deepseek(dispatcher), kPair).program;
    // Of the backward (0) tokens come back to experts by what the forward calls combine.
    const std::vector<std::size_t> turns{
        place(program, 0, "combine", true),      place(program, 1, "router", false),
        place(program, 0, "experts_fc2", false), place(program, 1, "dispatch", true),
        place(program, 0, "dispatch", true),     place(program, 1, "experts_fc1", false),
        place(program, 1, "combine", true),      place(program, 0, "router", false)};
    CHECK(std::is_sorted(turns.begin(), turns.end()));
    CHECK(turns.back() < program.ops.size());
  }
}

TEST_CASE("delayed weight gradients follow the input gradients of their module") {
  Recipe recipe = deepseek(TokenDispatcher::flex);
  recipe.overlap.delay_wgrad_compute = true;
  const Program program = Expanded(recipe, kPair).program;
  const auto names = modules(program);
  CHECK(names.back() != "experts_fc1");  // those of attention come last
  const std::size_t sent = place(program, 0, "dispatch", true);
  bool gradients_before = false;
  for (std::size_t i = place(program, 1, "dispatch", true); i < sent; ++i)
    gradients_before = gradients_before || program.notes[i].module == "experts_fc1";
  CHECK(gradients_before);
}

TEST_CASE("shared experts move beside the exchanges, forward and backward") {
  for (const TokenDispatcher dispatcher : kDispatchers) {
    Recipe recipe = deepseek(dispatcher);
    const Program in_line = Expanded(recipe, kForward).program;
    const Program back_in_line = Expanded(recipe, kBackward).program;
    recipe.moe.moe_shared_expert_overlap = true;
    const Program beside = Expanded(recipe, kForward).program;
    const Program back = Expanded(recipe, kBackward).program;
    CHECK(sorted(work(beside)) == sorted(work(in_line)));
    CHECK(sorted(work(back)) == sorted(work(back_in_line)));
    const auto first = [](const Program& program, std::string_view module) {
      const auto found = std::find_if(program.notes.begin(), program.notes.end(),
                                      [&](const OpNote& note) { return note.module == module; });
      return found - program.notes.begin();
    };
    CHECK(first(in_line, "shared_experts_fc2") < first(in_line, "router"));
    CHECK(first(beside, "shared_experts_fc1") > first(beside, "dispatch"));
    CHECK(first(beside, "shared_experts_fc1") < first(beside, "experts_fc1"));
    CHECK(first(beside, "shared_experts_fc2") > first(beside, "combine"));
    CHECK(first(back, "shared_experts_fc2") > first(back, "combine"));
    CHECK(first(back, "shared_experts_fc2") < first(back, "experts_fc2"));
    CHECK(first(back, "shared_experts_fc1") > first(back, "dispatch"));
  }
}

}  // namespace simtrain::testing::exchange_overlap_test
