#!/bin/bash
# kind: maxtext
# job: dgx-superpod-h100 maxtext-2025
# expected: alone
python3 -m MaxText.train src/MaxText/configs/base.yml run_name=x model_name=llama2-7b per_device_batch_size=4 \
    max_target_length=4096 ici_fsdp_parallelism=8 dcn_data_parallelism=2 remat_policy=full
