#include <array>

#include "sim/output/schema/meanings.h"

namespace simtrain {
namespace {

constexpr auto kScenarioMeanings = std::to_array<Meaning>({
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
    {"cluster.placement", "which servers it gets: a kind, or a map"},
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
     "layers of each stage and chunk in Megatron's letters (E, t, L); dealt evenly without"},
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
});

}  // namespace

std::span<const Meaning> scenario_meanings() { return kScenarioMeanings; }

}  // namespace simtrain
