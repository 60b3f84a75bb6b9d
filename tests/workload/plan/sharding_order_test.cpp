#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

#include "sim/workload/plan/data/unit_flow.h"
#include "tests/workload/sharded.h"

namespace simtrain::testing::sharding_order_test {

namespace {

/// Gathers that are launched before each stretch of the first forward.
std::vector<std::size_t> launched_before(const Program& program) {
  const std::vector<std::uint32_t> launched = gathers(program);
  std::vector<std::size_t> counts;
  for (const std::uint32_t stretch : pass_ops(program, Label::forward, 0))
    counts.push_back(static_cast<std::size_t>(
        std::lower_bound(launched.begin(), launched.end(), stretch) - launched.begin()));
  return counts;
}

std::uint32_t compute_before(const Program& program, std::uint32_t op) {
  do --op;
  while (!program.ops[op].compute);
  return op;
}

/// Whether the next pass op waits for a reduction, by itself or behind another compute op.
bool next_pass_waits(const Program& program, std::uint32_t reduction) {
  for (std::uint32_t op = reduction + 1; op < program.ops.size(); ++op) {
    const Op& next = program.ops[op];
    if (!next.compute) continue;
    if (std::find(next.after.begin(), next.after.end(), reduction) != next.after.end()) return true;
    if (is_pass(next)) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("each strategy has as many gathers on their way as its library allows") {
  using Counts = std::vector<std::size_t>;
  const auto counts = [](Sharding strategy, bool overlap) {
    Recipe recipe = sharded(strategy);
    recipe.overlap.overlap_param_gather = overlap;
    return launched_before(program_of(recipe));
  };
  CHECK(counts(Sharding::fsdp1, true) == Counts{2, 3, 4, 5, 6, 6});
  CHECK(counts(Sharding::fsdp2, true) == Counts{3, 4, 5, 6, 6, 6});
  CHECK(counts(Sharding::xla_fsdp, true) == Counts{2, 3, 4, 5, 6, 6});
  CHECK(counts(Sharding::zero3, true) == Counts{2, 3, 4, 5, 6, 6});
  // Two layers are fewer than 5e8 parameters; a layer and the head are more.
  CHECK(counts(Sharding::megatron_fsdp, true) == Counts{3, 4, 5, 5, 6, 6});
  for (const Sharding strategy : kOfUnits)
    CHECK(counts(strategy, false) == Counts{1, 2, 3, 4, 5, 6});
}

TEST_CASE("fully_shard gathers after the copy-out of the unit before last, backward of the last") {
  const Program program = program_of(sharded(Sharding::fsdp2));
  const std::vector<std::uint32_t> gather = gathers(program);
  std::vector<std::uint32_t> copied;  // by gather: its copy-out
  for (const std::uint32_t op : gather) {
    const auto copy = std::find_if(program.ops.begin(), program.ops.end(), [&](const Op& other) {
      return other.compute && other.label == Label::parameter_gather && other.after[0] == op;
    });
    REQUIRE(copy != program.ops.end());
    copied.push_back(static_cast<std::uint32_t>(copy - program.ops.begin()));
  }
  const std::size_t forward = kLayers + 2;
  for (std::size_t i = 2; i < forward; ++i) CHECK(program.ops[gather[i]].after[0] == copied[i - 2]);
  CHECK(program.ops[gather[1]].after[0] < copied[0]);
  for (std::size_t i = forward + 1; i < forward + kLayers; ++i)
    CHECK(program.ops[gather[i]].after[0] == copied[i - 1]);
  // The stretch follows its copy-out in the compute stream.
  const std::vector<std::uint32_t> stretches = pass_ops(program, Label::forward, 0);
  for (std::size_t i = 0; i < forward; ++i)
    CHECK(compute_before(program, stretches[i]) == copied[i]);
}

TEST_CASE("a copy-out reads and writes what was gathered") {
  const auto copies = [](Sharding strategy) {
    const Program program = program_of(sharded(strategy));
    return std::count_if(program.ops.begin(), program.ops.end(), [&](const Op& op) {
      return op.compute && op.label == Label::parameter_gather &&
             program.compute_costs[op.cost].time.count() > 0;
    });
  };
  const auto each = kMicroBatches * (2 * kLayers + 2);
  CHECK(copies(Sharding::fsdp2) == each);
  CHECK(copies(Sharding::zero3) == each);
  CHECK(copies(Sharding::fsdp1) == 0);
  CHECK(copies(Sharding::megatron_fsdp) == 0);
  CHECK(copies(Sharding::xla_fsdp) == 0);
}

TEST_CASE("without a copy-out a stretch waits for its gather, which starts a stretch ahead") {
  for (const Sharding strategy : {Sharding::fsdp1, Sharding::xla_fsdp}) {
    const Program program = program_of(sharded(strategy));
    const std::vector<std::uint32_t> gather = gathers(program);
    const std::vector<std::uint32_t> stretches = pass_ops(program, Label::forward, 0);
    REQUIRE(stretches.size() == kLayers + 2);
    for (std::size_t i = 0; i < stretches.size(); ++i) {
      CHECK(program.ops[stretches[i]].after[3] == gather[i]);
      if (i > 1) CHECK(program.ops[gather[i]].after[0] == stretches[i - 2]);
    }
  }
}

TEST_CASE("gathers that are not overlapped start after what is computed before their unit") {
  Recipe recipe = sharded(Sharding::xla_fsdp);
  recipe.overlap.overlap_param_gather = false;
  const Program program = program_of(recipe);
  for (const std::uint32_t gather : gathers(program)) {
    CHECK(program.ops[gather].after[0] == compute_before(program, gather));
    CHECK(program.ops[gather + 1].after[3] == gather);
  }
}

TEST_CASE("fully_shard packs gradients after the reduction before, whatever their type") {
  for (const DataType type : {DataType::fp32, DataType::bf16}) {
    Recipe recipe = sharded(Sharding::fsdp2);
    recipe.optimizer.grad_reduce_dtype = type;
    const Program program = program_of(recipe);
    std::uint32_t before = kNoOp;
    for (const std::uint32_t reduction : reductions(program)) {
      const Op& pack = program.ops[program.ops[reduction].after[0]];
      CHECK(pack.compute);
      CHECK(pack.label == Label::gradient_reduce);
      CHECK(pack.after[0] == before);
      CHECK(program.compute_costs[pack.cost].time.count() > 0);
      before = reduction;
    }
  }
}

TEST_CASE("other libraries do not wait for the reduction before") {
  for (const Sharding strategy : kOfUnits) {
    if (strategy == Sharding::fsdp2) continue;
    CAPTURE(name_of(strategy));
    const Program program = program_of(sharded(strategy));
    const std::vector<std::uint32_t> reduction = reductions(program);
    for (const std::uint32_t op : reduction)
      CHECK(next_pass_waits(program, op) == (op == reduction.back()));
  }
}

TEST_CASE("gradients are copied and converted as often as a library does it") {
  const auto packing = [](Sharding strategy, DataType type) {
    Recipe recipe = sharded(strategy);
    recipe.optimizer.grad_reduce_dtype = type;
    const Program program = program_of(recipe);
    const Op& last = program.ops[program.ops[reductions(program)[1]].after[0]];
    return last.label == Label::gradient_reduce ? program.compute_costs[last.cost].time
                                                : Duration{};
  };
  const GpuSpec h100 = gpu("h100-sxm");
  const FittedKernelModel kernels(h100);
  const auto passes = [&](std::int64_t bytes) {
    return kernels.time(Streaming{StreamingKind::element_wise, static_cast<double>(bytes * kLayer)})
        .time;
  };
  CHECK(packing(Sharding::fsdp1, DataType::fp32) == passes(2 * 2 + 2 * 4 + 6));
  CHECK(packing(Sharding::fsdp1, DataType::bf16) == passes(2 * 2 + 2 * 2));
  CHECK(packing(Sharding::fsdp2, DataType::fp32) == passes(6));
  CHECK(packing(Sharding::fsdp2, DataType::bf16) == passes(4));
  CHECK(packing(Sharding::zero3, DataType::bf16) == passes(4));
  CHECK(packing(Sharding::megatron_fsdp, DataType::fp32).count() ==
        0);  // products add to its buffer
  CHECK(packing(Sharding::xla_fsdp, DataType::fp32).count() == 0);
}

TEST_CASE("reductions that are not overlapped hold up the next stretch") {
  for (const Sharding strategy : kOfUnits) {
    CAPTURE(name_of(strategy));
    Recipe recipe = sharded(strategy);
    recipe.overlap.overlap_grad_reduce = false;
    const Program program = program_of(recipe);
    for (const std::uint32_t reduction : reductions(program))
      CHECK(next_pass_waits(program, reduction));
  }
}

TEST_CASE("ZeRO 2 without overlap: the next micro-batch waits for the reductions of this one") {
  Recipe recipe = sharded(Sharding::zero2);
  recipe.overlap.overlap_grad_reduce = false;
  const Program program = program_of(recipe);
  const std::uint32_t second = pass_ops(program, Label::forward, 1).front();
  std::uint32_t last = kNoOp;
  for (const std::uint32_t reduction : reductions(program)) {
    if (reduction < second) last = reduction;
  }
  REQUIRE(last != kNoOp);
  CHECK(program.ops[second].after[3] == last);
}

}  // namespace simtrain::testing::sharding_order_test
