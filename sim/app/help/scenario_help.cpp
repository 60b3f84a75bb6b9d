#include "sim/app/help/scenario_help.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/core/invariant.h"
#include "sim/run/scenario/job_fields.h"
#include "sim/run/scenario/scenario.h"
#include "sim/run/scenario/scenario_fields.h"

namespace simtrain {
namespace {

struct Meaning {
  std::string_view key;
  std::string_view text;
};

/// One line of meaning for each dotted key; a key without one is our own mistake.
constexpr auto kMeanings = std::to_array<Meaning>({
    {"name", "what the report calls it"},
    {"source", "where the recipe is documented"},
    {"notes", "what a reader should know: contradictions of the document, what was assumed"},
    {"mfu_convention", "how FLOPs are counted for TFLOP/s and MFU"},
    {"cluster.name", "file of hardware/clusters"},
    {"cluster.machine",
     "file of hardware/machines: the machine at hand, as it was measured (`simtrain calibrate "
     "--machine`)"},
    {"cluster.nodes", "servers (for GB200: trays) of the job; these or the GPUs are required"},
    {"cluster.gpus",
     "GPUs of the job in place of its nodes: whole nodes of any cluster; setting one of the two "
     "takes the other's place"},
    {"cluster.available_nodes", "servers that the job may land on; by default the job's own nodes"},
    {"cluster.placement.kind",
     "which of them it gets (`simtrain list placements`); `placement: compact` says `{kind: "
     "compact}`"},
    {"cluster.placement.seed", "of the draw (random, fragmented)"},
    {"cluster.placement.free", "share of the servers that is free (fragmented)"},
    {"cluster.placement.hosts", "their numbers from 0, in rank order (hosts)"},
    {"cluster.placement.segment",
     "nodes that one NVLink domain holds together, as Slurm's --segment; what is left of a domain "
     "stays free (compact, fragmented)"},
    {"cluster.rank_order",
     "ranks fill host after host, go round over the hosts, or fill the hosts sorted by number"},
    {"cluster.faults.gpus[].host", "slow GPUs: the server, by name or number from 0"},
    {"cluster.faults.gpus[].gpu", "the GPU of that server, from 0"},
    {"cluster.faults.gpus[].slowdown", "how many times as long its kernels take"},
    {"cluster.faults.nics[].host", "slow NICs: the server; without it, every one"},
    {"cluster.faults.nics[].nic", "the NIC of that server, from 0"},
    {"cluster.faults.nics[].bandwidth_share", "what is left of it, both ways; 0: down"},
    {"cluster.faults.links[].from", "slow links: a switch, as simtrain topology names it"},
    {"cluster.faults.links[].to", "the switch at the other end"},
    {"cluster.faults.links[].bandwidth_share", "what is left of all their cables; 0: down"},
    {"software", "file of hardware/software"},
    {"model",
     "file of scenarios/models; a path to such a file (with a `/` or ending in .yaml, from the "
     "scenario's folder, in --set from the current one); or a map of its keys"},
    {"training.precision", "of the transformer layers' GEMMs; the output layer stays BF16"},
    {"training.fp8_params", "parameters are kept and gathered in FP8"},
    {"training.num_layers_at_start_in_bf16", "layers at the start that stay in BF16"},
    {"training.num_layers_at_end_in_bf16", "layers at the end that stay in BF16"},
    {"training.seq_length", "tokens of one sample"},
    {"training.micro_batch_size", "samples of one pass"},
    {"training.global_batch_size", "samples of one step over all replicas"},
    {"parallelism.tensor_model_parallel_size", "TP: ranks that share each matrix"},
    {"parallelism.pipeline_model_parallel_size", "PP: stages"},
    {"parallelism.virtual_pipeline_model_parallel_size",
     "VP: model chunks of a stage (interleaved 1F1B from 2)"},
    {"parallelism.context_parallel_size", "CP: ranks that share each sequence"},
    {"parallelism.expert_model_parallel_size", "EP: ranks that share the experts of a layer"},
    {"parallelism.expert_tensor_parallel_size", "ETP: ranks that share each expert; else as TP"},
    {"parallelism.sequence_parallel", "norms and residuals are split over the TP group"},
    {"parallelism.account_for_embedding_in_pipeline_split",
     "the embedding counts as a layer when layers are dealt out"},
    {"parallelism.account_for_loss_in_pipeline_split", "so does the loss"},
    {"parallelism.pipeline_model_parallel_layout",
     "layers of each stage and chunk in Megatron's letters (E, t, m, L); dealt evenly without"},
    {"parallelism.pipeline_schedule",
     "the order of passes (`simtrain list schedules`); else 1f1b, with several chunks a stage "
     "interleaved"},
    {"parallelism.microbatch_group_size_per_vp_stage",
     "of interleaved: micro-batches of a chunk before the next chunk's; else as PP"},
    {"overlap.tp_comm_overlap", "user buffers overlap TP communication with GEMMs"},
    {"overlap.tp_comm_overlap_table",
     "file of hardware/tp_overlap; required by tp_comm_overlap, unused without"},
    {"overlap.overlap_p2p_comm", "pipeline sends and receives run beside compute"},
    {"overlap.overlap_grad_reduce", "gradients are reduced while backward passes run"},
    {"overlap.overlap_param_gather", "parameters are gathered while forward passes run"},
    {"overlap.defer_embedding_wgrad_compute",
     "the output layer's weight gradient waits for the flush"},
    {"overlap.wgrad_deferral_limit", "micro-batches that it is kept for; 0: all"},
    {"optimizer.distributed", "optimizer state is sharded over DP x CP"},
    {"optimizer.grad_reduce_dtype", "type of the gradient buffer"},
    {"optimizer.bucket_size_mb", "gradients reduced by one call, in 10^6 bytes"},
    {"sharding.strategy",
     "how data-parallel ranks share parameters, gradients and optimizer state (`simtrain list "
     "shardings`); else zero1 or ddp, as optimizer.distributed says"},
    {"sharding.data_parallel_replicate_degree",
     "HSDP: groups of ranks that each hold all of the state"},
    {"sharding.reshard_after_forward",
     "parameters are gathered again for the backward; else so where PP is 1"},
    {"moe.moe_token_dispatcher_type",
     "how tokens find their experts: NCCL's allgather or alltoall, or flex"},
    {"moe.moe_flex_dispatcher_backend", "the library of flex"},
    {"moe.moe_flex_dispatcher_num_sms", "SMs that it takes; else its own number"},
    {"moe.moe_router_fusion", "scores and choice of experts in a few kernels"},
    {"moe.moe_permute_fusion", "rows are sorted by expert in one kernel"},
    {"moe.moe_expert_capacity_factor",
     "rows that an expert takes over the mean, the rest is dropped; without it none is"},
    {"moe.moe_pad_expert_input_to_capacity", "experts work on all rows that they could take"},
    {"moe.moe_expert_rank_capacity_factor",
     "rows that a rank takes over the mean, the rest is dropped: the host need not wait for their "
     "number, and CUDA graphs hold the experts too; of HybridEP"},
    {"moe.moe_load_imbalance",
     "rows of the busiest rank over the mean; else as random routing makes it"},
    {"lora.rank",
     "fine-tuning of low-rank adapters: all weights are frozen, beside each target module two "
     "products of so many columns are trained"},
    {"lora.target_modules",
     "a list: linear_qkv, linear_proj, linear_fc1, linear_fc2; without it all of them"},
    {"packed_sequences.mean_document",
     "sequences are packed with documents that attend to themselves alone, all of that many "
     "tokens"},
    {"packed_sequences.documents[].length", "in place of the mean: documents of that many tokens"},
    {"packed_sequences.documents[].share", "of the number of documents; together 1"},
    {"recompute",
     "what the backward computes again: some modules (selective), the whole layer (full), or what "
     "a policy drops: selective_op (torchtitan), checkpoint_dots (JAX), minimal_flash (MaxText)"},
    {"recompute_modules",
     "a list, of recompute selective: core_attn, layernorm, mlp, mla_up_proj, moe, moe_act, "
     "shared_experts; without it core_attn"},
    {"cuda_graphs", "layers are replayed as CUDA graphs: no launch time on the host"},
    {"cost.gpu_hour", "price of one GPU for an hour, for prices of a step and of 1T tokens"},
    {"cost.electricity", "price of energy, with what the site takes beside the computers"},
    {"cost.grid", "CO2 equivalents of the grid, for the carbon of a step and of 1T tokens"},
    {"cost.pue", "what the site takes over what its computers take; else the cluster's"},
    {"nccl.version", "changes the software's: the NCCL release, 2.18 to 2.30"},
    {"nccl.nvls", "changes the software's: NCCL_NVLS_ENABLE"},
    {"nccl.collnet", "NCCL_COLLNET_ENABLE; needs a fabric whose switches reduce (SHARP)"},
    {"nccl.algo", "a list, NCCL_ALGO: ring, tree, nvls, nvls-tree, collnet-direct, pat, ..."},
    {"nccl.proto", "a list, NCCL_PROTO: ll, ll128, simple"},
    {"nccl.min_channels", "NCCL_MIN_NCHANNELS"},
    {"nccl.max_channels", "NCCL_MAX_NCHANNELS"},
    {"nccl.p2p_net_chunk", "changes the software's: NCCL_P2P_NET_CHUNKSIZE"},
    {"nccl.p2p_channels_per_peer", "NCCL_NCHANNELS_PER_NET_PEER; else by NCCL's rule"},
    {"rccl.msccl", "changes the software's: RCCL_MSCCL_ENABLE"},
    {"rccl.msccl_largest", "changes the software's: calls that take MSCCL's all-pairs"},
    {"job.tokens",
     "the training job that simtrain goodput simulates: its tokens (15e12); or one of the next "
     "two"},
    {"job.train_iters", "its steps"},
    {"job.days", "or how long it runs, whatever it gets done"},
    {"job.failures", "file of hardware/failures; without it nothing fails"},
    {"job.checkpoint.storage", "file of hardware/storage that checkpoints are saved to"},
    {"job.checkpoint.save_interval",
     "steps between checkpoints; else the number that Daly's formula gives for its failures"},
    {"job.checkpoint.async_save",
     "training goes on once the state is in host memory, which is written beside it"},
    {"job.checkpoint.ckpt_format", "what of each parameter is written, and how"},
    {"job.checkpoint.ckpt_fully_parallel_save",
     "every replica writes its part; else the first one writes all"},
    {"job.checkpoint.ckpt_fully_parallel_load",
     "every replica reads its part and they exchange them; else each reads all of its weights"},
    {"job.checkpoint.non_persistent_storage",
     "file of hardware/storage for checkpoints in between, on the nodes or in their memory"},
    {"job.checkpoint.non_persistent_save_interval", "steps between those"},
    {"job.spare_nodes", "nodes that wait to take the place of failed ones"},
    {"job.elastic_replicas",
     "while nodes are missing the job goes on without so many replicas; 0: it waits"},
    {"job.eval.eval_interval", "steps between passes over validation data"},
    {"job.eval.eval_iters", "steps' worth of samples of such a pass, forward only"},
    {"job.runs", "simulated runs of the job, each with its own failures"},
    {"job.seed", "of their random numbers"},
});

template <class T>
std::string default_of(const T& /*value*/) {
  return "left out";
}
template <Named E>
std::string default_of(const E& value) {
  return std::string(name_of(value));
}
std::string default_of(const bool& value) { return value ? "true" : "false"; }
std::string default_of(const int& value) { return std::to_string(value); }

template <class T>
std::string type_of(const T& /*value*/) {
  return "text";
}
template <Named E>
std::string type_of(const E& /*value*/) {
  std::vector<std::string_view> names;
  names.reserve(EnumNames<E>::rows.size());
  for (const auto& [name, row] : EnumNames<E>::rows) names.push_back(name);
  return fmt::format("{}", fmt::join(names, ", "));
}
std::string type_of(const bool& /*value*/) { return "true or false"; }
std::string type_of(const ModelChoice& /*value*/) { return "text or map"; }
std::string type_of(const int& /*value*/) { return "whole number"; }
std::string type_of(const std::int64_t& /*value*/) { return "whole number"; }
std::string type_of(const double& /*value*/) { return "number"; }
std::string type_of(const std::vector<std::string>& /*value*/) { return "list of texts"; }
std::string type_of(const Money& /*value*/) { return "number with USD"; }
std::string type_of(const EnergyPrice& /*value*/) { return "number with USD/kWh or USD/MWh"; }
std::string type_of(const CarbonIntensity& /*value*/) {
  return "number with g/kWh, kg/kWh or kg/MWh";
}
template <class T>
std::string type_of(const std::optional<T>& /*value*/) {
  return type_of(T{});
}

/// Visitor that prints a row a field, and goes down into nested structs.
class KeyPrinter {
 public:
  KeyPrinter(std::string& out, std::string path, bool required = true)
      : out_(out), path_(std::move(path)), required_(required) {}

