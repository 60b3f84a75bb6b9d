#!/bin/bash
C="./ds.$SLURM_JOBID.json"
Z=1
cat <<EOT > $C
{
  "train_micro_batch_size_per_gpu": ${MBS:-2},
  "train_batch_size": $((2 * 32)),
  "zero_optimization": {"stage": $Z},
  "bf16": {"enabled": true}
}
EOT
cat > b.json <<-'END'
	{"fp16": {"enabled": false}}
	END
deepspeed --num_nodes 4 pretrain_gpt.py --num-layers 4 --hidden-size 512 --num-attention-heads 8 \
  --seq-length 128 --vocab-size 50257 --bf16 --zero-stage $Z --deepspeed --deepspeed_config $C
