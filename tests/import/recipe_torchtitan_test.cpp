#include <algorithm>

#include <doctest/doctest.h>

#include "tests/core/checkout.h"
#include "tests/core/error_of.h"
#include "tests/import/recipes.h"

namespace simtrain::testing::recipe_torchtitan_test {
namespace {

const std::string kTitan = "llama31_70b_titan.toml";

RecipeRequest titan_job(const std::vector<std::string>& overrides = {}) {
  RecipeRequest request = job("h100-96gb", "torchtitan-2025");
  request.nodes = 32;
  request.overrides = overrides;
  return request;
}

Recipe imported(const RecipeRequest& request) {
  return scenario_in(import_recipe(recipe_file(kTitan), request).yaml).recipe;
}

std::string refused(const RecipeRequest& request) {
  return error_of([&] { import_recipe(recipe_file(kTitan), request); });
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a torchtitan configuration gives the scenario of the measured run") {
  const DataFolder data(source_dir());
  const Scenario known =
      ScenarioSource::from_file(data.root() + "/validation/measured/scenarios/titan_h100_70b.yaml")
          .scenario(data, "fp8-256-async", {});
  CHECK(format_name(recipe_file(kTitan).text) == "torchtitan");
  const Scenario mine = scenario_in(import_recipe(recipe_file(kTitan), titan_job()).yaml);
  CHECK(mine.recipe.model.name == known.recipe.model.name);
  CHECK(mine.recipe.training.precision == known.recipe.training.precision);
  CHECK(mine.recipe.training.fp8_params);
  CHECK(mine.recipe.training.micro_batch_size == 16);
  CHECK(mine.recipe.training.global_batch_size == 512);
  CHECK(mine.recipe.tp() == 8);
  CHECK(mine.recipe.parallelism.sequence_parallel);
  CHECK(mine.recipe.overlap.tp_comm_overlap);
  CHECK(mine.recipe.overlap.tp_comm_overlap_table == known.recipe.overlap.tp_comm_overlap_table);
  CHECK(mine.recipe.overlap.overlap_param_gather);
  CHECK(mine.recipe.optimizer.grad_reduce_dtype == DataType::fp32);
  CHECK(mine.recipe.sharding == known.recipe.sharding);
  CHECK(mine.recipe.recompute == Recompute::full);
  CHECK(mine.placement.nodes == known.placement.nodes);
}

TEST_CASE("degrees of torchtitan that are all given make the number of GPUs") {
  RecipeRequest request = titan_job(
      {"parallelism.data_parallel_shard_degree=8", "parallelism.data_parallel_replicate_degree=2"});
  request.nodes.reset();
  const Scenario scenario = scenario_in(import_recipe(recipe_file(kTitan), request).yaml);
  CHECK(scenario.placement.nodes == 16);
  CHECK(scenario.recipe.sharding.data_parallel_replicate_degree == 2);
  CHECK(scenario.recipe.training.global_batch_size == 16 * 16);
  request.nodes = 32;
  CHECK(holds(refused(request),
              "8 shards of 2 replicas with CP 1 are not the 32 ranks of DP x "
              "CP; another --nodes would do"));
  request.nodes.reset();
  request.overrides[0] = "parallelism.data_parallel_shard_degree=1";
  CHECK(imported(request).shards() == Sharding::ddp);
}

TEST_CASE("checkpointing of activations by operator, by layer and not at all") {
  const auto recompute = [](const std::string& mode, const std::string& option) {
    return imported(titan_job({"activation_checkpoint.mode=" + mode,
                               "+activation_checkpoint.selective_ac_option=" + option}))
        .recompute;
  };
  CHECK(recompute("none", "op") == Recompute::none);
  CHECK(recompute("full", "2") == Recompute::full);
  CHECK(recompute("selective", "op") == Recompute::selective_op);
  CHECK(recompute("selective", "1") == Recompute::full);
  for (const int every : {2, 3}) {
    const Recipe recipe = imported(
        titan_job({"activation_checkpoint.mode=selective",
                   "+activation_checkpoint.selective_ac_option=" + std::to_string(every)}));
    CHECK(recipe.recompute == Recompute::full);
    CHECK(recipe.recompute_every_nth_layer == every);
  }
  for (const std::string wrong : {"0", "-2", "every", "2.5"})
    CHECK(holds(refused(titan_job({"activation_checkpoint.mode=selective",
                                   "+activation_checkpoint.selective_ac_option=" + wrong})),
                "activation_checkpoint.selective_ac_option: '" + wrong +
                    "' is not modelled; --override activation_checkpoint.mode=full"));
  CHECK(holds(refused(titan_job({"activation_checkpoint.mode=memory_budget"})),
              "'memory_budget' is not modelled"));
}

TEST_CASE("pipeline stages of torchtitan keep their parameters over micro-batches") {
  const std::vector<std::string> staged{"parallelism.pipeline_parallel_degree=4",
                                        "parallelism.tensor_parallel_degree=4"};
  const Recipe recipe = imported(titan_job(staged));
  CHECK(recipe.pp() == 4);
  CHECK(recipe.vp() == 1);
  CHECK(recipe.training.micro_batch_size == 1);
  CHECK(recipe.training.global_batch_size == 16 * 16);
  CHECK(!recipe.sharding.reshard_after_forward);
  std::vector<std::string> interleaved = staged;
  interleaved.emplace_back("+parallelism.pipeline_parallel_schedule=Interleaved1F1B");
  interleaved.emplace_back("+parallelism.pipeline_parallel_microbatch_size=2");
  interleaved.emplace_back("+parallelism.fsdp_reshard_after_forward=always");
  const Recipe chunks = imported(titan_job(interleaved));
  CHECK(chunks.vp() == 2);
  CHECK(chunks.training.micro_batch_size == 2);
  CHECK(chunks.sharding.reshard_after_forward == true);
  interleaved[2] = "+parallelism.pipeline_parallel_schedule=GPipe";
  const Recipe simple = imported(titan_job(interleaved));
  CHECK(simple.vp() == 1);
  CHECK(simple.parallelism.pipeline_schedule == PipelineSchedule::gpipe);
  interleaved[2] = "+parallelism.pipeline_parallel_schedule=ZBVZeroBubble";
  CHECK(holds(refused(titan_job(interleaved)),
              "zb_v runs weight gradients later than sharding.strategy fsdp2 reduces them"));
  interleaved[2] = "+parallelism.pipeline_parallel_schedule=InterleavedZeroBubble";
  CHECK(holds(refused(titan_job(interleaved)), "'InterleavedZeroBubble' is not modelled"));
}

TEST_CASE("a global batch of several runs of the pipeline is noted") {
  const auto noted = [](const std::string& global_batch) {
    const auto notes = import_recipe(recipe_file(kTitan),
                                     titan_job({"parallelism.pipeline_parallel_degree=4",
                                                "+training.global_batch_size=" + global_batch}))
                           .notes;
    return std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
      return holds(note,
                   "training.global_batch_size, in one run of the pipeline schedule; the "
                   "framework runs it 4 times, each with a bubble of its own");
    });
  };
  CHECK(noted("512"));  // 8 replicas of 16 samples
  CHECK(!noted("128"));
}

