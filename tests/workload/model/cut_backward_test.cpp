// A backward cut into input gradient and weight gradient: the same kernels in two pieces.
#include <algorithm>

#include <doctest/doctest.h>

#include "sim/workload/plan/stage_passes.h"
#include "tests/workload/expanded.h"

namespace simtrain::testing::cut_backward_test {

namespace {

Recipe tensor_parallel(const std::string& model, Precision precision) {
  Recipe recipe = recipe_of(model);
  recipe.training.precision = precision;
  recipe.parallelism.tensor_model_parallel_size = 2;
  recipe.parallelism.pipeline_model_parallel_size = 4;
  recipe.parallelism.sequence_parallel = true;
  return recipe;
}

const std::vector<Recipe>& recipes() {
  static const std::vector<Recipe> all{
      tensor_parallel("llama3.1-8b", Precision::bf16),
      tensor_parallel("llama3.1-8b", Precision::fp8),
      tensor_parallel("nemotron4-15b", Precision::bf16),
      tensor_parallel("mixtral-8x7b", Precision::bf16),
  };
  return all;
}

std::int64_t all_wire(const Expanded& piece) {
  std::int64_t sum = 0;
  for (const TransferCost& transfer : piece.transfers(Stream::tensor)) sum += transfer.wire.value();
  return sum;
}

}  // namespace

TEST_CASE("both halves of a backward are the kernels and the traffic of the whole") {
  for (const Recipe& recipe : recipes()) {
    CAPTURE(recipe.model.name);
    for (const Part part : {Part::layer, Part::head}) {
      const Expanded whole(recipe, {part, Phase::backward});
      const Expanded input(recipe, {part, Phase::input_gradient});
      const Expanded weight(recipe, {part, Phase::weight_gradient});
      CHECK(input.recorder.kernels.size() + weight.recorder.kernels.size() ==
            whole.recorder.kernels.size());
      CHECK(input.flops<Gemm>() + weight.flops<Gemm>() == doctest::Approx(whole.flops<Gemm>()));
      CHECK(all_wire(input) + all_wire(weight) == all_wire(whole));
      CHECK(input.kernels<Attention>().size() == whole.kernels<Attention>().size());
    }
  }
}

TEST_CASE("the weight gradients of a layer are products alone and call nobody") {
  for (const Recipe& recipe : recipes()) {
    if (recipe.precision().quantized()) continue;
    CAPTURE(recipe.model.name);
    const Expanded weight(recipe, {Part::layer, Phase::weight_gradient});
    CHECK(weight.kernels<Gemm>().size() == weight.recorder.kernels.size());
    for (const Gemm& gemm : weight.kernels<Gemm>()) CHECK(gemm.accumulate);
    CHECK(weight.transfers(Stream::tensor).empty());
  }
}

TEST_CASE("passes count the pieces of their schedule") {
  Recipe recipe = tensor_parallel("llama3.1-8b", Precision::bf16);
  const auto counted = [&](PipelineSchedule schedule, Phase phase) {
    recipe.parallelism.pipeline_schedule = schedule;
    return piece_counts(recipe, 3, 8)[{Part::layer, phase}];
  };
  constexpr int kLayers = 8;  // of a stage
  CHECK(counted(PipelineSchedule::gpipe, Phase::backward) == 8 * kLayers);
  CHECK(counted(PipelineSchedule::gpipe, Phase::weight_gradient) == 0);
  CHECK(counted(PipelineSchedule::zero_bubble_h1, Phase::forward) == 8 * kLayers);
  CHECK(counted(PipelineSchedule::zero_bubble_h1, Phase::backward) == 0);
  CHECK(counted(PipelineSchedule::zero_bubble_h1, Phase::input_gradient) == 8 * kLayers);
  CHECK(counted(PipelineSchedule::zero_bubble_h1, Phase::weight_gradient) == 8 * kLayers);
  recipe.parallelism.virtual_pipeline_model_parallel_size = 2;
  // Of the last stage, written out: four cut backwards of sixteen.
  CHECK(counted(PipelineSchedule::dual_pipe_v, Phase::backward) == 12 * kLayers / 2);
  CHECK(counted(PipelineSchedule::dual_pipe_v, Phase::input_gradient) == 4 * kLayers / 2);
  CHECK(counted(PipelineSchedule::dual_pipe_v, Phase::weight_gradient) == 4 * kLayers / 2);
}

}  // namespace simtrain::testing::cut_backward_test
