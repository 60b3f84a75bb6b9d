#!/bin/bash
# kind: bridge-launch
# job: dgx-superpod-h100 nemo-25.09
# expected: alone
MODEL_NAME=qwen3_30b_a3b
DATASET=${DATASET:-squad}
case "$DATASET" in
  math*) SEQ=8192; GBS=256 ;;
  *) SEQ=4096; GBS=64 ;;
esac
PLANS=("2,1,1,4,True" "1,2,2,8,False")
for PLAN in "${PLANS[@]}"; do
  IFS=',' read -r TP PP CP EP SP <<< "$PLAN"
  KEYS="\
    model.seq_length=$SEQ \
    train.global_batch_size=$GBS \
    train.micro_batch_size=1 \
    model.tensor_model_parallel_size=$TP \
    model.pipeline_model_parallel_size=$PP \
    model.context_parallel_size=$CP \
    model.expert_model_parallel_size=$EP \
    model.sequence_parallel=$SP"
  CMD="python scripts/training/run_recipe.py"
  CMD="$CMD --recipe ${MODEL_NAME}_sft_config"
  CMD="$CMD $KEYS"
  srun bash -c "$CMD"
done
