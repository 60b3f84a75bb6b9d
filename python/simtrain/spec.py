"""The keys of a scenario as typed objects; written by tools/python_spec from `simtrain schema scenario`.

Names are those of the YAML keys, what is None is left out, quantities are texts with their units. Wrong values
are found by simtrain, with their key; a type checker finds wrong names before.

    from simtrain import simulate, spec

    job = spec.Scenario(name="mine", source="me", software="nemo-25.02", model="llama3.1-8b",
                        cluster=spec.Cluster(name="dgx-superpod-h100", nodes=1), ...)
    simulate(job)
"""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, List, Literal, Mapping, Optional, Union


def _plain(value: Any) -> Any:
    if isinstance(value, Keys):
        return value.to_dict()
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return value


@dataclasses.dataclass(frozen=True, kw_only=True)
class Keys:
    """A map of keys."""

    def to_dict(self) -> Dict[str, Any]:
        """The keys that are not None, as scenario files hold them."""
        fields = ((field.name, getattr(self, field.name)) for field in dataclasses.fields(self))
        return {name.removesuffix("_"): _plain(value) for name, value in fields if value is not None}


@dataclasses.dataclass(frozen=True, kw_only=True)
class MultiLatentAttention(Keys):
    """Keys of `multilatentattention`.

    Attributes:
        q_lora_rank: latent of queries; without it none
        kv_lora_rank: latent of keys and values
        qk_head_dim: of a query or key, without its rotary part
        qk_pos_emb_head_dim: rotary part, which all heads' keys share
        v_head_dim: of a value
    """

    q_lora_rank: Optional[int] = None
    kv_lora_rank: Optional[int] = None
    qk_head_dim: Optional[int] = None
    qk_pos_emb_head_dim: Optional[int] = None
    v_head_dim: Optional[int] = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class DsaIndexer(Keys):
    """Keys of `dsaindexer`.

    Attributes:
        dsa_indexer_n_heads: heads of its queries
        dsa_indexer_head_dim: of a query, and of its only key
        dsa_indexer_topk: keys that a query sees
    """

    dsa_indexer_n_heads: Optional[int] = None
    dsa_indexer_head_dim: Optional[int] = None
    dsa_indexer_topk: Optional[int] = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Mamba(Keys):
    """Keys of `mamba`.

    Attributes:
        mamba_num_heads: heads of a mamba block
        mamba_head_dim: head dimension of a mamba block
        mamba_state_dim: state of a head
        mamba_num_groups: of heads that share B and C
    """

    mamba_num_heads: Optional[int] = None
    mamba_head_dim: Optional[int] = None
    mamba_state_dim: Optional[int] = None
    mamba_num_groups: Optional[int] = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class GatedDeltaNet(Keys):
    """Keys of `gateddeltanet`.

    Attributes:
        linear_num_key_heads: heads of queries and keys
        linear_num_value_heads: heads of values, each with a state
        linear_key_head_dim: of a query or key
        linear_value_head_dim: of a value
        linear_conv_kernel_dim: positions that its convolution joins (left out: 4)
    """

    linear_num_key_heads: Optional[int] = None
    linear_num_value_heads: Optional[int] = None
    linear_key_head_dim: Optional[int] = None
    linear_value_head_dim: Optional[int] = None
    linear_conv_kernel_dim: Optional[int] = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Experts(Keys):
    """Keys of `experts`.

    Attributes:
        num_moe_experts: experts of a layer
        moe_router_topk: experts that a token passes
        moe_ffn_hidden_size: of one expert, of one branch
        moe_shared_expert_intermediate_size: of those that all tokens pass; 0: none (left out: 0)
        moe_shared_expert_gate: a learned share of those for each token (left out: false)
        moe_latent_size: columns of tokens that are dispatched; else hidden_size
        moe_router_num_groups: equal groups of experts (left out: 1)
        moe_router_group_topk: groups whose experts a token may choose (left out: 1)
        moe_router_score_function: what makes probabilities of scores (left out: "softmax")
        moe_router_pre_softmax: over all experts, not those chosen (left out: false)
    """

    num_moe_experts: Optional[int] = None
    moe_router_topk: Optional[int] = None
    moe_ffn_hidden_size: Optional[int] = None
    moe_shared_expert_intermediate_size: Optional[int] = None
    moe_shared_expert_gate: Optional[bool] = None
    moe_latent_size: Optional[int] = None
    moe_router_num_groups: Optional[int] = None
    moe_router_group_topk: Optional[int] = None
    moe_router_score_function: Optional[Literal["softmax", "sigmoid", "sqrtsoftplus"]] = None
    moe_router_pre_softmax: Optional[bool] = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Layers(Keys):
    """Keys of `layers`.

    Attributes:
        blocks: of one layer, in order (`simtrain list blocks`)
        repeat: how many such layers follow each other (left out: 1)
    """

    blocks: Optional[List[Literal["gqa", "swa", "chunked_gqa", "mla", "dsa", "dsa_shared", "mamba", "gated_delta_net", "mlp", "moe", "mtp", "mtp_head", "embedding", "head"]]] = None
    repeat: Optional[int] = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Model(Keys):
    """The shape of a model, or keys that replace those of a model file.

    Attributes:
        name: the name of the file, by which others refer to it
        source: where the values are from: a datasheet, a measurement, or assumed or fitted
        num_layers: transformer layers
        hidden_size: columns of hidden states
        ffn_hidden_size: of an MLP, of one branch: a gated unit has two
        num_attention_heads: query heads
        num_query_groups: heads of keys and values
        kv_channels: head dimension
        vocab_size: as padded: rows of embedding and output layer
        activation: of the MLP
        activation_func_clamp_value: where both branches of a gated unit are cut off before it; without it
            nowhere
        normalization: of the layers
        rotary_percent: share of the head dimension that RoPE turns
        share_embeddings_and_output_weights: tied embeddings
        hidden_dropout: probability; what is not 0 keeps masks and takes time (left out: 0.0)
        attention_dropout: the same of attention probabilities (left out: 0.0)
        qk_layernorm: a norm of each head's query and key (left out: false)
        attention_output_gate: a sigmoid gate for each column that gqa blocks put out (left out: false)
        add_bias_linear: to all linear modules of layers (left out: false)
        add_qkv_bias: to the module that makes queries, keys and values (left out: false)
        softmax_type: what the softmax adds to its sum: nothing, one, or a learned sink (left out: "vanilla")
        window_size: of swa blocks: keys that a query sees
        attention_chunk_size: of chunked_gqa blocks: tokens that attend to each other
        multi_latent_attention: sizes of mla, dsa and dsa_shared blocks
        dsa_indexer: what chooses keys in dsa blocks
        mamba: sizes of mamba blocks (Mamba-2)
        gated_delta_net: sizes of gated_delta_net blocks (gated linear attention)
        experts: of moe blocks
        mtp_num_layers: depths of multi-token prediction (left out: 0)
        layers: layers in order, where not all are attention and MLP
        hybrid_override_pattern: a letter a layer, as Megatron writes hybrids: MEM*E
    """

    name: Optional[str] = None
    source: Optional[str] = None
    num_layers: Optional[int] = None
    hidden_size: Optional[int] = None
    ffn_hidden_size: Optional[int] = None
    num_attention_heads: Optional[int] = None
    num_query_groups: Optional[int] = None
    kv_channels: Optional[int] = None
    vocab_size: Optional[int] = None
    activation: Optional[Literal["swiglu", "squared-relu", "gelu"]] = None
    activation_func_clamp_value: Optional[float] = None
    normalization: Optional[Literal["rmsnorm", "layernorm1p"]] = None
    rotary_percent: Optional[float] = None
    share_embeddings_and_output_weights: Optional[bool] = None
    hidden_dropout: Optional[float] = None
    attention_dropout: Optional[float] = None
    qk_layernorm: Optional[bool] = None
    attention_output_gate: Optional[bool] = None
    add_bias_linear: Optional[bool] = None
    add_qkv_bias: Optional[bool] = None
    softmax_type: Optional[Literal["vanilla", "off-by-one", "learnable"]] = None
    window_size: Optional[int] = None
    attention_chunk_size: Optional[int] = None
    multi_latent_attention: Optional[MultiLatentAttention] = None
    dsa_indexer: Optional[DsaIndexer] = None
    mamba: Optional[Mamba] = None
    gated_delta_net: Optional[GatedDeltaNet] = None
    experts: Optional[Experts] = None
    mtp_num_layers: Optional[int] = None
    layers: Optional[List[Layers]] = None
    hybrid_override_pattern: Optional[str] = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class ClusterPlacement(Keys):
    """Keys of `clusterplacement`.

    Attributes:
        kind: which of them it gets (`simtrain list placements`); `placement: compact` says `{kind: compact}`
        seed: of the draw (random, fragmented)
        free: share of the servers that is free (fragmented)
        hosts: their numbers from 0, in rank order (hosts)
        segment: nodes that one NVLink domain holds together, as Slurm's --segment; what is left of a domain
            stays free (compact, fragmented). Of a compact job beyond a domain that says none it is the
            largest divisor of its nodes that a domain holds, where the cluster has room; 1 takes host after
            host
    """

    kind: Optional[Literal["compact", "spread", "random", "hosts", "fragmented"]] = None
    seed: Optional[int] = None
    free: Optional[float] = None
    hosts: Optional[List[str]] = None
    segment: Optional[int] = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class ClusterFaultsGpus(Keys):
    """Keys of `clusterfaultsgpus`.

    Attributes:
        host: slow GPUs: the server, by name or number from 0
        gpu: the GPU of that server, from 0
        slowdown: how many times as long its kernels take
        start: when it begins, from the start of the first step; by default then
        for_: how long it holds, over steps if it is longer; by default for good
    """

    host: str
    gpu: int
    slowdown: float
    start: Optional[str] = None
    for_: Optional[str] = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class ClusterFaultsNics(Keys):
    """Keys of `clusterfaultsnics`.

    Attributes:
        host: slow NICs: the server; without it, every one
        nic: the NIC of that server, from 0
        bandwidth_share: what is left of it, both ways; 0: down
        start: when it begins, as of a slow GPU
        for_: how long it holds, as of a slow GPU
    """

    host: Optional[str] = None
    nic: int
    bandwidth_share: float
    start: Optional[str] = None
    for_: Optional[str] = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class ClusterFaultsLinks(Keys):
    """Keys of `clusterfaultslinks`.

    Attributes:
        from_: slow links: a switch, as simtrain topology names it
        to: the switch at the other end
        bandwidth_share: what is left of all their cables; 0: down
        start: when it begins, as of a slow GPU
        for_: how long it holds, as of a slow GPU
    """

    from_: str
    to: str
    bandwidth_share: float
    start: Optional[str] = None
    for_: Optional[str] = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class ClusterFaults(Keys):
    """Keys of `clusterfaults`.

    Attributes:
        gpus: GPUs whose kernels take longer
        nics: NICs that have less bandwidth, or none
        links: cables between switches that have less bandwidth, or none
    """

    gpus: Optional[List[ClusterFaultsGpus]] = None
    nics: Optional[List[ClusterFaultsNics]] = None
    links: Optional[List[ClusterFaultsLinks]] = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Cluster(Keys):
    """Keys of `cluster`.

    Attributes:
        name: file of hardware/clusters
        machine: file of hardware/machines: the machine at hand, as it was measured (`simtrain calibrate
            --machine`)
        nodes: servers (for GB200: trays) of the job; these or the GPUs are required
        gpus: GPUs of the job in place of its nodes: whole nodes of any cluster; setting one of the two takes
            the other's place
        available_nodes: servers that the job may land on; by default the job's own nodes
        placement: which servers it gets: a kind, or a map
        rank_order: ranks fill host after host, go round over the hosts, or fill the hosts sorted by number
            (left out: "by-host")
        faults: what is broken or slow, from the start or for a while
    """

    name: str
    machine: Optional[str] = None
    nodes: Optional[int] = None
    gpus: Optional[int] = None
    available_nodes: Optional[int] = None
    placement: Optional[Union[Literal["compact", "spread", "random", "hosts", "fragmented"], ClusterPlacement]] = None
    rank_order: Optional[Literal["by-host", "round-robin", "sorted-hosts"]] = None
    faults: Optional[ClusterFaults] = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Training(Keys):
    """Keys of `training`.

    Attributes:
        precision: of the transformer layers' GEMMs; the output layer stays BF16, with tf32 all is FP32
        fp8_params: parameters are kept and gathered in FP8 (left out: false)
        num_layers_at_start_in_bf16: layers at the start that stay in BF16 (left out: 0)
        num_layers_at_end_in_bf16: layers at the end that stay in BF16 (left out: 0)
        seq_length: tokens of one sample
        micro_batch_size: samples of one pass
        global_batch_size: samples of one step over all replicas
    """

    precision: Literal["bf16", "fp8", "fp8_cs", "fp8_mx", "fp8_sc", "nvfp4", "tf32", "fp8_rowwise"]
    fp8_params: Optional[bool] = None
    num_layers_at_start_in_bf16: Optional[int] = None
    num_layers_at_end_in_bf16: Optional[int] = None
    seq_length: int
    micro_batch_size: int
    global_batch_size: int


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parallelism(Keys):
    """Keys of `parallelism`.

    Attributes:
        tensor_model_parallel_size: TP: ranks that share each matrix
        pipeline_model_parallel_size: PP: stages
        virtual_pipeline_model_parallel_size: VP: model chunks of a stage (interleaved 1F1B from 2) (left out:
            1)
        context_parallel_size: CP: ranks that share each sequence (left out: 1)
        expert_model_parallel_size: EP: ranks that share the experts of a layer (left out: 1)
        expert_tensor_parallel_size: ETP: ranks that share each expert; else as TP
        sequence_parallel: norms and residuals are split over the TP group
        account_for_embedding_in_pipeline_split: the embedding counts as a layer when layers are dealt out
            (left out: false)
        account_for_loss_in_pipeline_split: so does the loss (left out: false)
        pipeline_model_parallel_layout: layers of each stage and chunk in Megatron's letters (E, t, m, L);
            dealt evenly without
        pipeline_schedule: the order of passes (`simtrain list schedules`); else 1f1b, with several chunks a
            stage interleaved
        microbatch_group_size_per_vp_stage: of interleaved: micro-batches of a chunk before the next chunk's;
            else as PP
    """

    tensor_model_parallel_size: int
    pipeline_model_parallel_size: int
    virtual_pipeline_model_parallel_size: Optional[int] = None
    context_parallel_size: Optional[int] = None
    expert_model_parallel_size: Optional[int] = None
    expert_tensor_parallel_size: Optional[int] = None
    sequence_parallel: bool
    account_for_embedding_in_pipeline_split: Optional[bool] = None
    account_for_loss_in_pipeline_split: Optional[bool] = None
    pipeline_model_parallel_layout: Optional[str] = None
    pipeline_schedule: Optional[Literal["1f1b", "interleaved", "gpipe", "looped_bfs", "zb_h1", "zb_h2", "zb_v", "v_half", "v_min", "dualpipe_v", "dualpipe"]] = None
    microbatch_group_size_per_vp_stage: Optional[int] = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Overlap(Keys):
    """Keys of `overlap`.

    Attributes:
        tp_comm_overlap: TP communication overlaps with GEMMs: user buffers, or PyTorch's async TP
        tp_comm_overlap_table: file of hardware/tp_overlap; required by tp_comm_overlap, unused without
        overlap_p2p_comm: pipeline sends and receives run beside compute
        overlap_grad_reduce: gradients are reduced while backward passes run
        overlap_param_gather: parameters are gathered while forward passes run
        defer_embedding_wgrad_compute: the output layer's weight gradient waits for the flush (left out:
            false)
        wgrad_deferral_limit: micro-batches that it is kept for; 0: all (left out: 0)
        overlap_moe_expert_parallel_comm: a micro-batch's forward beside another's backward, so that tokens
            travel beside kernels (left out: false)
        delay_wgrad_compute: of these passes: weight gradients after input gradients have gone on their way
            (left out: false)
    """

    tp_comm_overlap: bool
    tp_comm_overlap_table: Optional[str] = None
    overlap_p2p_comm: bool
    overlap_grad_reduce: bool
    overlap_param_gather: bool
    defer_embedding_wgrad_compute: Optional[bool] = None
    wgrad_deferral_limit: Optional[int] = None
    overlap_moe_expert_parallel_comm: Optional[bool] = None
    delay_wgrad_compute: Optional[bool] = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Optimizer(Keys):
    """Keys of `optimizer`.

    Attributes:
        distributed: optimizer state is sharded over DP x CP
        grad_reduce_dtype: type of the gradient buffer
        bucket_size_mb: gradients reduced by one call, in 10^6 bytes
        use_precision_aware_optimizer: Transformer Engine's Adam keeps the main weights, and takes gradients
            as they were reduced (left out: false)
        store_param_remainders: there, of FP32 main weights the 16 bits alone that BF16 parameters lack (left
            out: true)
        main_params_dtype: there, main weights: fp32 or fp16 (left out: "fp32")
        exp_avg_dtype: what Adam's first moments are kept in (left out: "fp32")
        exp_avg_sq_dtype: what its second moments are kept in (left out: "fp32")
    """

    distributed: bool
    grad_reduce_dtype: Literal["bf16", "fp8", "fp8_block", "mxfp8", "nvfp4", "fp32", "tf32"]
    bucket_size_mb: float
    use_precision_aware_optimizer: Optional[bool] = None
    store_param_remainders: Optional[bool] = None
    main_params_dtype: Optional[Literal["fp32", "bf16", "fp16", "fp8"]] = None
    exp_avg_dtype: Optional[Literal["fp32", "bf16", "fp16", "fp8"]] = None
    exp_avg_sq_dtype: Optional[Literal["fp32", "bf16", "fp16", "fp8"]] = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Sharding(Keys):
    """Keys of `sharding`.

    Attributes:
        strategy: how data-parallel ranks share parameters, gradients and optimizer state (`simtrain list
            shardings`); else zero1 or ddp, as optimizer.distributed says
        data_parallel_replicate_degree: HSDP: groups of ranks that each hold all of the state (left out: 1)
        reshard_after_forward: parameters are gathered again for the backward; else so where PP is 1
    """

    strategy: Optional[Literal["ddp", "zero1", "zero1_tensors", "zero1_sums", "zero2", "zero3", "fsdp1", "fsdp2", "megatron_fsdp", "xla_fsdp"]] = None
    data_parallel_replicate_degree: Optional[int] = None
    reshard_after_forward: Optional[bool] = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class MoeRouting(Keys):
    """Keys of `moerouting`.

    Attributes:
        law: in place of moe_load_imbalance: balanced, random, or power_law, by which loads of experts fall
            with a power
        exponent: of the power law
        seed: of which experts have much by the power law
        histogram: in place of a law: tokens of each expert in the order of experts, in any unit
        histogram_file: a file of the same: a line of comma-separated numbers for each layer; from the
            scenario's folder, in --set from the current one
    """

    law: Optional[Literal["balanced", "random", "power_law"]] = None
    exponent: Optional[float] = None
    seed: Optional[int] = None
    histogram: Optional[List[float]] = None
    histogram_file: Optional[str] = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Moe(Keys):
    """Keys of `moe`.

    Attributes:
        moe_token_dispatcher_type: how tokens find their experts: NCCL's allgather or alltoall, or flex (left
            out: "alltoall")
        moe_flex_dispatcher_backend: the library of flex (left out: "deepep")
        moe_flex_dispatcher_num_sms: SMs that it takes; else its own number
        moe_router_fusion: scores and choice of experts in a few kernels (left out: false)
        moe_permute_fusion: rows are sorted by expert, and added back, in a kernel each; false: added by
            atomics (left out: true)
        moe_grouped_gemm: experts are computed together; false: one after the other (left out: true)
        use_transformer_engine_op_fuser: in MXFP8 a gated FC1 of experts, its activation and the quantization
            behind it are one kernel; in other precisions and with adapters nothing changes (left out: false)
        moe_router_padding_for_quantization: rows of quantized experts are padded by choices added to the
            router's; else by copies (left out: false)
        moe_expert_capacity_factor: rows that an expert takes over the mean, the rest is dropped; without it
            none is
        moe_pad_expert_input_to_capacity: experts work on all rows that they could take (left out: false)
        moe_expert_rank_capacity_factor: rows that a rank takes over the mean, the rest is dropped: the host
            need not wait for their number, and CUDA graphs hold the experts too; of HybridEP
        moe_load_imbalance: rows of the busiest rank over the mean; else as random routing makes it
        routing: how many tokens each expert gets
        moe_shared_expert_overlap: shared experts run beside the exchange of tokens (left out: false)
    """

    moe_token_dispatcher_type: Optional[Literal["allgather", "alltoall", "flex"]] = None
    moe_flex_dispatcher_backend: Optional[Literal["deepep", "hybridep"]] = None
    moe_flex_dispatcher_num_sms: Optional[int] = None
    moe_router_fusion: Optional[bool] = None
    moe_permute_fusion: Optional[bool] = None
    moe_grouped_gemm: Optional[bool] = None
    use_transformer_engine_op_fuser: Optional[bool] = None
    moe_router_padding_for_quantization: Optional[bool] = None
    moe_expert_capacity_factor: Optional[float] = None
    moe_pad_expert_input_to_capacity: Optional[bool] = None
    moe_expert_rank_capacity_factor: Optional[float] = None
    moe_load_imbalance: Optional[float] = None
    routing: Optional[MoeRouting] = None
    moe_shared_expert_overlap: Optional[bool] = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Offload(Keys):
    """Keys of `offload`.

    Attributes:
        cpu_offloading: activations of the first layers go to the host and come back (Transformer Engine)
            (left out: false)
        cpu_offloading_num_layers: how many layers (left out: 0)
        fine_grained_activation_offloading: inputs of some modules go to the host and come back (Megatron
            core) (left out: false)
        offload_modules: a list: attn_norm, qkv_linear, core_attn, attn_proj, mlp_norm, expert_fc1, moe_act
        optimizer_cpu_offload: the host keeps optimizer state and updates it; DeepSpeed's offload_optimizer
            (left out: false)
        optimizer_offload_fraction: of the state; DeepSpeed's ratio (left out: 1.0)
        overlap_cpu_optimizer_d2h_h2d: gradients, updates and weights of a layer beside those of others; else
            one after another (left out: false)
        offload_param: shards of parameters stay on the host, from where each gather gets them (DeepSpeed,
            FSDP) (left out: false)
    """

    cpu_offloading: Optional[bool] = None
    cpu_offloading_num_layers: Optional[int] = None
    fine_grained_activation_offloading: Optional[bool] = None
    offload_modules: Optional[List[Literal["attn_norm", "qkv_linear", "core_attn", "attn_proj", "mlp_norm", "expert_fc1", "moe_act"]]] = None
    optimizer_cpu_offload: Optional[bool] = None
    optimizer_offload_fraction: Optional[float] = None
    overlap_cpu_optimizer_d2h_h2d: Optional[bool] = None
    offload_param: Optional[bool] = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Lora(Keys):
    """Keys of `lora`.

    Attributes:
        rank: fine-tuning of low-rank adapters: all weights are frozen, beside each target module two products
            of so many columns are trained
        target_modules: a list: linear_qkv, linear_proj, linear_fc1, linear_fc2; without it all of them
    """

    rank: int
    target_modules: Optional[List[Literal["linear_qkv", "linear_proj", "linear_fc1", "linear_fc2"]]] = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class PackedSequencesDocuments(Keys):
    """Keys of `packedsequencesdocuments`.

    Attributes:
        length: in place of the mean: documents of that many tokens
        share: of the number of documents; together 1
    """

    length: float
    share: float