TEST_CASE("precisions of torchtitan") {
  CHECK(imported(titan_job({"model.converters=[]"})).training.precision == Precision::bf16);
  RecipeRequest mx = titan_job({"model.converters=[quantize.linear.mx]"});
  mx.cluster = "dgx-superpod-b200";
  CHECK(imported(mx).training.precision == Precision::fp8_mx);
  CHECK(imported(titan_job({"+training.mixed_precision_reduce=bfloat16"}))
            .optimizer.grad_reduce_dtype == DataType::bf16);
  const std::string gathers = "float8.enable_fsdp_float8_all_gather=";
  const Recipe rows = imported(titan_job({"+float8.recipe_name=rowwise", gathers + "false"}));
  CHECK(rows.training.precision == Precision::fp8_rowwise);
  CHECK(!rows.training.fp8_params);
  CHECK(holds(refused(titan_job({"+float8.recipe_name=rowwise", gathers + "true"})),
              "training.fp8_params: is true with precision fp8_rowwise, whose weights are kept and "
              "gathered in BF16; false would do"));
  CHECK(holds(refused(titan_job({"+float8.recipe_name=rowwise_with_gw_hp"})),
              "float8.recipe_name: FP8 by 'rowwise_with_gw_hp' is not modelled; --set "
              "training.precision="));
  CHECK(
      holds(refused(titan_job({"model.converters=[]", "+training.mixed_precision_param=float32"})),
            "training.mixed_precision_param: 'float32' is not modelled"));
}

