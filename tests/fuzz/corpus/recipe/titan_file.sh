#!/bin/bash
NGPU=${NGPU:-"8"}
CONFIG_FILE=${CONFIG_FILE:-"../data/llama31_70b_titan.toml"}
torchrun --nproc_per_node=${NGPU} --nnodes 32 -m torchtitan.train --job.config_file ${CONFIG_FILE} \
    --training.local-batch-size 2 --training.seq_len=4096 --metrics.no-enable_tensorboard "$@"
