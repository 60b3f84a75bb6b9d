#!/bin/bash
# kind: configuration-launch
# job: dgx-superpod-h100 llm-foundry-2024
# expected: alone
composer train/train.py ../data/mpt_30b_foundry.yaml max_duration=10ba device_train_microbatch_size=2 \
    global_train_batch_size=64
