#!/bin/bash
# Makes the paper's figures as a Slurm job array: each task makes its share of the
# separations. Submit it from the checkout, after ./scripts/setup and
# go build -o bin/paper ./laboratory/paper:
#
#	sbatch scripts/cluster/slurm.sh
#
# A task that is killed goes on where it was when it is submitted again. When all
# have ended, join the shares and draw the figures:
#
#	bin/paper merge --out out/paper out/paper/outcomes-*-of-*.jsonl
#	bin/paper figure all --out out/paper
#
#SBATCH --job-name=sica-figures
#SBATCH --array=1-40
#SBATCH --cpus-per-task=2
#SBATCH --mem=4G
#SBATCH --time=12:00:00
#SBATCH --requeue
#SBATCH --output=sica-figures-%A-%a.log
set -euo pipefail
cd "$SLURM_SUBMIT_DIR"

# The array is numbered from 1; its size is the number of shares.
share="$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_MAX"
exec bin/paper figure all --preset paper --runs 20 --out out/paper --shard "$share"
