#!/bin/bash
# kind: configuration-launch
# job: dgx-superpod-h100 nemo-24.09
# expected: alone
torchrun --nproc_per_node=8 examples/nlp/language_modeling/megatron_gpt_pretraining.py \
    --config-path=../data --config-name=mixtral_8x7b_nemo1 model.global_batch_size=512 +trainer.max_steps=10
