#!/bin/bash
DIR="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
[ -f "$DIR/x.sh" ] && X=1
case ${SIZE:-"7B"} in 1B|3B) L=2;; 7B) L=4;; *) L=8;; esac
if [[ "$1" == fp8 ]]; then A="--fp8-format hybrid"; elif [ -z $Y ]; then A=1; else A=2; fi
for i in 1 2; do B+=" $i"; done
run --num-layers $L --hidden-size 512 --num-attention-heads 8 --rampup-batch-size 8 8 100 \
  --global-batch-size 32 --micro-batch-size 1 --seq-length 128 --vocab-size 50257 --bf16 \
  --untie-embeddings-and-output-weights
