#!/bin/bash
# kind: configuration-launch
# job: dgx-superpod-h100 megatron-core-2025
# expected: alone
CUDA_DEVICE_MAX_CONNECTIONS=1 torchrun --nproc_per_node=8 run_train.py --config-file ../data/llama_nanotron.yaml
