// Values that frameworks give keys by code of their own, and keys that change what a model is.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/core/error_of.h"
#include "tests/import/recipes.h"

namespace simtrain::testing::recipe_defaults_test {
namespace {

Scenario read(const ImportFile& file, const RecipeRequest& request) {
  return scenario_in(import_recipe(file, request).yaml);
}

std::string refused(const ImportFile& file, const RecipeRequest& request) {
  return error_of([&] { static_cast<void>(import_recipe(file, request)); });
}

RecipeRequest on(const std::string& software, int nodes) {
  RecipeRequest request = job("dgx-superpod-h100", software);
  request.nodes = nodes;
  return request;
}

// --- MaxText ---

ImportFile maxtext(const std::string& keys) {
  return {"own.yml", "per_device_batch_size: 2\nmax_target_length: 2_048\n" + keys};
}

TEST_CASE(
    "MaxText's global_parameter_scale doubles heads and FFN, then the hidden size, then layers") {
  const RecipeRequest request = on("maxtext-2025", 4);
  const auto model = [&](int scale) {
    return read(maxtext(
                    fmt::format("ici_fsdp_parallelism: -1\nglobal_parameter_scale: {}\n", scale)),
                request)
        .recipe.model;
  };
  const auto is = [](const ModelSpec& made, int layers, int hidden, int heads, int ffn) {
    CHECK(made.num_layers == layers);
    CHECK(made.hidden_size == hidden);
    CHECK(made.num_attention_heads == heads);
    CHECK(made.num_query_groups == heads);
    CHECK(made.ffn_hidden_size == ffn);
    CHECK(made.kv_channels == 128);
  };
  is(model(1), 16, 2048, 16, 7168);
  is(model(2), 16, 2048, 32, 14336);
  is(model(4), 16, 4096, 32, 14336);
  is(model(8), 32, 4096, 32, 14336);
  is(model(16), 32, 4096, 64, 28672);
  is(model(64), 64, 8192, 64, 28672);
  CHECK(refused(maxtext("global_parameter_scale: 3\n"), request).find("is no power of two") !=
        std::string::npos);
  const ModelSpec own =
      read(maxtext("base_emb_dim: 1024\nglobal_parameter_scale: 4\n"), request).recipe.model;
  CHECK(own.hidden_size == 2048);
}

TEST_CASE("MaxText's products of experts that are not sparse are refused, or fill buffers") {
  const RecipeRequest request = on("maxtext-2025", 4);
  const std::string mixtral =
      "model_name: mixtral-8x7b\nsparse_matmul: False\nici_fsdp_parallelism: 8\n"
      "dcn_fsdp_parallelism: 4\n";
  CHECK(refused(maxtext(mixtral), request).find("sparse_matmul: is false") != std::string::npos);
  const Scenario padded = read(maxtext(mixtral + "capacity_factor: 1.25\n"), request);
  CHECK(padded.recipe.moe.moe_pad_expert_input_to_capacity);
  CHECK(read(maxtext("model_name: llama2-7b\nsparse_matmul: False\n"), request)
            .recipe.model.num_layers == 32);
}

// --- torchtitan ---

ImportFile titan(const std::string& model, const std::string& parallelism) {
  return {"own.toml", fmt::format("[model]\n{}\n[training]\nlocal_batch_size = 16\nseq_len = 4096\n"
                                  "[parallelism]\n{}\n[activation_checkpoint]\nmode = \"full\"\n",
                                  model, parallelism)};
}

TEST_CASE("torchtitan counts the embedding and the output layer where layers do not split evenly") {
  const std::string staged =
      "pipeline_parallel_degree = {}\npipeline_parallel_schedule = \"{}\"\n{}";
  const auto split = [&](const std::string& model, int stages, const std::string& schedule,
                         const std::string& more) {
    return read(titan(model, fmt::format(fmt::runtime(staged), stages, schedule, more)),
                on("torchtitan-2025", 16))
        .recipe.parallelism;
  };
  const std::string llama405 = "name = \"llama3\"\nflavor = \"405B\"";
  const ParallelismSpec counted = split(llama405, 8, "Interleaved1F1B", "");
  CHECK(counted.account_for_embedding_in_pipeline_split);
  CHECK(counted.account_for_loss_in_pipeline_split);
  CHECK(counted.virtual_pipeline_model_parallel_size == 2);
  const std::string llama70 = "name = \"llama3\"\nflavor = \"70B\"";
  CHECK_FALSE(split(llama70, 4, "1F1B", "").account_for_loss_in_pipeline_split);
  const std::string ends =
      "pipeline_parallel_first_stage_less_layers = 1\npipeline_parallel_last_stage_less_layers = 1";
  CHECK(split(llama70, 4, "1F1B", ends).pipeline_model_parallel_layout == "Et*20|t*21|t*20|t*19L");
  CHECK(split("name = \"deepseek_v3\"\nflavor = \"671B\"", 8, "1F1B", "")
            .pipeline_model_parallel_layout == "Et*7|t*8|t*8|t*8|t*8|t*8|t*8|t*6L");
}

TEST_CASE("torchtitan's degree of tensor parallelism of experts has no effect without EP") {
  const std::string scout = "name = \"llama4\"\nflavor = \"17bx16e\"";
  const std::string plan =
      "tensor_parallel_degree = 8\nexpert_parallel_degree = {}\nexpert_tensor_parallel_degree = 1";
  const auto etp = [&](int ep) {
    return read(titan(scout, fmt::format(fmt::runtime(plan), ep)), on("torchtitan-2025", 8))
        .recipe.etp();
  };
  CHECK(etp(1) == 8);
  CHECK(etp(8) == 1);
}

TEST_CASE("torchtitan trains DeepSeek-V3 without multi-token prediction") {
  CHECK(read(titan("name = \"deepseek_v3\"\nflavor = \"671B\"", "expert_parallel_degree = 8"),
             on("torchtitan-2025", 32))
            .recipe.model.mtp_num_layers == 0);
}

// --- others ---

TEST_CASE("a size of the vocabulary that no key gives is the tokenizer's, or asked for") {
  const std::string script =
      "python pretrain_gpt.py --num-layers 32 --hidden-size 4096 --ffn-hidden-size 11008 "
      "--num-attention-heads 32 --seq-length 4096 --tokenizer-type {} --swiglu "
      "--normalization RMSNorm --disable-bias-linear --untie-embeddings-and-output-weights "
      "--position-embedding-type rope --micro-batch-size 1 --global-batch-size 256 "
      "--tensor-model-parallel-size 2 --sequence-parallel --use-distributed-optimizer --bf16\n";
  const RecipeRequest request = on("megatron-core-2025", 4);
  const auto with_tokenizer = [&](const std::string& name) {
    return ImportFile{"own.sh", fmt::format(fmt::runtime(script), name)};
  };
  CHECK(read(with_tokenizer("Llama2Tokenizer"), request).recipe.model.vocab_size == 32000);
  CHECK(refused(with_tokenizer("SentencePieceTokenizer"), request)
            .find("baichuan2-7b, internlm-7b, llama2-7b, whose vocabularies differ") !=
        std::string::npos);
}

TEST_CASE("layers of GPT-NeoX other than attention to all keys are refused") {
  const std::string neox =
      "{{\"pipe_parallel_size\": 1, \"model_parallel_size\": 1, \"num_layers\": 24, "
      "\"hidden_size\": 2048, \"num_attention_heads\": 16, \"seq_length\": 2048, "
      "\"max_position_embeddings\": 2048, \"attention_config\": [[[\"{}\"], 24]], "
      "\"train_micro_batch_size_per_gpu\": 4, \"train_batch_size\": 128, "
      "\"tokenizer_type\": \"GPT2BPETokenizer\", \"precision\": \"bfloat16\", "
      "\"fp32_allreduce\": true, \"bf16\": {{\"enabled\": true}}, "
      "\"zero_optimization\": {{\"stage\": 1}}}}";
  const RecipeRequest request = on("gpt-neox-2023", 4);
  const auto of = [&](const std::string& kind) {
    return ImportFile{"own.yml", fmt::format(fmt::runtime(neox), kind)};
  };
  CHECK(refused(of("mamba"), request).find("'mamba' layers of GPT-NeoX are not imported") !=
        std::string::npos);
  CHECK(refused(of("local"), request).find("~attention_config") != std::string::npos);
  const Scenario flash = read(of("flash"), request);
  CHECK(flash.recipe.training.precision == Precision::bf16);
  CHECK(flash.recipe.optimizer.grad_reduce_dtype == DataType::fp32);
}

}  // namespace
}  // namespace simtrain::testing::recipe_defaults_test
