#!/bin/sh
# A project on a cluster: sbatch --array=0-3 shards.sh [fencepost.toml]
# Afterwards: fencepost merge shard-*.jsonl
#SBATCH --job-name=fencepost
#SBATCH --ntasks=1
set -u
shards=${SLURM_ARRAY_TASK_COUNT:?submit with --array=0-3}
shard=${SLURM_ARRAY_TASK_ID:?}
fencepost run "$@" --shard "$shard/$shards" --format jsonl --output "shard-$shard.jsonl"
# Verdicts that are not as expected are answers: `merge` says what they mean together.
case $? in 0 | 2 | 5 | 10) exit 0 ;; *) exit 1 ;; esac
