#!/bin/bash
# Launches of a script of Megatron-LM by variables, written by hand for tests.
export MODEL=${MODEL:-Qwen3-30B-A3B}
export MBS=1
export SEQ_LEN=4096

PR=bf16 DISPATCHER=alltoall TP=1 PP=1 EP=8 NNODES=2 GBS=512 bash ./start.sh \
  --recompute-granularity full --recompute-method uniform --recompute-num-layers 1

PR=bf16 TP=2 PP=1 EP=8 NNODES=4 GBS=1024 bash ./start.sh
