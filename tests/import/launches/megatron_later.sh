#!/bin/bash
# kind: megatron-arguments
# job: dgx-superpod-h100 megatron-core-2025
# expected: --override tensor_model_parallel_size=2
for TP in 8 4; do
  PLAN="--tensor-model-parallel-size $TP"
  LAST=$TP
done
torchrun --nproc_per_node 8 --nnodes 2 pretrain_gpt.py --num-layers 24 --hidden-size 2048 \
  --num-attention-heads 16 --seq-length 2048 --max-position-embeddings 2048 --vocab-size 50257 \
  --tensor-model-parallel-size $LAST --micro-batch-size 1 --global-batch-size 64 --bf16
