#!/bin/bash
# kind: torchtitan-launch
# job: dgx-superpod-h100 torchtitan-2025
# expected: --override training.seq_len=8192
NGPU=8 MODULE=llama3 CONFIG=llama3_8b_c4_test ./run_train.sh \
    --parallelism.tensor_parallel_degree=2 --training.num_tokens_per_microbatch_per_dp_rank 16384
