#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs on two nodes: by shared memory within each, over a network between them; and what is told when that network is cut.

usage: test_nodes.py run LAUNCHER PROGRAM ...    the program on both, two ranks on each
       test_nodes.py clean LAUNCHER PROGRAM ...  the same, and no rank looks on its own node for memory of the other
       test_nodes.py cut LAUNCHER PROGRAM        a ring of two and two, whose cable is cut: every rank names one on the other side
LAUNCHER is halo_launch, or mpirun of an MPI.
"""
import os
import re
import subprocess
import sys
import threading
import time

from nodes import ADDRESSES, NAMES, nodes_or_skip

N_RANKS = 4
MOST_SECONDS = 240
TIME_LIMIT = 3  # seconds, of the ranks
GAVE_UP = re.compile(r"rank (\d) gave up after ([\d.]+) s: (\w+): (.*)")
FOREIGN = re.compile("it is no memory of this library|another file than was offered")
TAKES = re.compile(r"^\[(\d)\]   to rank (\d): .*; messages over (\w+)", re.M)
NOTHING_LEFT = re.compile(r"rank (\d) has nothing left after ([\d.]+) s")


def line_of(nodes, launcher, command):
    """What starts two ranks on each node, from the first. Each line of what they say begins with the rank, but for Open MPI's."""
    hosts = ",".join(f"{name}:2" for name in NAMES)
    if os.path.basename(launcher).startswith("mpirun.mpich"):
        words = [launcher, "-hosts", hosts, "-n", str(N_RANKS), "-launcher", "rsh", "-launcher-exec", str(nodes.shell), "-iface", "cable", "-prepend-rank"]
    elif os.path.basename(launcher).startswith("mpirun"):
        words = [launcher, "--host", hosts, "-n", str(N_RANKS), "--mca", "plm_rsh_agent", str(nodes.shell), "--mca", "plm", "rsh",
                 "--mca", "pml", "ob1", "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "cable", "--mca", "oob_tcp_if_include", "cable", "--allow-run-as-root",
                 *[word for key in sorted(os.environ) if key.startswith(("HALO_", "CONFORMANCE_", "LD_LIBRARY_PATH")) for word in ("-x", key)]]
    else:
        words = [launcher, "--hosts", hosts, "--shell", str(nodes.shell), "--address", ADDRESSES[0],
                 *[word for key in sorted(os.environ) if key.startswith("CONFORMANCE_") for word in ("-x", key)]]
    return [*words, *map(str, command)]


def play(nodes, launcher, command, clean):
    job = nodes.launcher(line_of(nodes, launcher, command))
    limit = threading.Timer(MOST_SECONDS, job.kill)
    limit.start()
    text, _ = job.communicate()
    limit.cancel()
    if job.returncode or (clean and FOREIGN.search(text)):
        print(f"{text}\nstatus {job.returncode}")
        return 1
    print("two nodes, two ranks on each")
    return 0


def across(rank):
    """The ring's only peer of a rank on the other node: 0, 1 | 2, 3."""
    return {0: 3, 1: 2, 2: 1, 3: 0}[rank]


def faults_in(text):
    gave_up = {int(rank): (float(seconds), status, why) for rank, seconds, status, why in GAVE_UP.findall(text)}
    left = {int(rank): float(seconds) for rank, seconds in NOTHING_LEFT.findall(text)}
    wrong = [f"rank {rank} did not give up" for rank in range(N_RANKS) if rank not in gave_up]
    inside = os.environ.get("HALO_TRANSPORT_BESIDES") or os.environ["HALO_TRANSPORT"]
    taken = {(int(rank), int(peer)): name for rank, peer, name in TAKES.findall(text)}
    routes = [(rank, peer, os.environ["HALO_TRANSPORT"] if peer == across(rank) else inside) for rank in range(N_RANKS) for peer in (across(rank), rank ^ 1)]
    wrong += [f"rank {rank} to rank {peer} by {taken.get((rank, peer))}, not {name}" for rank, peer, name in routes if taken.get((rank, peer)) != name]
    wrong += [f"rank {rank} could not destroy what it had" for rank in range(N_RANKS) if rank not in left]
    for rank, (seconds, status, why) in gave_up.items():
        named = {int(number) for number in re.findall(r"\brank (\d)\b", why)} - {rank}
        leads = across(rank) in named or any(across(other) in {int(n) for n in re.findall(r"\brank (\d)\b", gave_up.get(other, (0, "", ""))[2])} for other in named)
        if not leads:
            wrong.append(f"rank {rank} does not name rank {across(rank)}: {why}")
        if seconds > TIME_LIMIT + 2:
            wrong.append(f"rank {rank} gave up after {seconds} s, its time limit is {TIME_LIMIT} s")
        if status == "HALO_SUCCESS":
            wrong.append(f"rank {rank}: success")
    return wrong


def cut(nodes, launcher, program):
    os.environ["HALO_TIMEOUT"] = f"{TIME_LIMIT}s"
    job = nodes.launcher(line_of(nodes, launcher, [program, 1000]))
    limit = threading.Timer(MOST_SECONDS, job.kill)
    limit.start()
    text, under_way = "", 0
    while under_way < N_RANKS and (line := job.stdout.readline()):
        text += line
        under_way += "is under way" in line
    time.sleep(0.2)
    nodes.cut()
    is_mpich = "mpich" in launcher
    if is_mpich:  # what ranks on the other node say comes over that network
        time.sleep(TIME_LIMIT + 3)
        nodes.mend()
    while len(NOTHING_LEFT.findall(text)) < N_RANKS and (line := job.stdout.readline()):
        text += line
    if is_mpich:  # over TCP some of its ranks may stay in MPI_Finalize, of any program
        job.kill()
    else:
        nodes.mend()  # so that the launcher's own processes end
    text += job.communicate()[0]
    limit.cancel()
    wrong = faults_in(text)
    print(text if wrong else "every rank named one on the other side")
    print("\n".join(wrong))
    return 1 if wrong else 0


def main():
    what, launcher = sys.argv[1:3]
    before = {name for name in os.listdir("/dev/shm") if "halo" in name}
    with nodes_or_skip() as nodes:
        failed = cut(nodes, launcher, sys.argv[3]) if what == "cut" else play(nodes, launcher, sys.argv[3:], what == "clean")
    left = {name for name in os.listdir("/dev/shm") if "halo" in name} - before
    if left:
        print(f"left in /dev/shm: {sorted(left)}")
    return 1 if failed or left else 0


if __name__ == "__main__":
    sys.exit(main())
