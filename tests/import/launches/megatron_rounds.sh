#!/bin/bash
# kind: megatron-arguments
# job: dgx-superpod-h100 megatron-core-2025
# expected: alone
SIZES="8 4"
for TP in $SIZES; do
  torchrun --nproc_per_node 8 --nnodes 2 pretrain_gpt.py --num-layers 32 --hidden-size 4096 \
    --num-attention-heads 32 --ffn-hidden-size 14336 --group-query-attention --num-query-groups 8 --swiglu \
    --normalization RMSNorm --position-embedding-type rope --disable-bias-linear \
    --untie-embeddings-and-output-weights --seq-length 8192 --max-position-embeddings 8192 \
    --tokenizer-type HuggingFaceTokenizer --tokenizer-model meta-llama/Meta-Llama-3-8B \
    --micro-batch-size 1 --global-batch-size 64 --tensor-model-parallel-size $TP --bf16
done