@dataclasses.dataclass(frozen=True, kw_only=True)
class PackedSequences(Keys):
    """Keys of `packedsequences`.

    Attributes:
        mean_document: sequences are packed with documents that attend to themselves alone, all of that many
            tokens
        documents: lengths of documents, in place of their mean
    """

    mean_document: Optional[float] = None
    documents: Optional[List[PackedSequencesDocuments]] = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Cost(Keys):
    """Keys of `cost`.

    Attributes:
        gpu_hour: price of one GPU for an hour, for prices of a step and of 1T tokens
        electricity: price of energy, with what the site takes beside the computers
        grid: CO2 equivalents of the grid, for the carbon of a step and of 1T tokens
        pue: what the site takes over what its computers take; else the cluster's
    """

    gpu_hour: Optional[str] = None
    electricity: Optional[str] = None
    grid: Optional[str] = None
    pue: Optional[float] = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Nccl(Keys):
    """Keys of `nccl`.

    Attributes:
        version: changes the software's: the NCCL release, 2.18 to 2.30
        nvls: changes the software's: NCCL_NVLS_ENABLE
        collnet: NCCL_COLLNET_ENABLE; needs a fabric whose switches reduce (SHARP)
        algo: a list, NCCL_ALGO: ring, tree, nvls, nvls-tree, collnet-direct, pat, ...
        proto: a list, NCCL_PROTO: ll, ll128, simple
        min_channels: NCCL_MIN_NCHANNELS
        max_channels: NCCL_MAX_NCHANNELS
        p2p_net_chunk: changes the software's: NCCL_P2P_NET_CHUNKSIZE
        p2p_channels_per_peer: NCCL_NCHANNELS_PER_NET_PEER; else by NCCL's rule
    """

    version: Optional[str] = None
    nvls: Optional[bool] = None
    collnet: Optional[bool] = None
    algo: Optional[List[Literal["ring", "tree", "collnet-direct", "collnet-chain", "nvls", "nvls-tree", "pat", "direct", "mesh", "user-buffers", "deepep", "hybridep", "to-host", "from-host", "cpu-adam"]]] = None
    proto: Optional[List[Literal["ll", "ll128", "simple", "ce"]]] = None
    min_channels: Optional[int] = None
    max_channels: Optional[int] = None
    p2p_net_chunk: Optional[str] = None
    p2p_channels_per_peer: Optional[int] = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Rccl(Keys):
    """Keys of `rccl`.

    Attributes:
        msccl: changes the software's: RCCL_MSCCL_ENABLE
        msccl_largest: changes the software's: calls that take MSCCL's all-pairs
    """

    msccl: Optional[bool] = None
    msccl_largest: Optional[str] = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class JobCheckpoint(Keys):
    """Keys of `jobcheckpoint`.

    Attributes:
        storage: file of hardware/storage that checkpoints are saved to
        save_interval: steps between checkpoints; else the number that Daly's formula gives for its failures
        async_save: training goes on once the state is in host memory, which is written beside it (left out:
            false)
        ckpt_format: what of each parameter is written, and how (left out: "torch_dist")
        ckpt_fully_parallel_save: every replica writes its part; else the first one writes all (left out:
            true)
        ckpt_fully_parallel_load: every replica reads its part and they exchange them; else each reads all of
            its weights (left out: false)
        non_persistent_storage: file of hardware/storage for checkpoints in between, on the nodes or in their
            memory
        non_persistent_save_interval: steps between those
    """

    storage: str
    save_interval: Optional[int] = None
    async_save: Optional[bool] = None
    ckpt_format: Optional[Literal["torch_dist", "torch_dcp", "deepspeed"]] = None
    ckpt_fully_parallel_save: Optional[bool] = None
    ckpt_fully_parallel_load: Optional[bool] = None
    non_persistent_storage: Optional[str] = None
    non_persistent_save_interval: Optional[int] = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class JobEval(Keys):
    """Keys of `jobeval`.

    Attributes:
        eval_interval: steps between passes over validation data
        eval_iters: steps' worth of samples of such a pass, forward only
    """

    eval_interval: int
    eval_iters: int


