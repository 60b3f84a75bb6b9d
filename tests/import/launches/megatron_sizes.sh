#!/bin/bash
# kind: megatron-launch
# job: dgx-superpod-a100 megatron-2021
# expected: --set training.seq_length=2048
GBS=64
TP=8
PP=4
MBS=1
NLS=40
HS=6144
NAH=48
NNODES=8
. `pwd`/SETTINGS.sh
. `pwd`/START.sh
