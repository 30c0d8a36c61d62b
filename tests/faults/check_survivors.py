#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Kill or stop one of three ranks, again and again.

kill        each survivor names it within the time limit and a second, destroys what it has, and leaves nothing behind; who waits for another survivor
            alone names that one
long_stop   the same, for a rank that is stopped; then it goes on, and all that is made anew works
short_stop  nothing fails

Where the environment asks for messages in a neighbourhood collective, or for storage on a device, in some trials values have gone that way.

The launcher does not hear of a death, whatever it would do then: each rank is the child of a shell that stays.

usage: check_survivors.py LAUNCHER PROGRAM kill|long_stop|short_stop TRIALS [FIRST SEED]
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter

GAVE_UP = re.compile(r"survivor (\d+) of what befell (\d+) gave up after ([\d.]+) s of ([\d.]+): (\w+): (.*)")
LAST_WORDS = "has nothing left"
STAY = '"$0" "$@"; code=$?; case $code in 0|137) ;; *) echo "wrong: a rank has ended with $code" ;; esac; exec sleep 60'
N_RANKS = 3
MOST_SECONDS = 30


def route_asked():
    """What ranks say of the way that the environment asks for, if it does."""
    if os.environ.get("HALO_MESSAGES") == "neighbourhood":
        return "in one neighbourhood collective"
    return "from storage to storage, on a device" if os.environ.get("CONFORMANCE_STORAGE") == "shared_device" else ""


def shared_files():
    return {name for name in os.listdir("/dev/shm") if "halo" in name or name.startswith("ucx_")}


def left_of(before):
    """What stays: other programs that use UCX have theirs for a moment."""
    left = shared_files() - before
    for _ in range(100):
        if not left:
            break
        time.sleep(0.1)
        left &= shared_files()
    return left


def ranks_of(program, launcher):
    """Processes of the program that the launcher has started, itself or through others."""
    table = subprocess.run(["ps", "-eo", "pid=,ppid=,comm="], stdout=subprocess.PIPE, text=True).stdout
    parents, names = {}, {}
    for line in table.splitlines():
        pid, parent, name = line.split(None, 2)
        parents[int(pid)], names[int(pid)] = int(parent), name

    def is_below(pid):
        while pid in parents and pid != launcher:
            pid = parents[pid]
        return pid == launcher

    return [pid for pid, name in names.items() if name == os.path.basename(program)[:15] and is_below(pid)]


def stacks_of(pids):
    """Where ranks are that have not ended, if a debugger can tell."""
    if not shutil.which("gdb"):
        return ""
    tell = lambda pid: subprocess.run(["gdb", "-p", str(pid), "-batch", "-ex", "thread apply all bt"], capture_output=True, text=True).stdout
    return "".join(f"process {pid}:\n{tell(pid)}" for pid in pids)


def words_of(line, n_last_words):
    """What the ranks say until those that can have said their last words, or time is out."""
    words, stacks = "", []
    program = line[line.index(STAY) + 1]

    def give_up():
        pids = ranks_of(program, ranks.pid)
        for pid in pids:
            os.kill(pid, signal.SIGCONT)
        stacks.append(stacks_of(pids))
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        ranks.terminate()

    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as ranks:
        limit = threading.Timer(MOST_SECONDS, give_up)
        limit.start()
        while words.count(LAST_WORDS) < n_last_words and "wrong:" not in words and (said := ranks.stdout.readline()):
            words += said
        limit.cancel()
        ranks.terminate()
    return words + "".join(stacks)


def leads_to(victim, rank, texts, seen=()):
    """Does the text of a rank name the victim, or one whose text does?"""
    named = {int(number) for number in re.findall(r"\brank (\d+)\b", texts.get(rank, ""))} - {rank, *seen}
    return victim in named or any(leads_to(victim, other, texts, (*seen, rank)) for other in named)


def trial(launcher, program, strike, seed):
    """Texts of what went wrong; of each survivor that gave up, how soon and with which status; whether values have gone as they were asked to."""
    n_last_words = N_RANKS - 1 if strike == "kill" else N_RANKS
    text = words_of([launcher, "-n", str(N_RANKS), "sh", "-c", STAY, program, strike, str(seed)], n_last_words)
    gave_up = GAVE_UP.findall(text)
    wrong = []
    if text.count(LAST_WORDS) != n_last_words or len({rank for rank, *_ in gave_up}) != (0 if strike == "short_stop" else N_RANKS - 1):
        wrong.append(f"seed {seed}: not all have ended as they should: {text}")
    texts = {int(rank): said for rank, *_, said in gave_up}
    for rank, victim, seconds, limit, _, said in gave_up:
        if float(seconds) > float(limit) + 1:
            wrong.append(f"seed {seed}: rank {rank} gave up after {seconds} s")
        if not leads_to(int(victim), int(rank), texts):
            wrong.append(f"seed {seed}: rank {rank} does not name rank {victim}: {said}")
    return wrong, [(float(seconds), status) for _, _, seconds, _, status, _ in gave_up], route_asked() in text


def main():
    launcher, program, strike, n_trials = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
    first = int(sys.argv[5]) if len(sys.argv) > 5 else 1
    before = shared_files()
    wrong, gave_up, n_as_asked, asked = [], [], 0, route_asked()
    for seed in range(first, first + n_trials):
        texts, ends, is_as_asked = trial(launcher, program, strike, seed)
        n_as_asked += is_as_asked
        wrong += texts
        gave_up += ends
        if texts:
            print("\n".join(texts), flush=True)
    if n_as_asked == 0:
        wrong.append(f"values never went as they were asked to: {asked}")
        print(wrong[-1])
    left = left_of(before)
    if left:
        wrong.append(f"left in /dev/shm: {sorted(left)}")
    statuses = ", ".join(f"{status} {n}" for status, n in sorted(Counter(status for _, status in gave_up).items()))
    route = f", {n_as_asked} of them {asked}" if asked else ""
    last = max(gave_up, default=(0, ""))[0]
    print(f"{n_trials} times {strike}{route}: {len(gave_up)} survivors gave up ({statuses}), the last after {last:.2f} s; {len(wrong)} wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
