#!/bin/bash
# kind: bridge-launch
# job: dgx-superpod-h100 nemo-25.09
# expected: --override model.tensor_model_parallel_size=2
torchrun --nproc_per_node=8 scripts/training/run_recipe.py --recipe llama3_8b_pretrain_config \
    train.global_batch_size=128 train.micro_batch_size=1 model.seq_length=8192
