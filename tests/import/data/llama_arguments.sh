#!/bin/bash
# Runs as: PRECISION=bf16 bash llama_arguments.sh 8B 1 128 8192 4 1
MODEL_SIZE=$1
MICRO_BATCH=$2
GLOBAL_BATCH=$3
SEQ_LENGTH=$4
TP=$5
PP=$6

if [ $MODEL_SIZE = 8B ]; then
  NUM_LAYERS=32
  HIDDEN_SIZE=4096
  FFN_HIDDEN_SIZE=14336
  NUM_HEADS=32
elif [ $MODEL_SIZE = 70B ]; then
  NUM_LAYERS=80
  HIDDEN_SIZE=8192
  FFN_HIDDEN_SIZE=28672
  NUM_HEADS=64
fi
if [ $PRECISION = bf16 ]; then
  PRECISION_ARGS="--bf16"
else
  PRECISION_ARGS="--bf16 --fp8-format hybrid"
fi

torchrun --nproc_per_node 8 --nnodes 2 pretrain_gpt.py \
  --num-layers $NUM_LAYERS --hidden-size $HIDDEN_SIZE --ffn-hidden-size $FFN_HIDDEN_SIZE \
  --num-attention-heads $NUM_HEADS --group-query-attention --num-query-groups 8 --swiglu \
  --seq-length $SEQ_LENGTH --max-position-embeddings $SEQ_LENGTH --position-embedding-type rope \
  --normalization RMSNorm --disable-bias-linear --untie-embeddings-and-output-weights \
  --micro-batch-size $MICRO_BATCH --global-batch-size $GLOBAL_BATCH \
  --tensor-model-parallel-size $TP --pipeline-model-parallel-size $PP --sequence-parallel \
  --use-distributed-optimizer $PRECISION_ARGS --tokenizer-type NullTokenizer --vocab-size 128256
