#!/bin/bash
# A Megatron-LM script for Qwen3 30B-A3B on 32 H100, written by hand.
TP=1
EP=8
MODEL_ARGS=(
    --num-layers 48 --hidden-size 2048 --ffn-hidden-size 6144
    --num-attention-heads 32 --kv-channels 128
    --group-query-attention --num-query-groups 4
    --normalization RMSNorm --qk-layernorm --swiglu --disable-bias-linear
    --position-embedding-type rope --rotary-percent 1.0
    --untie-embeddings-and-output-weights
    --hidden-dropout 0.0 --attention-dropout 0.0
    --seq-length 4096 --padded-vocab-size 151936
)
MOE_ARGS=(
    --num-experts 128
    --moe-router-topk 8
    --moe-ffn-hidden-size 768
    --moe-layer-freq 1
    --moe-grouped-gemm
    --moe-router-fusion
    --moe-permute-fusion
    --moe-router-dtype fp32
    --moe-aux-loss-coeff 1e-3
    --moe-token-dispatcher-type flex
    --moe-flex-dispatcher-backend hybridep
    --moe-hybridep-num-sms 32
    --moe-deepep-num-sms 20
)
torchrun --nproc_per_node 8 --nnodes 4 pretrain_gpt.py ${MODEL_ARGS[@]} ${MOE_ARGS[@]} \
    --tensor-model-parallel-size $TP --expert-model-parallel-size $EP \
    --expert-tensor-parallel-size 1 --use-distributed-optimizer \
    --overlap-grad-reduce --overlap-param-gather \
    --micro-batch-size 1 --global-batch-size 256 --bf16 \
    --recompute-granularity selective --recompute-modules moe_act layernorm
