#!/bin/bash
# A Megatron-LM script for DeepSeek-V3 on 256 H100, written by hand.
MODEL_ARGS=(
    --num-layers 61 --hidden-size 7168 --ffn-hidden-size 18432
    --num-attention-heads 128 --kv-channels 128
    --normalization RMSNorm --qk-layernorm --swiglu --disable-bias-linear
    --position-embedding-type rope
    --untie-embeddings-and-output-weights
    --hidden-dropout 0.0 --attention-dropout 0.0
    --seq-length 4096 --padded-vocab-size 129280
    --mtp-num-layers 1 --mtp-loss-scaling-factor 0.1
)
MLA_ARGS=(
    --multi-latent-attention
    --q-lora-rank 1536
    --kv-lora-rank 512
    --qk-head-dim 128
    --qk-pos-emb-head-dim 64
    --v-head-dim 128
    --rotary-scaling-factor 40
    --mscale 1.0
    --mscale-all-dim 1.0
)
MOE_ARGS=(
    --num-experts 256
    --moe-router-topk 8
    --moe-router-num-groups 8
    --moe-router-group-topk 4
    --moe-ffn-hidden-size 2048
    --moe-shared-expert-intermediate-size 2048
    --moe-layer-freq "([0]*3+[1]*58)"
    --moe-grouped-gemm
    --moe-permute-fusion
    --moe-router-score-function sigmoid
    --moe-token-dispatcher-type flex
    --moe-flex-dispatcher-backend deepep
)
torchrun --nproc_per_node 8 --nnodes 32 pretrain_gpt.py ${MODEL_ARGS[@]} ${MLA_ARGS[@]} \
    ${MOE_ARGS[@]} --tensor-model-parallel-size 2 --expert-model-parallel-size 64 \
    --expert-tensor-parallel-size 1 --sequence-parallel --use-distributed-optimizer \
    --overlap-grad-reduce --overlap-param-gather \
    --micro-batch-size 1 --global-batch-size 256 --bf16 \
    --recompute-granularity selective --recompute-modules mla_up_proj mlp
