#include <array>

#include "sim/output/schema/meanings.h"

namespace simtrain {
namespace {

constexpr auto kModelMeanings = std::to_array<Meaning>({
    {"model.num_layers", "transformer layers"},
    {"model.hidden_size", "columns of hidden states"},
    {"model.ffn_hidden_size", "of an MLP, of one branch: a gated unit has two"},
    {"model.num_attention_heads", "query heads"},
    {"model.num_query_groups", "heads of keys and values"},
    {"model.kv_channels", "head dimension"},
    {"model.vocab_size", "as padded: rows of embedding and output layer"},
    {"model.activation", "of the MLP"},
    {"model.normalization", "of the layers"},
    {"model.rotary_percent", "share of the head dimension that RoPE turns"},
    {"model.share_embeddings_and_output_weights", "tied embeddings"},
    {"model.hidden_dropout", "probability; what is not 0 keeps masks and takes time"},
    {"model.attention_dropout", "the same of attention probabilities"},
    {"model.qk_layernorm", "a norm of each head's query and key"},
    {"model.add_bias_linear", "to all linear modules of layers"},
    {"model.add_qkv_bias", "to the module that makes queries, keys and values"},
    {"model.softmax_type", "what the softmax adds to its sum: nothing, one, or a learned sink"},
    {"model.window_size", "of swa blocks: keys that a query sees"},
    {"model.attention_chunk_size", "of chunked_gqa blocks: tokens that attend to each other"},
    {"model.multi_latent_attention", "sizes of mla blocks"},
    {"model.multi_latent_attention.q_lora_rank", "latent of queries; without it none"},
    {"model.multi_latent_attention.kv_lora_rank", "latent of keys and values"},
    {"model.multi_latent_attention.qk_head_dim", "of a query or key, without its rotary part"},
    {"model.multi_latent_attention.qk_pos_emb_head_dim",
     "rotary part, which all heads' keys share"},
    {"model.multi_latent_attention.v_head_dim", "of a value"},
    {"model.mamba", "sizes of mamba blocks (Mamba-2)"},
    {"model.mamba.mamba_num_heads", "heads of a mamba block"},
    {"model.mamba.mamba_head_dim", "head dimension of a mamba block"},
    {"model.mamba.mamba_state_dim", "state of a head"},
    {"model.mamba.mamba_num_groups", "of heads that share B and C"},
    {"model.experts", "of moe blocks"},
    {"model.experts.num_moe_experts", "experts of a layer"},
    {"model.experts.moe_router_topk", "experts that a token passes"},
    {"model.experts.moe_ffn_hidden_size", "of one expert, of one branch"},
    {"model.experts.moe_shared_expert_intermediate_size", "of those that all tokens pass; 0: none"},
    {"model.experts.moe_latent_size", "columns of tokens that are dispatched; else hidden_size"},
    {"model.experts.moe_router_num_groups", "equal groups of experts"},
    {"model.experts.moe_router_group_topk", "groups whose experts a token may choose"},
    {"model.mtp_num_layers", "depths of multi-token prediction"},
    {"model.layers", "layers in order, where not all are attention and MLP"},
    {"model.layers[].blocks", "of one layer, in order (`simtrain list blocks`)"},
    {"model.layers[].repeat", "how many such layers follow each other"},
    {"model.hybrid_override_pattern", "a letter a layer, as Megatron writes hybrids: MEM*E"},
});

constexpr auto kSoftwareMeanings = std::to_array<Meaning>({
    {"software.attention", "implementation of fused attention"},
    {"software.cross_entropy", "kernels of the loss"},
    {"software.squared_relu", "one kernel, or PyTorch's own one after the other"},
    {"software.distributed_optimizer", "whose optimizer kernels"},
    {"software.tp_only_amax_red", "amax of FP8 tensors is reduced over TP x CP, not DP as well"},
    {"software.nccl", "how it builds and sets NCCL"},
    {"software.nccl.version", "the release"},
    {"software.nccl.nvls", "NCCL_NVLS_ENABLE"},
    {"software.nccl.collnet", "NCCL_COLLNET_ENABLE; needs SHARP"},
    {"software.nccl.algo", "NCCL_ALGO: only these"},
    {"software.nccl.proto", "NCCL_PROTO: only these"},
    {"software.nccl.min_channels", "NCCL_MIN_NCHANNELS"},
    {"software.nccl.max_channels", "NCCL_MAX_NCHANNELS"},
    {"software.nccl.p2p_net_chunk", "NCCL_P2P_NET_CHUNKSIZE"},
    {"software.nccl.p2p_channels_per_peer", "NCCL_NCHANNELS_PER_NET_PEER"},
    {"software.rccl", "how it sets RCCL"},
    {"software.rccl.msccl", "RCCL_MSCCL_ENABLE"},
    {"software.rccl.msccl_largest", "calls up to this size take MSCCL's all-pairs"},
    {"software.host_launches", "time of the host for a dense layer, in kernel launches"},
    {"software.host_launches.bf16_forward", "of a BF16 layer forward"},
    {"software.host_launches.bf16_backward", "of a BF16 layer backward"},
    {"software.host_launches.fp8_forward", "of an FP8 layer forward, with casts"},
    {"software.host_launches.fp8_backward", "of an FP8 layer backward, with casts"},
    {"software.host_launches.expert_gemm", "of one GEMM of an expert"},
    {"software.memory", "what a GPU holds beside the tensors of a step"},
    {"software.memory.cuda_context", "of the process"},
    {"software.memory.communicator_of_two", "buffers of a communicator of two ranks"},
    {"software.memory.communicator", "buffers of one of more ranks"},
    {"software.memory.reserved_per_allocated", "of the allocator, with its fragmentation"},
    {"software.weight_gradient_placeholders",
     "Transformer Engine keeps a BF16 tensor a shape of weights for autograd"},
    {"software.gradient_accumulation", "in the GEMM that makes the gradient, or by a kernel"},
    {"software.tensor_parallelism", "who moves rows and sums over TP, beside GEMMs or behind them"},
    {"software.pipeline_messages",
     "whether each rank sends a part of the activations, without sequence parallelism"},
    {"software.known", "how well the stack is known, which widens intervals"},
});

}  // namespace

std::span<const Meaning> model_meanings() { return kModelMeanings; }

std::span<const Meaning> software_meanings() { return kSoftwareMeanings; }

}  // namespace simtrain
