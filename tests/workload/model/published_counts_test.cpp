// Parameter counts against what the models' publishers state: the number of elements in the
// safetensors files of each model's own repository on Hugging Face, from the shapes in its
// config.json.
#include <doctest/doctest.h>

#include "sim/workload/schedule/stage_layout.h"

namespace simtrain::testing::published_counts_test {

namespace {

struct Published {
  const char* model;
  int layers;
  std::int64_t hidden;
  std::int64_t ffn;
  int heads;
  int groups;
  std::int64_t channels;
  std::int64_t vocabulary;
  bool tied;
  std::int64_t parameters;
};

/// Decoders with gated MLPs and RMSNorm, without biases.
constexpr std::array kPublished{
    Published{"LLaMA 65B", 80, 8192, 22016, 64, 64, 128, 32000, false, 65285660672},
    Published{"Llama 2 7B", 32, 4096, 11008, 32, 32, 128, 32000, false, 6738415616},
    Published{"Llama 2 13B", 40, 5120, 13824, 40, 40, 128, 32000, false, 13015864320},
    Published{"Llama 2 70B", 80, 8192, 28672, 64, 8, 128, 32000, false, 68976648192},
    Published{"Code Llama 34B", 48, 8192, 22016, 64, 8, 128, 32000, false, 33743970304},
    Published{"Llama 3.1 8B", 32, 4096, 14336, 32, 8, 128, 128256, false, 8030261248},
    Published{"Llama 3.1 70B", 80, 8192, 28672, 64, 8, 128, 128256, false, 70553706496},
    Published{"Llama 3.1 405B", 126, 16384, 53248, 128, 8, 128, 128256, false, 405853388800},
    Published{"Llama 3.2 1B", 16, 2048, 8192, 32, 8, 64, 128256, true, 1235814400},
    Published{"Llama 3.2 3B", 28, 3072, 8192, 24, 8, 128, 128256, true, 3212749824},
    Published{"Mistral 7B", 32, 4096, 14336, 32, 8, 128, 32000, false, 7241732096},
    Published{"Mistral NeMo 12B", 40, 5120, 14336, 32, 8, 128, 131072, false, 12247782400},
    Published{"Mistral Large 2407", 88, 12288, 28672, 96, 8, 128, 32768, false, 122610069504},
    Published{"Yi 6B", 32, 4096, 11008, 32, 4, 128, 64000, false, 6061035520},
    Published{"Yi 34B", 60, 7168, 20480, 56, 8, 128, 64000, false, 34388917248},
    Published{"TinyLlama 1.1B", 22, 2048, 5632, 32, 4, 64, 32000, false, 1100048384}};

ModelSpec model_of(const Published& row) {
  ModelSpec model;
  model.num_layers = row.layers;
  model.hidden_size = row.hidden;
  model.ffn_hidden_size = row.ffn;
  model.num_attention_heads = row.heads;
  model.num_query_groups = row.groups;
  model.kv_channels = row.channels;
  model.vocab_size = row.vocabulary;
  model.activation = Activation::swiglu;
  model.normalization = Normalization::rmsnorm;
  model.share_embeddings_and_output_weights = row.tied;
  return model;
}

}  // namespace

TEST_CASE("public models have the parameters that their publishers state, to the last one") {
  for (const Published& row : kPublished) {
    CAPTURE(row.model);
    CHECK(model_parameters(model_of(row)) == row.parameters);
  }
}

TEST_CASE("the chunks of a pipeline hold all of them") {
  for (const Published& row : kPublished) {
    if (row.tied) continue;  // tied weights are not split into stages
    CAPTURE(row.model);
    Recipe recipe;
    recipe.model = model_of(row);
    recipe.parallelism.pipeline_model_parallel_size = 2;
    std::int64_t sum = 0;
    for (int stage = 0; stage < 2; ++stage)
      sum += stage_parameters(recipe, ModelTotals(recipe), stage);
    CHECK(sum == row.parameters);
  }
}

}  // namespace simtrain::testing::published_counts_test
