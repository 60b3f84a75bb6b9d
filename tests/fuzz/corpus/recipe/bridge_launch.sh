#!/bin/bash
M=llama3_8b
torchrun --nproc_per_node=8 --nnodes=2 scripts/training/run_recipe.py --recipe ${M}_pretrain_config \
  train.global_batch_size=$GBS train.micro_batch_size=1 model.seq_length=4096 \
  model.tensor_model_parallel_size=2 ++model.pipeline_model_parallel_size=1 .x=1 a..b=2 mixed_precision.fp8=hybrid
