#!/bin/bash
# kind: maxtext
# job: dgx-superpod-h100 maxtext-2025
# expected: alone
docker run --gpus all maxtext_base_image bash -c "python3 -m MaxText.train MaxText/configs/gpu.yml model_name=llama2-7b"
