#include <doctest/doctest.h>

#include "tests/cli/bad_edit.h"

namespace simtrain::testing::bad_fit_test {
namespace {

TEST_CASE("TP must divide what it cuts") {
  check_edits({
      {"tensor_model_parallel_size: 2", "tensor_model_parallel_size: 3",
       "14:31: parallelism.tensor_model_parallel_size: 3 does not divide the attention heads (32)"},
      {"tensor_model_parallel_size: 2", "tensor_model_parallel_size: 16",
       "14:31: parallelism.tensor_model_parallel_size: 16 does not divide the query groups (8)"},
      {"tensor_model_parallel_size: 2", "tensor_model_parallel_size: 64",
       "14:31: parallelism.tensor_model_parallel_size: 64 does not divide the attention heads "
       "(32)"},
      {"model: llama3.1-8b", "model: llama3.1-8b\nmodel_overrides: {vocab_size: 128257}",
       "15:31: parallelism.tensor_model_parallel_size: 2 does not divide vocab_size (128257)"},
      {"model: llama3.1-8b", "model: llama3.1-8b\nmodel_overrides: {ffn_hidden_size: 14335}",
       "15:31: parallelism.tensor_model_parallel_size: 2 does not divide ffn_hidden_size (14335)"},
      {"model: llama3.1-8b", "model: llama3.1-8b\nmodel_overrides: {hidden_size: 4097}",
       "15:31: parallelism.tensor_model_parallel_size: 2 does not divide hidden_size (4097)"},
  });
}

TEST_CASE("The job must be whole replicas") {
  check_edits({
      {"nodes: 4", "nodes: 3",
       "12:22: training.global_batch_size: 32 is no multiple of DP 6 x micro-batch 1 = 6"},
      {"pipeline_model_parallel_size: 2", "pipeline_model_parallel_size: 3",
       "5:43: cluster.nodes: 32 GPUs are no multiple of TP 2 x CP 1 x PP 3 = 6"},
      {"pipeline_model_parallel_size: 2", "pipeline_model_parallel_size: 64",
       "5:43: cluster.nodes: 32 GPUs are no multiple of TP 2 x CP 1 x PP 64 = 128"},
      {"context_parallel_size: 1", "context_parallel_size: 32",
       "5:43: cluster.nodes: 32 GPUs are no multiple of TP 2 x CP 32 x PP 2 = 128"},
      {"nodes: 4", "nodes: 1025",
       "5:43: cluster.nodes: 1025 is more than the 1024 nodes that dgx-superpod-h100 has"},
  });
}

TEST_CASE("CP must cut the sequence evenly") {
  check_edits({
      {"context_parallel_size: 1", "context_parallel_size: 3",
       "16:26: parallelism.context_parallel_size: 3 cuts a sequence into 6 blocks, which do not "
       "divide seq_length 8192"},
      {"seq_length: 8192", "seq_length: 8191",
       "17:22: parallelism.sequence_parallel: 2 does not divide the tokens of a micro-batch "
       "(8191)"},
  });
}

TEST_CASE("Keys of experts are of models that have some") {
  check_edits({
      {"context_parallel_size: 1", "context_parallel_size: 1\n  expert_model_parallel_size: 2",
       "17:31: parallelism.expert_model_parallel_size: is 2; llama3.1-8b has no experts, 1 would "
       "do"},
      {"context_parallel_size: 1", "context_parallel_size: 1\n  expert_tensor_parallel_size: 1",
       "17:32: parallelism.expert_tensor_parallel_size: is of experts, which llama3.1-8b does not "
       "have"},
  });
}

TEST_CASE("The batch must be whole micro-batches on every replica") {
  check_edits({
      {"global_batch_size: 32", "global_batch_size: 33",
       "12:22: training.global_batch_size: 33 is no multiple of DP 8 x micro-batch 1 = 8"},
      {"global_batch_size: 32", "global_batch_size: 4",
       "12:22: training.global_batch_size: 4 is no multiple of DP 8 x micro-batch 1 = 8"},
      {"micro_batch_size: 1", "micro_batch_size: 3",
       "12:22: training.global_batch_size: 32 is no multiple of DP 8 x micro-batch 3 = 24"},
  });
}

TEST_CASE("A step of too many passes is refused") {
  check_edits({
      {"global_batch_size: 32", "global_batch_size: 100000000",
       "12:22: training.global_batch_size: makes 5e+07 passes a step; up to 2e+07 are simulated"},
  });
}

TEST_CASE("Sizes beyond any measure are refused") {
  check_edits({
      {"seq_length: 8192\n  micro_batch_size: 1", "seq_length: 100000000\n  micro_batch_size: 1000",
       "11:21: training.micro_batch_size: makes 1e+11 tokens of one pass; up to 1e+09 are "
       "modelled"},
      {"model: llama3.1-8b",
       "model: llama3.1-8b\nmodel_overrides: {num_layers: 100000, hidden_size: 1000000, "
       "ffn_hidden_size: 10000000}",
       "8:31: num_layers: makes 3e+18 parameters; up to 1e+15 are modelled"},
      {"model: llama3.1-8b",
       "model: llama3.1-8b\nmodel_overrides: {kv_channels: 100000, num_attention_heads: 100000}",
       "8:32: kv_channels: makes 1e+10 columns with 100000 heads; up to 1e+08 are modelled"},
      {"bucket_size_mb: 125", "bucket_size_mb: 0.001",
       "24:73: optimizer.bucket_size_mb: makes 8.03e+06 buckets of the gradients; up to 1e+05 are "
       "simulated"},
  });
}

TEST_CASE("VP needs PP and layers for every chunk") {
  check_edits({
      {"tensor_model_parallel_size: 2\n  pipeline_model_parallel_size: 2",
       "tensor_model_parallel_size: 2\n  pipeline_model_parallel_size: 1\n  "
       "virtual_pipeline_model_parallel_size: 2",
       "16:41: parallelism.virtual_pipeline_model_parallel_size: is 2 without pipeline "
       "parallelism; 1 would do"},
      {"pipeline_model_parallel_size: 2",
       "pipeline_model_parallel_size: 2\n  virtual_pipeline_model_parallel_size: 3",
       "15:33: parallelism.pipeline_model_parallel_size: 32 layers (embedding and loss counted as "
       "set) do not split into PP 2 x VP 3 = 6 chunks; pipeline_model_parallel_layout deals them "
       "out unevenly"},
      {"global_batch_size: 32\nparallelism:\n",
       "global_batch_size: 24\nparallelism:\n  virtual_pipeline_model_parallel_size: 2\n",
       "14:41: parallelism.virtual_pipeline_model_parallel_size: interleaves 3 micro-batches, no "
       "multiple of PP 2"},
  });
}

TEST_CASE("Layers must split into the stages") {
  check_edits({
      {"model: llama3.1-8b", "model: llama3.1-8b\nmodel_overrides: {num_layers: 31}",
       "16:33: parallelism.pipeline_model_parallel_size: 31 layers (embedding and loss counted as "
       "set) do not split into PP 2 x VP 1 = 2 chunks; pipeline_model_parallel_layout deals them "
       "out unevenly"},
      {"pipeline_model_parallel_size: 2",
       "pipeline_model_parallel_size: 2\n  account_for_embedding_in_pipeline_split: true",
       "15:33: parallelism.pipeline_model_parallel_size: 33 layers (embedding and loss counted as "
       "set) do not split into PP 2 x VP 1 = 2 chunks; with "
       "account_for_embedding_in_pipeline_split and account_for_loss_in_pipeline_split they do"},
  });
}

TEST_CASE("A layout must be one, and of this model and pipeline") {
  const std::string pp = "pipeline_model_parallel_size: 2";
  const auto with = [&](const std::string& layout) {
    return pp + "\n  pipeline_model_parallel_layout: " + layout;
  };
  const std::string where = "16:35: parallelism.pipeline_model_parallel_layout: ";
  check_edits({
      {pp, with("Et*15|t*16L"), where + "has 31 layers, the model 32"},
      {pp, with("Et*10|t*10|t*12L"), where + "has 3 stages; PP 2 x VP 1 = 2 would do"},
      {pp, with("Et*16|t*16"), where + "the loss L has to come last, once"},
      {pp, with("Et*16|t*15mL"), where + "has 31 layers, the model 32"},
      {pp, with("Et*16|t*16mL"), where + "has 1 layers m of multi-token prediction, the model 0"},
      {pp, with("Et*16|t*16L\n  account_for_loss_in_pipeline_split: true"),
       where + "says where embedding and loss are; the keys account_for_... cannot as well"},
  });
}

TEST_CASE("Every n-th layer is of full recompute") {
  check_edits({
      {"optimizer:", "recompute_every_nth_layer: 2\noptimizer:",
       "24:28: recompute_every_nth_layer: is there with recompute 'none'; recompute full would do"},
      {"optimizer:", "recompute: selective\nrecompute_every_nth_layer: 2\noptimizer:",
       "25:28: recompute_every_nth_layer: is there with recompute 'selective'; recompute full "
       "would do"},
      {"optimizer:", "recompute: full\nrecompute_every_nth_layer: 0\noptimizer:",
       "25:28: recompute_every_nth_layer: '0' is out of range; 1 to 1000000 would do"},
      {"optimizer:", "recompute: full\nrecompute_every_nth_layer: 1.5\noptimizer:",
       "25:28: recompute_every_nth_layer: must be a whole number, found '1.5'"},
  });
}

TEST_CASE("Precisions must go together") {
  check_edits({
      {"precision: bf16", "precision: fp32",
       "9:14: training.precision: 'fp32' is not known here; did you mean 'fp8'?"},
      {"precision: bf16", "precision: bf16\n  fp8_params: true",
       "10:15: training.fp8_params: is true with precision bf16; FP8 parameters need precision "
       "fp8"},
      {"precision: bf16", "precision: fp8_mx",
       "9:14: training.precision: 'fp8_mx' is not computed by h100-sxm, whose file has no rates of "
       "it; bf16 would do"},
      {"precision: bf16", "precision: fp8_rowwise\n  fp8_params: true",
       "10:15: training.fp8_params: is true with precision fp8_rowwise, whose weights are kept and "
       "gathered in BF16; false would do"},
      {"precision: bf16", "precision: tf32\n  num_layers_at_start_in_bf16: 1",
       "10:32: training.num_layers_at_start_in_bf16: is set with precision tf32, which has all "
       "layers in TF32; 0 would do"},
      {"precision: bf16\n  seq_length: 8192\n  micro_batch_size: 1\n  global_batch_size: 32\n"
       "parallelism:\n  tensor_model_parallel_size: 2\n  pipeline_model_parallel_size: 2\n"
       "  context_parallel_size: 1",
       "precision: tf32\n  seq_length: 8192\n  micro_batch_size: 1\n  global_batch_size: 32\n"
       "parallelism:\n  tensor_model_parallel_size: 2\n  pipeline_model_parallel_size: 2\n"
       "  context_parallel_size: 2",
       "16:26: parallelism.context_parallel_size: is 2; the unfused attention of precision tf32 is "
       "not split over context, 1 would do"},
      {"precision: bf16", "precision: tf32\n  fp8_params: true",
       "10:15: training.fp8_params: is true with precision tf32; FP8 parameters need precision "
       "fp8"},
      {"grad_reduce_dtype: bf16", "grad_reduce_dtype: tf32",
       "24:51: optimizer.grad_reduce_dtype: 'tf32' cannot hold gradients; bf16 or fp32 would do"},
      {"precision: bf16", "precision: bf16\n  num_layers_at_end_in_bf16: 1",
       "10:30: training.num_layers_at_end_in_bf16: is set with precision bf16, which has all "
       "layers in BF16; 0 would do"},
      {"grad_reduce_dtype: bf16", "grad_reduce_dtype: nvfp4",
       "24:51: optimizer.grad_reduce_dtype: 'nvfp4' cannot hold gradients; bf16 or fp32 would do"},
      {"grad_reduce_dtype: bf16", "grad_reduce_dtype: fp8",
       "24:51: optimizer.grad_reduce_dtype: 'fp8' cannot hold gradients; bf16 or fp32 would do"},
  });
}

TEST_CASE("TP overlap needs its table, TP and sequence parallelism") {
  check_edits({
      {"  tp_comm_overlap_table: te-default\n", "",
       "19:3: overlap.tp_comm_overlap_table: is missing; tp_comm_overlap needs a table of "
       "hardware/tp_overlap"},
      {"tensor_model_parallel_size: 2", "tensor_model_parallel_size: 1",
       "19:20: overlap.tp_comm_overlap: needs tensor parallelism of 2 or more with "
       "sequence_parallel"},
      {"sequence_parallel: true", "sequence_parallel: false",
       "19:20: overlap.tp_comm_overlap: needs tensor parallelism of 2 or more with "
       "sequence_parallel"},
      {"name: dgx-superpod-h100, nodes: 4", "name: gh200-ndr, nodes: 32",
       "19:20: overlap.tp_comm_overlap: needs the 2 GPUs of a TP group in one NVLink domain, "
       "which are 1 here; false would do"},
  });
}

TEST_CASE("A model that does not hold together is refused at the override") {
  check_edits({
      {"model: llama3.1-8b", "model: llama3.1-8b\nmodel_overrides: {num_query_groups: 5}",
       "8:37: num_query_groups: 5 does not divide the 32 attention heads"},
      {"model: llama3.1-8b", "model: llama3.1-8b\nmodel_overrides: {window_size: 128}",
       "8:32: window_size: is of swa blocks, which layers does not have"},
      {"model: llama3.1-8b",
       "model: nemotron4-15b\nmodel_overrides: {activation_func_clamp_value: 7}",
       "8:48: activation_func_clamp_value: is of gated units; `activation: swiglu` would do, which "
       "is squared-relu"},
      {"model: llama3.1-8b", "model: llama3.1-8b\nmodel_overrides: {attention_chunk_size: 128}",
       "8:41: attention_chunk_size: is of chunked_gqa blocks, which layers does not have"},
      {"model: llama3.1-8b",
       "model: llama3.1-8b\nmodel_overrides: {layers: [{blocks: [swa, mlp], repeat: 32}]}",
       "8:28: layers.blocks: has swa; window_size is missing"},
      {"model: llama3.1-8b",
       "model: llama3.1-8b\nmodel_overrides: {layers: [{blocks: [mla, mlp], repeat: 32}]}",
       "8:28: layers.blocks: has mla; multi_latent_attention is missing"},
      {"model: llama3.1-8b",
       "model: deepseek-v3.2\nmodel_overrides: {layers: [{blocks: [dsa_shared, moe], repeat: 2}, "
       "{blocks: [dsa, moe], repeat: 59}]}",
       "8:28: layers.blocks: has dsa_shared before any dsa, whose keys it takes"},
      {"model: llama3.1-8b",
       "model: deepseek-v3\nmodel_overrides: {dsa_indexer: {dsa_indexer_n_heads: 64, "
       "dsa_indexer_head_dim: 128, dsa_indexer_topk: 2048}}",
       "8:32: dsa_indexer: is of dsa blocks, which layers does not have"},
      {"model: llama3.1-8b", "model: llama3.1-8b\nmodel_overrides: {hybrid_override_pattern: M-*X}",
       "8:44: hybrid_override_pattern: has 'X', which is no letter of a layer; some of * (gqa), M "
       "(mamba), G (gated_delta_net), - (mlp), E (moe) would do"},
      {"model: llama3.1-8b",
       "model: llama3.1-8b\nmodel_overrides: {layers: [{blocks: [mamba], repeat: 32}], mamba: "
       "{mamba_num_heads: 4, mamba_head_dim: 64, mamba_state_dim: 128, mamba_num_groups: 8}}",
       "8:148: mamba.mamba_num_groups: does not divide mamba_num_heads"},
      {"model: llama3.1-8b", "model: llama3.1-8b\nmodel_overrides: {hybrid_override_pattern: '*-'}",
       "8:44: hybrid_override_pattern: has 2 layers, num_layers says 32"},
  });
}

}  // namespace
}  // namespace simtrain::testing::bad_fit_test