@dataclasses.dataclass(frozen=True, kw_only=True)
class JobData(Keys):
    """Keys of `jobdata`.

    Attributes:
        storage: file of hardware/storage that they are read from
        num_workers: processes of each loading rank that read ahead; 0: it reads itself, between steps (left
            out: 2)
        bytes_per_token: of the files; by default as Megatron writes them: 2, or 4 from 65,500 tokens in the
            vocabulary on
        sample_time: of a worker for one sample beside reading it: tokenization, packing, decoding; default
            none
    """

    storage: str
    num_workers: Optional[int] = None
    bytes_per_token: Optional[int] = None
    sample_time: Optional[str] = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Job(Keys):
    """Keys of `job`.

    Attributes:
        tokens: the training job that simtrain goodput simulates: its tokens (15e12); or one of the next two
        train_iters: its steps
        days: or how long it runs, whatever it gets done
        failures: file of hardware/failures; without it nothing fails
        checkpoint: how the job saves its state
        spare_nodes: nodes that wait to take the place of failed ones (left out: 0)
        elastic_replicas: while nodes are missing the job goes on without so many replicas; 0: it waits (left
            out: 0)
        fault_tolerance: file of hardware/fault_tolerance: a replica that fails leaves and comes back while up
            to elastic_replicas are gone; else a failure ends the job, and all of it starts again
        eval: passes over validation data
        data: how training data come to the GPUs; without it they are there when a step begins
        runs: simulated runs of the job, each with its own failures (left out: 1000)
        seed: of their random numbers (left out: 0)
    """

    tokens: Optional[float] = None
    train_iters: Optional[int] = None
    days: Optional[float] = None
    failures: Optional[str] = None
    checkpoint: JobCheckpoint
    spare_nodes: Optional[int] = None
    elastic_replicas: Optional[int] = None
    fault_tolerance: Optional[str] = None
    eval: Optional[JobEval] = None
    data: Optional[JobData] = None
    runs: Optional[int] = None
    seed: Optional[int] = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Table(Keys):
    """Keys of `table`.

    Attributes:
        columns: `row`, the name of a row, and dotted keys
        rows: of values, one for each column
    """

    columns: Optional[List[str]] = None
    rows: Optional[List[List[Any]]] = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Scenario(Keys):
    """A scenario; simulate(), sweep() and all other studies take it.

    Attributes:
        name: what the report calls it
        source: where the recipe is documented
        notes: what a reader should know: contradictions of the document, what was assumed
        mfu_convention: how FLOPs are counted for TFLOP/s and MFU (left out: "nvidia-dgxc")
        cluster: what the job runs on, and where on it
        software: file of hardware/software
        model: file of scenarios/models; a path to such a file (with a `/` or ending in .yaml, from the
            scenario's folder, in --set from the current one); or a map of its keys
        training: number types, sequence and batch
        parallelism: how model and batch are split over the GPUs
        overlap: communication that runs beside compute
        optimizer: how gradients are reduced and weights updated
        sharding: what data-parallel ranks hold: all, or a shard
        moe: of models with experts: how tokens find them, and how experts compute
        offload: what is kept in the memory of the hosts
        lora: fine-tuning of low-rank adapters in place of all weights
        packed_sequences: sequences that hold several documents
        recompute: what the backward computes again: some modules (selective), the whole layer (full), or what
            a policy drops: selective_op (torchtitan), checkpoint_dots (JAX), those of MaxText (left out:
            "none")
        recompute_modules: a list, of recompute selective: core_attn, layernorm, mlp, mla_up_proj, moe,
            moe_act, shared_experts; without it core_attn
        recompute_every_nth_layer: of recompute full: of every n-th layer of the model, the others keep what
            they need (torchtitan's selective_ac_option); without it of each
        cuda_graphs: layers are replayed as CUDA graphs: no launch time on the host (left out: false)
        cuda_launch_blocking: CUDA_LAUNCH_BLOCKING=1: the host launches a kernel of a layer when the one
            before has ended, so that nothing overlaps and all of its time shows (left out: false)
        cost: prices, for what a step and a job cost
        nccl: changes the software's settings of NCCL
        rccl: changes the software's settings of RCCL
        job: the training job of simtrain goodput: length, failures, checkpoints
        model_overrides: keys of the model file that it replaces
        hardware: values of the GPU, node, fabric and software files that it replaces (simtrain help hardware)
        table: one scenario a row: `row` and dotted keys, and their values
        sweep: what simtrain sweep varies: keys with a value, a list or a range FIRST:LAST[:STEP]
    """

    name: str
    source: str
    notes: Optional[List[str]] = None
    mfu_convention: Optional[Literal["nvidia-dgxc", "nvidia-dgxc-mha", "google-training-metrics", "causal", "nvidia-dgxc-finetune"]] = None
    cluster: Cluster
    software: str
    model: Union[str, Model]
    training: Training
    parallelism: Parallelism
    overlap: Overlap
    optimizer: Optimizer
    sharding: Optional[Sharding] = None
    moe: Optional[Moe] = None
    offload: Optional[Offload] = None
    lora: Optional[Lora] = None
    packed_sequences: Optional[PackedSequences] = None
    recompute: Optional[Literal["none", "selective", "full", "selective_op", "checkpoint_dots", "minimal_flash", "save_qkv_proj", "save_out_proj", "save_dot_except_mlp", "save_dot_with_context_except_mlp", "save_dot_except_mlpwi"]] = None
    recompute_modules: Optional[List[Literal["core_attn", "layernorm", "mlp", "mla_up_proj", "moe", "moe_act", "shared_experts"]]] = None
    recompute_every_nth_layer: Optional[int] = None
    cuda_graphs: Optional[bool] = None
    cuda_launch_blocking: Optional[bool] = None
    cost: Optional[Cost] = None
    nccl: Optional[Nccl] = None
    rccl: Optional[Rccl] = None
    job: Optional[Job] = None
    model_overrides: Optional[Model] = None
    hardware: Optional[Mapping[str, Any]] = None
    table: Optional[Table] = None
    sweep: Optional[Mapping[str, Any]] = None
