#!/bin/bash
# A Megatron-LM script for a 15B model on 256 H100, written by hand with the model and
# the layout of scenarios/gpt3_15b_golden.yaml.
export CUDA_DEVICE_MAX_CONNECTIONS=1
GPUS_PER_NODE=8
NUM_NODES=${SLURM_NNODES:-32}
TP=8
CHECKPOINT_PATH=$1 # where to save

DISTRIBUTED_ARGS=(
    --nproc_per_node $GPUS_PER_NODE
    --nnodes $NUM_NODES
    --master_addr $MASTER_ADDR
)
GPT_MODEL_ARGS=(
    --num-layers 32
    --hidden-size 6144
    --num-attention-heads 48 # of 128
    --group-query-attention
    --num-query-groups 8
    --seq-length 4096
    --max-position-embeddings 4096
    --position-embedding-type rope
    --rotary-percent 0.5
    --squared-relu
    --apply-layernorm-1p
    --untie-embeddings-and-output-weights
    --disable-bias-linear
    --hidden-dropout 0.0
    --tokenizer-type HuggingFaceTokenizer
    --vocab-size 256000
)
TRAINING_ARGS="--micro-batch-size 4 \
    --global-batch-size 1152 \
    --bf16 --use-distributed-optimizer \
    --overlap-grad-reduce --overlap-param-gather"

torchrun ${DISTRIBUTED_ARGS[@]} pretrain_gpt.py \
    ${GPT_MODEL_ARGS[@]} $TRAINING_ARGS \
    --tensor-model-parallel-size $TP --pipeline-model-parallel-size=1 --sequence-parallel \
    --save "$CHECKPOINT_PATH" --lr 4.5e-4 2>&1 | tee log.txt
