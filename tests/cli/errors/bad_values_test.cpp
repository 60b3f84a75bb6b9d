#include <doctest/doctest.h>

#include "tests/cli/bad_edit.h"

namespace simtrain::testing::bad_values_test {
namespace {

TEST_CASE("A value of the wrong kind is refused at its place") {
  check_edits({
      {"name: base", "name: [a]", "1:7: name: must be a text, found a list"},
      {"name: base", "name: {a: b}", "1:7: name: must be a text, found a map"},
      {"name: base", "name: \"\"", "1:7: name: is an empty text"},
      {"notes: [short]", "notes: short", "3:8: notes: must be a list, found 'short'"},
      {"notes: [short]", "notes: [one, [two]]", "3:14: notes[1]: must be a text, found a list"},
      {"cluster: {name: dgx-superpod-h100, nodes: 4, placement: compact}",
       "cluster: dgx-superpod-h100",
       "5:10: cluster: must be a map of keys, found 'dgx-superpod-h100'"},
      {"cluster: {name: dgx-superpod-h100, nodes: 4, placement: compact}",
       "cluster: [dgx-superpod-h100]", "5:10: cluster: must be a map of keys, found a list"},
      {"nodes: 4", "nodes: four", "5:43: cluster.nodes: must be a whole number, found 'four'"},
      {"nodes: 4", "nodes: [4]", "5:43: cluster.nodes: must be a whole number, found a list"},
      {"nodes: 4", "nodes: 4 GB", "5:43: cluster.nodes: must be a whole number, found '4 GB'"},
      {"nodes: 4", "nodes: 4.0", "5:43: cluster.nodes: must be a whole number, found '4.0'"},
      {"placement: compact", "placement: [compact]",
       "5:57: cluster.placement: must be a text, found a list"},
      {"bucket_size_mb: 125", "bucket_size_mb: 125 MB",
       "24:73: optimizer.bucket_size_mb: must be a number, found '125 MB'"},
      {"bucket_size_mb: 125", "bucket_size_mb: {a: 1}",
       "24:73: optimizer.bucket_size_mb: must be a number, found a map"},
      {"name: base", "name: base\ncost: {gpu_hour: 2.5}",
       "2:18: cost.gpu_hour: '2.5' needs one of the units USD"},
      {"name: base", "name: base\ncost: {electricity: 80 USD}",
       "2:21: cost.electricity: 'USD' is no unit here; it takes one of USD/kWh, USD/MWh"},
      {"name: base", "name: base\ncost: {grid: -1 g/kWh}",
       "2:14: cost.grid: '-1 g/kWh' is negative"},
      {"name: base", "name: base\ncost: {pue: 0.9}",
       "2:13: cost.pue: '0.9' is out of range; 1 to 5 would do"},
      {"sequence_parallel: true", "sequence_parallel: [true]",
       "17:22: parallelism.sequence_parallel: must be true or false, found a list"},
  });
}

TEST_CASE("A name that the job of a scenario gives and no file has is refused by each command") {
  check_edits({
      {"name: base",
       "name: base\njob: {days: 10, failures: llama3-h10, checkpoint: {storage: nvme-node}}",
       "2:27: job.failures: 'llama3-h10' is not in hardware/failures; did you mean 'llama3-h100'?"},
      {"name: base", "name: base\njob: {days: 10, checkpoint: {storage: nvme-nod}}",
       "2:39: job.checkpoint.storage: 'nvme-nod' is not in hardware/storage; did you mean "
       "'nvme-node'?"},
      {"name: base",
       "name: base\njob: {days: 10, checkpoint: {storage: nvme-node}, data: {storage: nvme-nod}}",
       "2:67: job.data.storage: 'nvme-nod' is not in hardware/storage; did you mean 'nvme-node'?"},
  });
}

TEST_CASE("A key without a value is refused at the key, a null at its place") {
  check_edits({
      {"name: base", "name:", "1:1: name: must be a text, found nothing"},
      {"cluster: {name: dgx-superpod-h100, nodes: 4, placement: compact}",
       "cluster:", "5:1: cluster: must be a map of keys, found nothing"},
      {"nodes: 4", "nodes: null", "5:43: cluster.nodes: must be a whole number, found nothing"},
      {"nodes: 4", "nodes: ~", "5:43: cluster.nodes: must be a whole number, found nothing"},
      {"te-default", "~", "20:26: overlap.tp_comm_overlap_table: must be a text, found nothing"},
      {"optimizer:", "recompute:\noptimizer:", "24:1: recompute: must be a text, found nothing"},
      {"model: llama3.1-8b", "model: llama3.1-8b\nmodel_overrides:",
       "8:1: model_overrides: must be a map of keys, found nothing"},
  });
}

TEST_CASE("Only true and false are booleans") {
  check_edits({
      {"precision: bf16", "precision: bf16\n  fp8_params: no",
       "10:15: training.fp8_params: must be true or false, found 'no'"},
      {"precision: bf16", "precision: bf16\n  fp8_params: True",
       "10:15: training.fp8_params: must be true or false, found 'True'"},
      {"precision: bf16", "precision: bf16\n  fp8_params: 1",
       "10:15: training.fp8_params: must be true or false, found '1'"},
      {"sequence_parallel: true", "sequence_parallel: yes",
       "17:22: parallelism.sequence_parallel: must be true or false, found 'yes'"},
      {"optimizer:", "cuda_graphs: on\noptimizer:",
       "24:14: cuda_graphs: must be true or false, found 'on'"},
  });
}

TEST_CASE("Numbers are decimal, finite and inside their range") {
  check_edits({
      {"nodes: 4", "nodes: 04", "5:43: cluster.nodes: '04' starts with a zero; write it without"},
      {"nodes: 4", "nodes: 0x4", "5:43: cluster.nodes: must be a whole number, found '0x4'"},
      {"nodes: 4", "nodes: +4", "5:43: cluster.nodes: must be a whole number, found '+4'"},
      {"nodes: 4", "nodes: .nan", "5:43: cluster.nodes: must be a whole number, found '.nan'"},
      {"nodes: 4", "nodes: 0", "5:43: cluster.nodes: '0' is out of range; 1 to 1000000 would do"},
      {"nodes: 4", "nodes: -4", "5:43: cluster.nodes: '-4' is out of range; 1 to 1000000 would do"},
      {"nodes: 4", "nodes: 1e30", "5:43: cluster.nodes: must be a whole number, found '1e30'"},
      {"nodes: 4", "nodes: 99999999999999999999",
       "5:43: cluster.nodes: '99999999999999999999' is too large"},
      {"seq_length: 8192", "seq_length: 1e4",
       "10:15: training.seq_length: must be a whole number, found '1e4'"},
      {"seq_length: 8192", "seq_length: 1000000000",
       "10:15: training.seq_length: '1000000000' is out of range; 1 to 100000000 would do"},
      {"global_batch_size: 32", "global_batch_size: .inf",
       "12:22: training.global_batch_size: must be a whole number, found '.inf'"},
      {"bucket_size_mb: 125", "bucket_size_mb: .nan",
       "24:73: optimizer.bucket_size_mb: must be a number, found '.nan'"},
      {"bucket_size_mb: 125", "bucket_size_mb: inf",
       "24:73: optimizer.bucket_size_mb: must be a number, found 'inf'"},
      {"bucket_size_mb: 125", "bucket_size_mb: 1e30",
       "24:73: optimizer.bucket_size_mb: '1e30' is out of range; 0.001 to 1000000000 would do"},
      {"bucket_size_mb: 125", "bucket_size_mb: -1",
       "24:73: optimizer.bucket_size_mb: '-1' is out of range; 0.001 to 1000000000 would do"},
      {"bucket_size_mb: 125", "bucket_size_mb: 0",
       "24:73: optimizer.bucket_size_mb: '0' is out of range; 0.001 to 1000000000 would do"},
      {"te-default", "te-default\n  wgrad_deferral_limit: -1",
       "21:25: overlap.wgrad_deferral_limit: '-1' is out of range; 0 to 1000000000 would do"},
      {"model: llama3.1-8b", "model: llama3.1-8b\nmodel_overrides: {num_layers: 0}",
       "8:31: model_overrides.num_layers: '0' is out of range; 1 to 100000 would do"},
      {"model: llama3.1-8b",
       "model: llama3.1-8b\nmodel_overrides: {layers: [{blocks: [gqa], repeat: 3}]}",
       "8:27: layers: has 3 layers, num_layers says 32"},
      {"model: llama3.1-8b",
       "model: llama3.1-8b\nmodel_overrides: {layers: [{blocks: [gqa, head], repeat: 32}]}",
       "8:28: layers.blocks: has 'head', which is no block of a layer; some of gqa, swa, "
       "chunked_gqa, mla, dsa, dsa_shared, mamba, gated_delta_net, mlp, moe would do"},
      {"model: llama3.1-8b",
       "model: llama3.1-8b\nmodel_overrides: {layers: [{blocks: [], repeat: 32}]}",
       "8:28: layers.blocks: is empty; some of gqa, swa, chunked_gqa, "
       "mla, dsa, dsa_shared, mamba, gated_delta_net, mlp, moe would do"},
      {"model: llama3.1-8b",
       "model: llama3.1-8b\nmodel_overrides: {layers: [{blocks: [mqa], repeat: 32}]}",
       "8:38: model_overrides.layers[0].blocks[0]: 'mqa' is not known here; did you mean 'gqa'?"},
      {"model: llama3.1-8b", "model: llama3.1-8b\nmodel_overrides: {rotary_percent: 1.5}",
       "8:35: model_overrides.rotary_percent: '1.5' is out of range; 0 to 1 would do"},
  });
}

TEST_CASE("An unknown key is refused at the key, with a suggestion where one is close") {
  check_edits({
      {"overlap:", "tabel: {}\noverlap:", "18:1: tabel: is not known here; did you mean 'table'?"},
      {"name: base", "naem: base", "1:1: naem: is not known here; did you mean 'name'?"},
      {"optimizer:", "recomputed: none\noptimizer:",
       "24:1: recomputed: is not known here; did you mean 'recompute'?"},
      {"seq_length: 8192", "sequence: 8192",
       "10:3: training.sequence: is not known here; known are precision, fp8_params, "
       "num_layers_at_start_in_bf16, num_layers_at_end_in_bf16, seq_length, micro_batch_size, "
       "global_batch_size"},
      {"model: llama3.1-8b", "model: llama3.1-8b\nmodel_overrides: {num_layer: 4}",
       "8:19: model_overrides.num_layer: is not known here; did you mean 'num_layers'?"},
  });
}

TEST_CASE("A missing key is named at the map that lacks it") {
  check_edits({
      {"name: base\n", "", "1:1: name: is missing"},
      {"cluster: {name: dgx-superpod-h100, nodes: 4, placement: compact}\n", "",
       "1:1: cluster: is missing"},
      {"  precision: bf16\n", "", "9:3: training.precision: is missing"},
      {"  sequence_parallel: true\n", "", "14:3: parallelism.sequence_parallel: is missing"},
      {", bucket_size_mb: 125", "", "24:12: optimizer.bucket_size_mb: is missing"},
  });
}

TEST_CASE("Nothing runs beside kernels where each ends before the next is launched") {
  check_edits({
      {"optimizer:", "cuda_launch_blocking: true\noptimizer:",
       "19:20: overlap.tp_comm_overlap: has copies or messages run beside kernels, which "
       "cuda_launch_blocking: true prevents; one of them would do"},
      {"optimizer:", "cuda_launch_blocking: 1\noptimizer:",
       "24:23: cuda_launch_blocking: must be true or false, found '1'"},
  });
}

TEST_CASE("Modules that run again are the model's, each told once") {
  const auto modules = [](const std::string& list, const std::string& message) {
    return BadEdit{
        "optimizer:", "recompute: selective\nrecompute_modules: " + list + "\noptimizer:",
        "25:20: recompute_modules: " + message};
  };
  check_edits({
      modules("[]", "is empty; [core_attn], or recompute none, would do"),
      modules("[mlp, mlp]", "has mlp more than once; once would do"),
      modules("[mla_up_proj, moe_act]",
              "has none that a layer of llama3.1-8b has; core_attn, layernorm and mlp would do"),
  });
}

TEST_CASE("Context parallelism deals Mamba's heads") {
  const std::string mamba =
      "model_overrides: {layers: [{blocks: [mamba, mlp], repeat: 32}], mamba: {mamba_num_heads: "
      "24, mamba_head_dim: 64, mamba_state_dim: 128, mamba_num_groups: 6}}\n";
  const std::string cp = "  context_parallel_size: ";
  check_edits({
      {cp + "1\n  sequence_parallel: true\noverlap:",
       cp + "8\n  sequence_parallel: true\n" + mamba + "overlap:",
       "16:26: parallelism.context_parallel_size: 8 does not divide the Mamba heads of a TP rank "
       "(12)"},
      {cp + "1\n  sequence_parallel: true\noverlap:",
       cp + "2\n  sequence_parallel: true\n" + mamba + "overlap:",
       "16:26: parallelism.context_parallel_size: 2 and the 3 Mamba groups of a TP rank do not "
       "divide each other"},
  });
}

TEST_CASE("Channels of NCCL are no more at least than at most") {
  check_edits({{"optimizer:", "nccl: {min_channels: 32, max_channels: 4}\noptimizer:",
                "24:22: nccl.min_channels: 32 is more than the 4 of max_channels"}});
}

TEST_CASE("A doubled key is refused at its second place") {
  check_edits({
      {"name: base", "name: base\nname: again", "2:1: name: is given twice"},
      {"global_batch_size: 32", "global_batch_size: 32\n  global_batch_size: 64",
       "13:3: global_batch_size: is given twice"},
      {"nodes: 4", "nodes: 4, nodes: 4", "5:46: nodes: is given twice"},
  });
}

TEST_CASE("An unknown name is refused, with a suggestion where one is close") {
  check_edits({
      {"dgx-superpod-h100", "dgx-superpod-h10",
       "5:17: cluster.name: 'dgx-superpod-h10' is not in hardware/clusters; did you mean "
       "'dgx-superpod-h100'?"},
      {"dgx-superpod-h100", "../clusters/dgx-superpod-h100",
       "5:17: cluster.name: '../clusters/dgx-superpod-h100' is not in hardware/clusters; known are "
       "a100-4hdr, a100-4x100g, a100-pcie, alps-gh200, aws-p4d, aws-p5, aws-p5en, aws-p6-b200, "
       "aws-p6e-gb200, azure-ndv4-a100, azure-ndv5-h100, azure-ndv5-h200, azure-ndv5-mi300x, "
       "azure-ndv6-gb200, azure-ndv6-gb300, b200-800g-nics, clos-h100-1to1, clos-h100-2to1, "
       "clos-h100-4to1, dgx-superpod-a100, dgx-superpod-a100-40gb, dgx-superpod-b200, "
       "dgx-superpod-b300, dgx-superpod-gb200, dgx-superpod-gb300, dgx-superpod-h100, "
       "eos-dfw-h100, fat-tree-h100-2to1, frontier, gcp-a3-mega, gcp-a3-ultra, gcp-a4, gcp-a4x, "
       "gh200-ndr, gh200-nvl32, h100-800g, h100-96gb, h100-nvl, h100-pcie, h20-ndr, h200-nvl, "
       "h800-ndr, "
       "l40s-roce, lab-uneven, large-a100, mi325x-roce, nvl72-roce, oci-a100, oci-b200, "
       "oci-gb200, oci-h200, oci-mi300x, oci-mi355x, oracle-h100, vultr-b200"},
      {"nemo-25.02", "nemo-25.2",
       "6:11: software: 'nemo-25.2' is not in hardware/software; did you mean 'nemo-25.02'?"},
      {"model: llama3.1-8b", "model: llama3.1-8B",
       "7:8: model: 'llama3.1-8B' is not in scenarios/models; did you mean 'llama3.1-8b'?"},
      {"te-default", "te-defalt",
       "20:26: overlap.tp_comm_overlap_table: 'te-defalt' is not in hardware/tp_overlap; did you "
       "mean 'te-default'?"},
      {"compact}", "packed}",
       "5:57: cluster.placement: 'packed' is not known here; known are compact, spread, random, "
       "hosts, "
       "fragmented"},
      {"precision: bf16", "precision: fp16",
       "9:14: training.precision: 'fp16' is not known here; did you mean 'bf16'?"},
      {"precision: bf16", "precision: mxfp8",
       "9:14: training.precision: 'mxfp8' is not known here; did you mean 'fp8'?"},
      {"precision: bf16", "precision: fp8_cx",
       "9:14: training.precision: 'fp8_cx' is not known here; did you mean 'fp8_cs'?"},
      {"nvidia-dgxc", "nvidia-dgxx",
       "4:17: mfu_convention: 'nvidia-dgxx' is not known here; did you mean 'nvidia-dgxc'?"},
      {"optimizer:", "recompute: all\noptimizer:",
       "24:12: recompute: 'all' is not known here; did you mean 'full'?"},
      {"grad_reduce_dtype: bf16", "grad_reduce_dtype: fp23",
       "24:51: optimizer.grad_reduce_dtype: 'fp23' is not known here; did you mean 'fp8'?"},
      {"model: llama3.1-8b", "model: llama3.1-8b\nmodel_overrides: {activation: relu}",
       "8:31: model_overrides.activation: 'relu' is not known here; did you mean 'gelu'?"},
  });
}

}  // namespace
}  // namespace simtrain::testing::bad_values_test
