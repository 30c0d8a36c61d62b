#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Kill one of three ranks, again and again: each survivor names it within the time limit and a second, destroys what it has, and leaves nothing behind.

usage: check_killed.py LAUNCHER openmpi|mpich PROGRAM TRIALS
"""
import os
import re
import subprocess
import sys

SURVIVOR = re.compile(r"survivor (\d+) of the death of (\d+) after ([\d.]+) s of ([\d.]+): (.*)")
KEEP_SURVIVORS = {"openmpi": ["--enable-recovery"], "mpich": ["-disable-auto-cleanup"]}
N_RANKS = 3
MOST_SECONDS = 60


def shared_files():
    return {name for name in os.listdir("/dev/shm") if "halo" in name}


def trial(launcher, mpi, program, seed):
    """Texts of what went wrong, and how long each survivor took."""
    line = [launcher, *KEEP_SURVIVORS[mpi], "-n", str(N_RANKS), program, str(seed)]
    try:
        text = subprocess.run(line, capture_output=True, text=True, check=False, timeout=MOST_SECONDS).stdout
    except subprocess.TimeoutExpired as late:
        return [f"seed {seed}: {late}: {(late.stdout or b'').decode()}"], []
    survivors = SURVIVOR.findall(text)
    wrong = []
    if len({rank for rank, *_ in survivors}) != N_RANKS - 1 or text.count("has destroyed its own") != N_RANKS - 1:
        wrong.append(f"seed {seed}: not every survivor has ended: {text}")
    for rank, victim, seconds, limit, said in survivors:
        if float(seconds) > float(limit) + 1:
            wrong.append(f"seed {seed}: rank {rank} gave up after {seconds} s")
        if not re.search(rf"\brank {victim}\b", said):
            wrong.append(f"seed {seed}: rank {rank} does not name rank {victim}: {said}")
    return wrong, [float(seconds) for _, _, seconds, _, _ in survivors]


def main():
    launcher, mpi, program, n_trials = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
    before = shared_files()
    wrong, times = [], []
    for seed in range(1, n_trials + 1):
        texts, seconds = trial(launcher, mpi, program, seed)
        wrong += texts
        times += seconds
    left = shared_files() - before
    if left:
        wrong.append(f"left in /dev/shm: {sorted(left)}")
    print(f"{n_trials} ranks killed, {len(times)} survivors, the last gave up after {max(times, default=0):.2f} s")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
