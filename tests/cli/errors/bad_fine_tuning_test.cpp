// Adapters and packed documents that do not go with the rest of a recipe: one line each.
#include "tests/cli/bad_edit.h"

namespace simtrain::testing::bad_fine_tuning_test {
namespace {

/// The base scenario, TP2 PP2 on 32 GPUs, with these keys before `optimizer`.
BadEdit with_keys(const std::string& keys, const std::string& message) {
  return {"optimizer:", keys + "\noptimizer:", message};
}

TEST_CASE("Keys of adapters are of their kind and inside their range") {
  check_edits({
      with_keys("lora: {rank: 0}", "24:14: lora.rank: '0' is out of range; 1 to 100000 would do"),
      with_keys("lora: {target_modules: [linear_qkv]}", "24:7: lora.rank: is missing"),
      with_keys("lora: 8", "24:7: lora: must be a map of keys, found '8'"),
      with_keys("lora: {rank: 8, target_modules: [linear_fc3]}",
                "24:34: lora.target_modules[0]: 'linear_fc3' is not known here; did you mean "
                "'linear_fc1'?"),
      with_keys("lora: {rank: 8, target_modules: [q_proj]}",
                "24:34: lora.target_modules[0]: 'q_proj' is not known here; known are linear_qkv, "
                "linear_proj, linear_fc1, linear_fc2"),
      with_keys("lora: {rank: 8, target_modules: []}",
                "24:33: lora.target_modules: is empty; [linear_qkv] would do"),
      with_keys("lora: {rank: 8, target_modules: linear_qkv}",
                "24:33: lora.target_modules: must be a list, found 'linear_qkv'"),
      with_keys("lora: {rank: 8, target_modules: [linear_qkv, linear_qkv]}",
                "24:33: lora.target_modules: has linear_qkv more than once; once would do"),
      with_keys("lora: {rank: 8, alpha: 16}",
                "24:17: lora.alpha: is not known here; known are rank, target_modules"),
  });
}

TEST_CASE("Adapters are divided by tensor parallelism, and of modules that the model has") {
  check_edits({
      with_keys("lora: {rank: 7}",
                "24:14: lora.rank: 7 is not divided by TP 2, which shards adapters; 8 would do"),
      with_keys("lora: {rank: 4098}",
                "24:14: lora.rank: 4098 is more than the hidden size, 4096; up to that would do"),
      with_keys(
          "lora: {rank: 8}\nmodel_overrides: {mtp_num_layers: 1}",
          "24:7: lora: is not modelled with multi-token prediction; mtp_num_layers 0 would do"),
      with_keys("lora: {rank: 8}\nmodel_overrides: {layers: [{blocks: [gqa], repeat: 32}]}",
                "24:7: lora.target_modules: has linear_fc1, which no layer of the model has; "
                "[linear_qkv, linear_proj] would do"),
  });
}

TEST_CASE("Documents have lengths whose shares are one, and fit into their sequence") {
  check_edits({
      with_keys("packed_sequences: {}",
                "24:19: packed_sequences: has no documents; {mean_document: 200} would do"),
      with_keys("packed_sequences: {mean_document: 9000}",
                "24:35: packed_sequences.mean_document: has documents of 9000 tokens, longer than "
                "the sequence; up to 8192 would do"),
      with_keys(
          "packed_sequences: {mean_document: 0}",
          "24:35: packed_sequences.mean_document: '0' is out of range; 1 to 100000000 would do"),
      with_keys(
          "packed_sequences: {mean_document: 100, documents: [{length: 100, share: 1}]}",
          "24:35: packed_sequences.mean_document: is given beside documents; one of them would do"),
      with_keys(
          "packed_sequences: {documents: [{length: 100, share: 0.5}, {length: 200, share: 0.4}]}",
          "24:31: packed_sequences.documents: has shares that are 0.9 together; 1 would do"),
      with_keys(
          "packed_sequences: {documents: [{length: 100, share: 0.5}, {length: 8193, share: 0.5}]}",
          "24:31: packed_sequences.documents: has documents of 8193 tokens, longer than the "
          "sequence; up to 8192 would do"),
      with_keys("packed_sequences: {documents: [{length: 100}]}",
                "24:32: packed_sequences.documents[0].share: is missing"),
      with_keys("packed_sequences: 200",
                "24:19: packed_sequences: must be a map of keys, found '200'"),
      with_keys("packed_sequences: {documents: []}",
                "24:19: packed_sequences: has no documents; {mean_document: 200} would do"),
  });
}

TEST_CASE("What trains adapters alone defers no gradient of the output layer and has no experts") {
  check_edits({
      {"  overlap_param_gather: true\n",
       "  overlap_param_gather: true\n  defer_embedding_wgrad_compute: true\nlora: {rank: 8}\n",
       "24:34: overlap.defer_embedding_wgrad_compute: is true with lora, which trains no output "
       "layer; false would do"},
      {"model: llama3.1-8b", "lora: {rank: 8}\nmodel: mixtral-8x7b",
       "7:7: lora: is not modelled in layers with moe; a model of gqa, swa, chunked_gqa and mlp "
       "would do"},
      {"  sequence_parallel: true\n",
       "  sequence_parallel: true\n  pipeline_schedule: zb_h1\nlora: {rank: 8}\n",
       "18:22: parallelism.pipeline_schedule: zb_h1 runs weight gradients later, which frozen "
       "weights do not have; 1f1b or interleaved would do"},
  });
}

TEST_CASE("Packed documents are of fused attention over whole sequences") {
  check_edits({
      {"  context_parallel_size: 1\n  sequence_parallel: true\n",
       "  context_parallel_size: 2\n  sequence_parallel: true\npacked_sequences: {mean_document: "
       "200}\n",
       "16:26: parallelism.context_parallel_size: is 2 with packed_sequences, whose documents are "
       "not split; 1 would do"},
      {"model: llama3.1-8b",
       "packed_sequences: {mean_document: 200}\nmodel_overrides: {window_size: 128, layers: "
       "[{blocks: [swa, mlp], repeat: 32}]}\nmodel: llama3.1-8b",
       "7:35: packed_sequences.mean_document: has documents of 200 tokens, longer than the window "
       "of attention; up to 128 would do"},
      {"software: nemo-25.02", "packed_sequences: {mean_document: 200}\nsoftware: megatron-2021",
       "6:19: packed_sequences: is of fused attention, which the software does not have; another "
       "software would do"},
  });
}

}  // namespace
}  // namespace simtrain::testing::bad_fine_tuning_test