  template <class T, class... Limit>
  void operator()(std::string_view key, T& field, Limit... /*limits*/) {
    print(key, field, required_ ? "required" : default_of(field), required_);
  }
  template <class T, class... Limit>
  void optional(std::string_view key, T& field, Limit... /*limits*/) {
    print(key, field, default_of(field), false);
  }

 private:
  template <class T>
  void print(std::string_view key, T& field, const std::string& otherwise, bool required) {
    const std::string dotted = yaml_detail::dotted(path_, key);
    if constexpr (Fielded<T>) {
      KeyPrinter inner(out_, dotted, required);
      visit_fields(inner, field);
    } else if constexpr (requires {
                           requires Fielded<typename T::value_type>;
                           field.has_value();
                         }) {
      KeyPrinter inner(out_, dotted);
      typename T::value_type value{};
      visit_fields(inner, value);
    } else if constexpr (requires { requires Fielded<typename T::value_type>; }) {
      KeyPrinter inner(out_, dotted + "[]");
      typename T::value_type item{};
      visit_fields(inner, item);
    } else {
      const auto meaning = std::find_if(kMeanings.begin(), kMeanings.end(),
                                        [&](const Meaning& row) { return row.key == dotted; });
      invariant(meaning != kMeanings.end(), "every scenario key has its line of help");
      out_ += fmt::format("| `{}` | {} | {} | {} |\n", dotted, type_of(field), otherwise,
                          meaning->text);
    }
  }