TEST_CASE("a torchtitan configuration is refused where it is not understood") {
  CHECK(holds(refused(titan_job({"model.flavor=9B"})),
              "model.flavor: 'llama3 9B' is no model that is known here by name; --model NAME"));
  RecipeRequest named = titan_job({"model.flavor=9B"});
  named.model = "llama3.1-8b";
  CHECK(imported(named).model.name == "llama3.1-8b");
  CHECK(holds(refused(titan_job({"optimizer.name=Muon"})), "AdamW is simulated"));
  const ImportFile broken = with(recipe_file(kTitan), "flavor = \"70B\"", "flavor = 70B");
  CHECK(holds(error_of([&] { import_recipe(broken, titan_job()); }),
              "tests/import/data/llama31_70b_titan.toml:15:12: is no TOML: "));
  const ImportFile sign = with(recipe_file(kTitan), "[parallelism]", "[${llelism]");
  CHECK(holds(error_of([&] { import_recipe(sign, titan_job()); }),
              "llama31_70b_titan.toml:34:1: is no TOML: the name of a table starts as none can"));
  const ImportFile twice = with(recipe_file(kTitan), "steps = 1000", "seq_len = 1000");
  CHECK(holds(error_of([&] { import_recipe(twice, titan_job()); }), "is no TOML: "));
}

TEST_CASE("keys of torchtitan's first releases are taken where they were") {
  RecipeRequest request =
      titan_job({"~parallelism.tensor_parallel_degree", "+training.tensor_parallel_degree=4",
                 "~parallelism.enable_async_tensor_parallel",
                 "+experimental.enable_async_tensor_parallel=false", "~training.local_batch_size",
                 "+training.batch_size=2"});
  const Recipe recipe = imported(request);
  CHECK(recipe.tp() == 4);
  CHECK(!recipe.overlap.tp_comm_overlap);
  CHECK(recipe.training.micro_batch_size == 2);
  const Recipe staged = imported(titan_job(
      {"parallelism.pipeline_parallel_degree=2", "+experimental.pipeline_parallel_microbatches=4",
       "~parallelism.data_parallel_shard_degree", "+training.data_parallel_degree=16",
       "training.local_batch_size=8", "~model.converters", "+training.enable_fp8_linear=false"}));
  CHECK(staged.pp() == 2);
  CHECK(staged.training.micro_batch_size == 2);
  CHECK(staged.training.precision == Precision::bf16);
}

TEST_CASE("keys of the first releases count, and those that nobody knows are named") {
  const auto with_key = [](const std::string& key) {
    return imported(titan_job({"~model.converters", "+" + key}));
  };
  CHECK(with_key("training.enable_float8_linear=true").training.precision == Precision::fp8_cs);
  CHECK(with_key("training.fp8_linear=dynamic").training.precision == Precision::fp8_cs);
  CHECK(with_key("training.fp8_linear=\"\"").training.precision == Precision::bf16);
  CHECK(with_key("model.norm_type=fused_rmsnorm").tp() > 0);
  CHECK(imported(titan_job({"~parallelism.tensor_parallel_degree",
                            "~parallelism.enable_async_tensor_parallel",
                            "+training.sequence_parallel_degree=4"}))
            .tp() == 4);
  CHECK(holds(refused(titan_job({"+training.data_parallel_type=ddp"})),
              "training.data_parallel_type: is set to 'ddp'; replicas are given by"));
  const ImportedRecipe unknown =
      import_recipe(recipe_file(kTitan), titan_job({"+training.new_thing=1"}));
  CHECK(holds(unknown.yaml, "training.new_thing"));
  CHECK(holds(refused(titan_job({"activation_checkpoint.mode=memory_budget"})),
              "--override activation_checkpoint.mode=full takes one that is"));
}

TEST_CASE("state in another type than FP32 is refused") {
  CHECK(holds(refused(titan_job({"+training.dtype=bfloat16"})),
              "training.dtype: is set to 'bfloat16'; parameters and optimizer states are simulated "
              "in FP32"));
  CHECK(imported(titan_job({"+training.dtype=float32"})).tp() > 0);
}

}  // namespace simtrain::testing::recipe_torchtitan_test
