#!/bin/bash
# kind: bridge-launch
# job: dgx-superpod-h100 nemo-25.09
# expected: refused trains adapters
torchrun scripts/training/run_recipe.py --recipe llama3_8b_peft_config train.micro_batch_size=1
