#!/bin/bash
# Written for these tests in the layout of Megatron-DeepSpeed's examples.
DS_ARGS=" --deepspeed --deepspeed_config zero3_deepspeed.json --zero-stage 3 --no-pipeline-parallel"
deepspeed --num_nodes 4 pretrain_gpt.py \
    --num-layers 24 --hidden-size 4096 --num-attention-heads 32 --seq-length 2048 \
    --max-position-embeddings 2048 --vocab-size 50257 --tensor-model-parallel-size 1 \
    --micro-batch-size 4 --bf16 --hidden-dropout 0.0 --checkpoint-activations \
    --deepspeed-activation-checkpointing $DS_ARGS
