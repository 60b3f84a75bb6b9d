#!/bin/bash
# kind: performance-launch
# job: dgx-superpod-h100 nemo-25.04.01
# expected: --override train.micro_batch_size=1
python3 scripts/performance/llm/pretrain_llama3_8b.py --gpu h100 --num_gpus 8 -c bf16 -tp 1 -pp 1 -cp 2 -gb 128 \
    --seq_length 8192