  std::string& out_;
  std::string path_;
  bool required_;  ///< the struct: what it must hold has a default where it may be left out
};

}  // namespace

std::string scenario_help() {
  std::string out =
      "# Scenario keys\n\n"
      "Printed by `simtrain help scenario`. Files are strict: unknown, missing, doubled and "
      "wrongly typed keys are\n"
      "errors with their place. `--set KEY=VALUE` changes any of them.\n\n"
      "| key | value | if missing | meaning |\n|---|---|---|---|\n";
  ScenarioFile file;
  KeyPrinter printer(out, "");
  visit_fields(printer, file);
  JobSpec training_job;
  KeyPrinter job(out, "job", false);
  visit_fields(job, training_job);
  out +=
      "\n`model_overrides` may hold any key of a model file (`scenarios/models/`) and replaces "
      "it, wherever the model comes from.\n\n"
      "`layers` of a model lists its layers where they are not all attention and MLP: "
      "`[{blocks: [gqa, mlp], repeat: 16}, {blocks: [mlp], repeat: 16}]`, together "
      "`num_layers` (`simtrain list blocks`); a hybrid's pattern instead, a letter a layer: "
      "`hybrid_override_pattern: \"MEM*E\"`.\n"
      "Some blocks have sizes of their own: `window_size` (swa), `attention_chunk_size` "
      "(chunked_gqa), `multi_latent_attention: {q_lora_rank: 1536,\n"
      "kv_lora_rank: 512, qk_head_dim: 128, qk_pos_emb_head_dim: 64, v_head_dim: 128}` (mla), "
      "`mamba: {mamba_num_heads: 64, mamba_head_dim: 64,\n"
      "mamba_state_dim: 128, mamba_num_groups: 8}` (mamba), `experts` (moe). Of any model: "
      "`qk_layernorm`, `add_bias_linear`, `add_qkv_bias`,\n"
      "`softmax_type` (vanilla, off-by-one, learnable), `mtp_num_layers`.\n\n"
      "`experts` of a model are those of its moe blocks: `experts: {num_moe_experts: 8, "
      "moe_router_topk: 2, moe_ffn_hidden_size: 14336,\n"
      "moe_shared_expert_intermediate_size: 0}`, with `moe_latent_size` where tokens are "
      "dispatched "
      "narrower; `moe` of a scenario says how tokens find them.\n\n"
      "`hardware` may hold values of the GPU, node, fabric and software files that the scenario "
      "names, and replaces them:\n"
      "`hardware: {nic_bandwidth: 200 Gb/s}`, on the command line "
      "`--set hardware.nic_bandwidth=200Gb/s`. `simtrain help hardware`\n"
      "lists the keys; one that more than one of the files has needs its kind, as in "
      "`hardware.fabric.switch_latency`. Reports name\n"
      "what was changed.\n\n"
      "Where keys are changed on the command line, a report's title is made of what was "
      "simulated, with the changes below it,\n"
      "and source and notes are named as those of the unchanged file; `--set name=...` gives a "
      "title of one's own.\n"
      "`--set cluster.name=...` alone keeps the nodes: where those of the other cluster hold more "
      "or fewer GPUs, a note says so,\n"
      "and `--set gpus=...` asks for GPUs.\n\n"
      "`table` makes one file of many scales: `columns` lists `row` and dotted keys, `rows` a list "
      "of values for each;\n"
      "every row is the body with those keys replaced. `--row NAME` runs one, without it all "
      "run.\n\n"
      "`sweep` says what `simtrain sweep` varies: keys of this table, dotted or short (`tp`, `pp`, "
      "`vp`, `cp`, `ep`,\n"
      "`mbs`, `gbs`, `nodes`, `gpus`, `precision`), each with one value, a list of values, or "
      "whole "
      "numbers "
      "as `FIRST:LAST` or\n"
      "`FIRST:LAST:STEP`, both ends included: `sweep: {tp: [1, 2, 4, 8], vp: 1:12, mbs: [1, 2]}`. "
      "Every combination is a\n"
      "candidate, the first key slowest. `simtrain run` leaves the block alone.\n";
  return out;
}

}  // namespace simtrain
