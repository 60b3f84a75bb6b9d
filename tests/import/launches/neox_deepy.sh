#!/bin/bash
# kind: configuration-launch
# job: dgx-superpod-h100 gpt-neox-2023
# expected: alone
python ./deepy.py train.py -d ../data gpt_20b_neox.yml
