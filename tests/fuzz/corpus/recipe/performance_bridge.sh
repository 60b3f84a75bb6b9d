#!/bin/bash
export NCCL_NVLS_ENABLE=0
python scripts/performance/setup_experiment.py --account me --partition batch -g h100 -m llama3 -s 70b \
    -ng 64 -gn 8 -c fp8_cs -tp 4 -pp 4 -cp 2 -vp 5 -mb 1 -gb 128 -sl 8192
