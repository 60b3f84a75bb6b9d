#!/bin/bash
# kind: nemo-2-launch
# job: dgx-superpod-h100 nemo-25.02.01
# expected: alone
NODES=4
nemo llm pretrain --factory llama3_70b -y trainer.num_nodes=$NODES trainer.devices=8 \
    trainer.strategy.tensor_model_parallel_size=4 trainer.strategy.pipeline_model_parallel_size=4 \
    trainer.strategy.sequence_parallel=true data.seq_length=8192 data.global_batch_size=64 \
    data.micro_batch_size=1 trainer.max_steps=20
