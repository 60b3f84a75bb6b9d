// Every committed scenario, written as a Megatron-LM command line, imports to what it was.
#include <algorithm>
#include <random>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/import/formats/recipe_format.h"
#include "tests/property/rows.h"

namespace simtrain::testing::recipe_test {
namespace {

using Options = std::vector<std::pair<std::string, std::string>>;  // name and value

void add_flag(Options& options, const std::string& name, bool is) {
  if (is) options.emplace_back(name, "");
}

void add_model(Options& options, const ModelSpec& model) {
  options.emplace_back("num-layers", std::to_string(model.num_layers));
  options.emplace_back("hidden-size", std::to_string(model.hidden_size));
  options.emplace_back("ffn-hidden-size", std::to_string(model.ffn_hidden_size));
  options.emplace_back("num-attention-heads", std::to_string(model.num_attention_heads));
  add_flag(options, "group-query-attention", true);
  options.emplace_back("num-query-groups", std::to_string(model.num_query_groups));
  options.emplace_back("kv-channels", std::to_string(model.kv_channels));
  options.emplace_back("vocab-size", std::to_string(model.vocab_size));
  options.emplace_back("make-vocab-size-divisible-by", "1");
  add_flag(options, "swiglu", model.activation == Activation::swiglu);
  add_flag(options, "squared-relu", model.activation == Activation::squared_relu);
  const bool rms = model.normalization == Normalization::rmsnorm;
  options.emplace_back("normalization", rms ? "RMSNorm" : "LayerNorm");
  add_flag(options, "apply-layernorm-1p", !rms);
  options.emplace_back("position-embedding-type", "rope");
  options.emplace_back("rotary-percent", fmt::format("{}", model.rotary_percent));
  add_flag(options, "untie-embeddings-and-output-weights",
           !model.share_embeddings_and_output_weights);
}

/// Megatron's name of it.
std::string fp8_recipe(Precision precision) {
  switch (precision) {
    case Precision::fp8_cs:
      return "tensorwise";
    case Precision::fp8_mx:
      return "mxfp8";
    case Precision::fp8_sc:
      return "blockwise";
    case Precision::nvfp4:
      return "nvfp4";
    case Precision::bf16:
    case Precision::tf32:
    case Precision::fp8:
    case Precision::fp8_rowwise:  // no recipe of Megatron
      break;
  }
  return "delayed";
}

void add_step(Options& options, const Recipe& recipe) {
  const ParallelismSpec& parallelism = recipe.parallelism;
  options.emplace_back("seq-length", std::to_string(recipe.training.seq_length));
  options.emplace_back("micro-batch-size", std::to_string(recipe.training.micro_batch_size));
  options.emplace_back("global-batch-size", std::to_string(recipe.training.global_batch_size));
  add_flag(options, "bf16", true);
  if (recipe.precision().quantized()) {
    options.emplace_back("fp8-format", "hybrid");
    options.emplace_back("fp8-recipe", fp8_recipe(recipe.training.precision));
  }
  add_flag(options, "fp8-param-gather", recipe.training.fp8_params);
  options.emplace_back("tensor-model-parallel-size", std::to_string(recipe.tp()));
  options.emplace_back("pipeline-model-parallel-size", std::to_string(recipe.pp()));
  if (recipe.vp() > 1)
    options.emplace_back("num-virtual-stages-per-pipeline-rank", std::to_string(recipe.vp()));
  options.emplace_back("context-parallel-size", std::to_string(recipe.cp()));
  add_flag(options, "sequence-parallel", parallelism.sequence_parallel);
  add_flag(options, "account-for-embedding-in-pipeline-split",
           parallelism.account_for_embedding_in_pipeline_split);
  add_flag(options, "account-for-loss-in-pipeline-split",
           parallelism.account_for_loss_in_pipeline_split);
  add_flag(options, "recompute-activations", recipe.recompute == Recompute::selective);
  if (recipe.recompute == Recompute::full) {
    options.emplace_back("recompute-granularity", "full");
    options.emplace_back("recompute-method", "uniform");
    options.emplace_back("recompute-num-layers", "1");
  }
  add_flag(options, "enable-cuda-graph", recipe.cuda_graphs);
}

void add_overlap(Options& options, const Recipe& recipe) {
  const OverlapSpec& overlap = recipe.overlap;
  const OptimizerSpec& optimizer = recipe.optimizer;
  add_flag(options, "tp-comm-overlap", overlap.tp_comm_overlap);
  if (overlap.tp_comm_overlap)
    options.emplace_back("tp-comm-overlap-cfg", "conf/" + *overlap.tp_comm_overlap_table + ".yaml");
  add_flag(options, "no-overlap-p2p-communication", !overlap.overlap_p2p_comm);
  add_flag(options, "overlap-grad-reduce", overlap.overlap_grad_reduce);
  add_flag(options, "overlap-param-gather", overlap.overlap_param_gather);
  add_flag(options, "defer-embedding-wgrad-compute", overlap.defer_embedding_wgrad_compute);
  options.emplace_back("wgrad-deferral-limit", std::to_string(overlap.wgrad_deferral_limit));
  add_flag(options, "use-distributed-optimizer", optimizer.distributed);
  const bool bf16 = optimizer.grad_reduce_dtype == DataType::bf16;
  add_flag(options, "grad-reduce-in-bf16", bf16);
  options.emplace_back("ddp-bucket-size",
                       fmt::format("{:.0f}", optimizer.bucket_size_mb * 1e6 / (bf16 ? 2 : 4)));
}

/// The options in some order, some as --name=value, on some lines, in some quotes.
std::string command_line(Options options, std::mt19937_64& random) {
  std::shuffle(options.begin(), options.end(), random);
  std::string text = "#!/bin/bash\ntorchrun --nproc_per_node 8 pretrain_gpt.py";
  for (const auto& [name, value] : options) {
    text += random() % 2 == 0 ? " " : " \\\n    ";
    text += "--" + name;
    if (value.empty()) continue;
    const std::string_view quote = random() % 3 == 0 ? "\"" : "";
    text += fmt::format("{}{}{}{}", random() % 2 == 0 ? "=" : " ", quote, value, quote);
  }
  return text + "\n";
}

std::string fields_of(const Recipe& recipe) {
  Options options;
  add_model(options, recipe.model);
  add_step(options, recipe);
  add_overlap(options, recipe);
  std::string text = recipe.software.name;
  for (const auto& [name, value] : options) text += fmt::format("\n{} {}", name, value);
  return text;
}

}  // namespace

TEST_CASE("a scenario written as a Megatron command line imports to the same fields") {
  std::mt19937_64 random(20250314);
  std::size_t rows = 0;
  for (const ScenarioRow& row : all_rows()) {
    CAPTURE(row.file);
    CAPTURE(row.row);
    const Scenario known = scenario_of(row);
    Options options;
    add_model(options, known.recipe.model);
    add_step(options, known.recipe);
    add_overlap(options, known.recipe);
    RecipeRequest request;
    request.cluster = known.cluster.name;
    request.nodes = known.placement.nodes;
    request.software = known.recipe.software.name;
    const std::string text = command_line(options, random);
    CAPTURE(text);
    const ImportedRecipe imported =
        kMegatronArguments.read({"train.sh", text}, request, data_folder());
    const Scenario mine =
        ScenarioSource::from_text(imported.yaml, "imported.yaml").scenario(data_folder(), "", {});
    CHECK(fields_of(mine.recipe) == fields_of(known.recipe));
    CHECK(mine.gpus() == known.gpus());
    ++rows;
  }
  CHECK(rows > 70);
}

}  // namespace simtrain::testing::recipe_test
