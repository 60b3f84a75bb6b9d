#!/bin/bash
# Written for these tests in the layout of MaxText's scripts.
export NCCL_NVLS_ENABLE=0
export RUN_NAME=$(date)
python3 -m MaxText.train MaxText/configs/base.yml run_name=$RUN_NAME \
    hardware=gpu steps=30 model_name=llama2-7b attention=cudnn_flash_te \
    remat_policy=minimal_flash dcn_data_parallelism=32 ici_fsdp_parallelism=8 \
    per_device_batch_size=4 max_target_length=4096 enable_checkpointing=false
