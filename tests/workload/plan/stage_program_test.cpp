#include "sim/workload/plan/program/stage_program.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "sim/workload/plan/stage_passes.h"
#include "sim/workload/schedule/recipe_grid.h"
#include "tests/workload/setup.h"

namespace simtrain::testing::stage_program_test {

namespace {

/// Llama 3.1 70B: TP4 PP4 VP5 on 16 nodes.
Recipe llama_70b(int cp) {
  Recipe recipe = recipe_of("llama3.1-70b");
  recipe.training.global_batch_size = 64;
  recipe.parallelism.tensor_model_parallel_size = 4;
  recipe.parallelism.pipeline_model_parallel_size = 4;
  recipe.parallelism.virtual_pipeline_model_parallel_size = 5;
  recipe.parallelism.context_parallel_size = cp;
  recipe.parallelism.sequence_parallel = true;
  return recipe;
}

Program stage_of(const Recipe& recipe, int stage) {
  const StepSetup setup(recipe, "dgx-superpod-h100", 16);
  return stage_program(setup.context(), rank_grid(recipe, 16 * 8).rank({0, 0, 0, stage}));
}

std::vector<std::int64_t> message_bytes(const Program& program) {
  std::vector<std::int64_t> sizes;
  for (const TransferCost& transfer : program.transfers) {
    if (transfer.collective == Collective::send_receive) sizes.push_back(transfer.bytes.value());
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

int count(const Program& program, Label label) {
  return static_cast<int>(std::count_if(program.ops.begin(), program.ops.end(),
                                        [&](const Op& op) { return op.label == label; }));
}

std::int64_t bytes_of_label(const Program& program, Label label, GroupKind group) {
  std::int64_t sum = 0;
  for (const Op& op : program.ops) {
    if (op.label == label && op.group == group && !op.compute)
      sum += program.transfers[op.cost].bytes.value();
  }
  return sum;
}

/// Seconds that passes of one label wait for stragglers.
double waited(const Program& program, Label label) {
  double sum = 0;
  for (const Op& op : program.ops) {
    if (op.label == label && op.compute)
      sum += part(program.compute_costs[op.cost].parts, Share::stragglers);
  }
  return sum;
}

}  // namespace

TEST_CASE("a pipeline message is a rank's own rows under sequence and context parallelism") {
  CHECK(message_bytes(stage_of(llama_70b(2), 1)) ==
        std::vector<std::int64_t>{8192 / 2 * 8192 * 2 / 4});
  CHECK(message_bytes(stage_of(llama_70b(1), 1)) == std::vector<std::int64_t>{8192 * 8192 * 2 / 4});
}

TEST_CASE("software that splits messages sends a part from each rank, gathered behind") {
  Recipe recipe = llama_70b(1);
  recipe.parallelism.sequence_parallel = false;
  const auto message = [&](PipelineMessages how) {
    recipe.software.pipeline_messages = Sourced<PipelineMessages>{how, ""};
    const StepSetup setup(recipe, "dgx-superpod-h100", 16);
    const int rank = rank_grid(recipe, 16 * 8).rank({0, 0, 0, 1});
    return stage_message(setup.context(), rank, 1);
  };
  const TransferCost whole = message(PipelineMessages::whole);
  const TransferCost split = message(PipelineMessages::split);
  CHECK(whole.bytes.value() == 8192 * 8192 * 2);
  CHECK(split.bytes.value() == whole.bytes.value() / 4);
  CHECK(split.latency > whole.latency);
  CHECK(split.alone() < whole.alone());
  recipe.parallelism.sequence_parallel = true;
  CHECK(message(PipelineMessages::split).alone() == message(PipelineMessages::whole).alone());
}

TEST_CASE("without sequence parallelism every tensor-parallel rank sends all rows") {
  Recipe recipe = llama_70b(2);
  recipe.parallelism.sequence_parallel = false;
  CHECK(message_bytes(stage_of(recipe, 1)) == std::vector<std::int64_t>{8192 / 2 * 8192 * 2});
}

TEST_CASE("an inner stage sends and receives once a pass, the ends once less a micro-batch") {
  const Recipe recipe = llama_70b(2);  // DP4: 16 micro-batches of five chunks
  CHECK(count(stage_of(recipe, 1), Label::send) == 2 * 16 * 5);
  CHECK(count(stage_of(recipe, 1), Label::receive) == 2 * 16 * 5);
  CHECK(count(stage_of(recipe, 0), Label::send) == 2 * 16 * 5 - 16);
  CHECK(count(stage_of(recipe, 3), Label::receive) == 2 * 16 * 5 - 16);
}

TEST_CASE("a single stage sends nothing") {
  CHECK(count(stage_of(llama_8b(), 0), Label::send) == 0);
  CHECK(count(stage_of(llama_8b(), 0), Label::receive) == 0);
}

TEST_CASE("all parameters of a stage are gathered and all their gradients reduced") {
  for (const bool overlap : {false, true}) {
    Recipe recipe = llama_70b(2);
    recipe.overlap.overlap_grad_reduce = overlap;
    recipe.overlap.overlap_param_gather = overlap;
    std::int64_t parameters = 0;
    for (const ChunkLayout& chunk : stage_chunks(recipe, 0))
      parameters += chunk_parameters(ModelTotals(recipe), chunk);
    const Program program = stage_of(recipe, 0);
    CHECK(bytes_of_label(program, Label::gradient_reduce, GroupKind::data) == 2 * parameters);
    CHECK(bytes_of_label(program, Label::parameter_gather, GroupKind::data) == 2 * parameters);
  }
}

TEST_CASE("an unoverlapped gather of the parameters comes after the optimizer") {
  const Program program = stage_of(llama_70b(2), 0);
  std::size_t last_optimizer = 0;
  for (std::size_t op = 0; op < program.ops.size(); ++op) {
    if (program.ops[op].label == Label::optimizer) last_optimizer = op;
  }
  for (std::size_t op = 0; op < program.ops.size(); ++op) {
    if (program.ops[op].label == Label::parameter_gather) CHECK(op > last_optimizer);
  }
}

TEST_CASE("sequence parallelism sums the norms' gradients over the tensor-parallel group") {
  Recipe recipe = llama_70b(2);
  // 20 layers a stage, two norms each, BF16 gradients.
  CHECK(bytes_of_label(stage_of(recipe, 1), Label::gradient_reduce, GroupKind::tensor) ==
        20 * 2 * 8192 * 2);
  recipe.parallelism.sequence_parallel = false;
  CHECK(bytes_of_label(stage_of(recipe, 1), Label::gradient_reduce, GroupKind::tensor) == 0);
}

TEST_CASE(
    "deferred weight gradients of the output layer run after the last pass of the last stage") {
  Recipe recipe = llama_70b(2);
  recipe.overlap.defer_embedding_wgrad_compute = true;
  recipe.overlap.wgrad_deferral_limit = 3;
  CHECK(count(stage_of(recipe, 0), Label::weight_gradient) == 0);
  const Program last = stage_of(recipe, 3);
  REQUIRE(count(last, Label::weight_gradient) == 1);
  bool seen = false;
  for (const Op& op : last.ops) {
    if (op.label == Label::weight_gradient) {
      seen = true;
      CHECK(last.compute_costs[op.cost].time == std::chrono::milliseconds(3));
    }
    if (op.label == Label::backward) CHECK(!seen);
  }
}

TEST_CASE("replicas wait for each other in every pass where they share amax, else once a step") {
  Recipe recipe = llama_70b(1);
  const Program bf16 = stage_of(recipe, 1);
  CHECK(waited(bf16, Label::forward) == 0);
  CHECK(waited(bf16, Label::gradient_reduce) > 0);
  recipe.training.precision = Precision::fp8;
  const Program fp8 = stage_of(recipe, 1);
  CHECK(waited(fp8, Label::forward) > 0);
  CHECK(waited(fp8, Label::gradient_reduce) < waited(bf16, Label::gradient_reduce));
  recipe.software.tp_only_amax_red.value = true;
  CHECK(waited(stage_of(recipe, 1), Label::forward) == 0);
}

TEST_CASE("ops come after earlier ones only") {
  for (const int stage : {0, 1, 3}) {
    const Program program = stage_of(llama_70b(2), stage);
    for (std::uint32_t op = 0; op < program.ops.size(); ++op) {
      for (const std::uint32_t before : program.ops[op].after) {
        if (before != kNoOp) CHECK(before < op);
      }
    }
  }
}

TEST_CASE("the first and the last stage add up their gradients of a table that both hold") {
  Recipe recipe = llama_70b(1);
  const auto exchanged = [&](int stage, GroupKind out, GroupKind in) {
    const Program program = stage_of(recipe, stage);
    const std::int64_t table = 128256 / 4 * 8192 * 2;
    const auto whole = [&](Label label, GroupKind group) {
      return std::count_if(program.ops.begin(), program.ops.end(), [&](const Op& op) {
        return op.label == label && op.group == group && !op.compute &&
               program.transfers[op.cost].bytes.value() == table;
      });
    };
    return whole(Label::send, out) == 1 && whole(Label::receive, in) == 1;
  };
  CHECK_FALSE(exchanged(0, GroupKind::to_previous, GroupKind::from_previous));
  recipe.model.share_embeddings_and_output_weights = true;
  CHECK(exchanged(0, GroupKind::to_previous, GroupKind::from_previous));
  CHECK(exchanged(3, GroupKind::to_next, GroupKind::from_next));
  CHECK_FALSE(exchanged(1, GroupKind::to_next, GroupKind::from_next));
  CHECK_FALSE(exchanged(1, GroupKind::to_previous, GroupKind::from_previous));
}

}  // namespace simtrain::testing::stage_program_test
