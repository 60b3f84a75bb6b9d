torchrun --nproc_per_node 8 --nnodes 8 pretrain_mamba.py --num-layers 4 --hidden-size 1024 \
    --ffn-hidden-size 4096 --num-attention-heads 8 --group-query-attention --num-query-groups 8 \
    --hybrid-override-pattern "MEM*" --mamba-num-heads 32 --mamba-state-dim 128 --num-experts 8 \
    --moe-latent-size 256 --window-size "(127, 0)" --window-attn-skip-freq "[1,0]*2" \
    --seq-length 4096 --padded-vocab-size 32000 --micro-batch-size 1 --global-batch-size 64 --bf16
