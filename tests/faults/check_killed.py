#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Kill one of three ranks, again and again: each survivor names it within the time limit and a second, destroys what it has, and leaves nothing behind.

The launcher does not hear of it, whatever it would do then: each rank is the child of a shell that stays.

usage: check_killed.py LAUNCHER PROGRAM TRIALS
"""
import os
import re
import shutil
import subprocess
import sys
import threading

SURVIVOR = re.compile(r"survivor (\d+) of the death of (\d+) after ([\d.]+) s of ([\d.]+): (.*)")
LAST_WORDS = "has destroyed its own"
STAY = '"$0" "$@"; exec sleep 60'
N_RANKS = 3
MOST_SECONDS = 30


def shared_files():
    return {name for name in os.listdir("/dev/shm") if "halo" in name}


def stacks_of(program):
    """Where ranks are that have not ended, if a debugger can tell."""
    if not shutil.which("gdb"):
        return ""
    pids = subprocess.run(["pgrep", "-x", os.path.basename(program)[:15]], stdout=subprocess.PIPE, text=True).stdout.split()
    stacks = [subprocess.run(["gdb", "-p", pid, "-batch", "-ex", "bt"], capture_output=True, text=True).stdout for pid in pids]
    return "".join(f"process {pid}:\n{stack}" for pid, stack in zip(pids, stacks))


def words_of(line):
    """What the ranks say until all survivors have said their last words, or time is out."""
    words, stacks = "", []

    def give_up():
        stacks.append(stacks_of(line[-2]))
        ranks.terminate()

    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as ranks:
        limit = threading.Timer(MOST_SECONDS, give_up)
        limit.start()
        while words.count(LAST_WORDS) < N_RANKS - 1 and (said := ranks.stdout.readline()):
            words += said
        limit.cancel()
        ranks.terminate()
    return words + "".join(stacks)


def trial(launcher, program, seed):
    """Texts of what went wrong, and how long each survivor took."""
    text = words_of([launcher, "-n", str(N_RANKS), "sh", "-c", STAY, program, str(seed)])
    survivors = SURVIVOR.findall(text)
    wrong = []
    if len({rank for rank, *_ in survivors}) != N_RANKS - 1 or text.count(LAST_WORDS) != N_RANKS - 1:
        wrong.append(f"seed {seed}: not every survivor has ended: {text}")
    for rank, victim, seconds, limit, said in survivors:
        if float(seconds) > float(limit) + 1:
            wrong.append(f"seed {seed}: rank {rank} gave up after {seconds} s")
        if not re.search(rf"\brank {victim}\b", said):
            wrong.append(f"seed {seed}: rank {rank} does not name rank {victim}: {said}")
    return wrong, [float(seconds) for _, _, seconds, _, _ in survivors]


def main():
    launcher, program, n_trials = sys.argv[1], sys.argv[2], int(sys.argv[3])
    before = shared_files()
    wrong, times = [], []
    for seed in range(1, n_trials + 1):
        texts, seconds = trial(launcher, program, seed)
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
