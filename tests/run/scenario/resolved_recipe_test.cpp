#include "sim/run/results/resolved_recipe.h"

#include <doctest/doctest.h>

#include "sim/workload/model/fields/model_fields.h"
#include "sim/workload/model/layers/model_parts.h"
#include "tests/run/scenarios.h"

namespace simtrain::testing::resolved_recipe_test {
namespace {

using testing::data_folder;

TEST_CASE("Parameter counts are the published ones of Llama 3.1") {
  const std::vector<std::pair<std::string, std::int64_t>> published{
      {"llama3.1-8b", 8'030'261'248},
      {"llama3.1-70b", 70'553'706'496},
      {"llama3.1-405b", 405'853'388'800}};
  for (const auto& [name, count] : published) {
    const std::string shown = name;
    CAPTURE(shown);
    const auto model = data_folder().load<ModelSpec>("scenarios/models", name, {}, "model");
    CHECK(model.vocab_size == 128256);
    CHECK(model_parameters(model) == count);
  }
}

TEST_CASE("A GPU holds its share of each matrix and whole norms; stages add up to the model") {
  const Scenario scenario = testing::scenario("llama31_70b_h100", "bf16-64");
  const Recipe& recipe = scenario.recipe;
  const ParameterCounts counts = parameter_counts(recipe);
  CHECK(counts.model == 70'553'706'496);
  const std::int64_t norms = (2 * recipe.model.num_layers + 1) * recipe.model.hidden_size;
  CHECK(counts.mean * recipe.pp() ==
        doctest::Approx(static_cast<double>((counts.model - norms) / recipe.tp() + norms)));
  CHECK(static_cast<double>(counts.fullest) > counts.mean);  // embedding or head
  CHECK((counts.fullest_stage == 0 || counts.fullest_stage == recipe.pp() - 1));

  const ParameterCounts whole =
      parameter_counts(testing::scenario("llama31_8b_h100", "bf16-8", {"tp=1", "pp=1"}).recipe);
  CHECK(whole.fullest == whole.model);
  CHECK(whole.mean == static_cast<double>(whole.model));
  CHECK(whole.fullest_stage == 0);
}

TEST_CASE("The report has what a step works on") {
  const Report report = simulate(testing::scenario("llama31_8b_h100", "bf16-8"));
  const TrainingSpec& training = report.recipe.keys.training;
  CHECK(report.tokens_per_step() == training.seq_length * training.global_batch_size);
  CHECK(report.data_parallel * report.micro_batches * training.micro_batch_size ==
        training.global_batch_size);
  CHECK(report.parameters.model == 8'030'261'248);
}

TEST_CASE("A precision that the GPU has no rates of is refused where it is written") {
  CHECK_THROWS_WITH_AS(
      testing::scenario("gpt3_7b_golden", "tp4-pp1-a100", {"precision=fp8"}),
      "--set precision=fp8:1:11: training.precision: 'fp8' is not computed by a100-sxm, whose file "
      "has no rates of it; bf16 would do",
      InputError);
}

TEST_CASE(
    "The golden runs of Megatron are simulated at the batch that their steps were logged at") {
  for (const auto& [file, batch] :
       {std::pair{"gpt3_15b_golden", 384}, std::pair{"gpt3_7b_golden", 8}}) {
    const ScenarioSource source = testing::scenario_file(file);
    for (const std::string& row : source.row_names()) {
      CAPTURE(row);
      CHECK(source.scenario(data_folder(), row, {}).recipe.training.global_batch_size == batch);
    }
  }
}

}  // namespace
}  // namespace simtrain::testing::resolved_recipe_test
