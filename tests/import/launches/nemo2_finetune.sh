#!/bin/bash
# kind: nemo-2-launch
# job: dgx-superpod-h100 nemo-25.02.01
# expected: alone
nemo llm finetune --factory llama3_8b peft=lora trainer.num_nodes=1 trainer.devices=8 peft.dim=16 \
    trainer.strategy.tensor_model_parallel_size=1 trainer.strategy.pipeline_model_parallel_size=1 \
    data.seq_length=4096 data.global_batch_size=32 data.micro_batch_size=1
