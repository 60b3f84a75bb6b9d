#!/bin/bash
# kind: configuration-launch
# job: dgx-superpod-h100 torchtitan-2025
# expected: alone
export EXP=../data/llama31_8b_primus.yaml
bash ./examples/run_pretrain.sh --training.local_batch_size 2
