#!/bin/bash
# kind: nemo-2-launch
# job: dgx-superpod-h100 nemo-25.02.01
# expected: refused trains adapters
nemo llm finetune --factory llama3_8b trainer.num_nodes=1
