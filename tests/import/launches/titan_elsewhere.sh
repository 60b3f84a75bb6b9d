#!/bin/bash
# kind: torchtitan-launch
# job: dgx-superpod-h100 torchtitan-2025
# expected: refused put it beside the script
CONFIG_FILE="./train_configs/own.toml" NGPU=8 ./run_train.sh --training.seq_len=8192
