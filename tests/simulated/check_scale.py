#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Run the library on hundreds of simulated ranks and hold what each sends and allocates against what may grow with their number: nothing but the depth of
trees. Prints a row for each stage.

usage: check_scale.py SMPIRUN PROGRAM COUNTERS PLATFORM CASE RANKS...    CASE: range, hash, everywhere, cells, mesh, sphere or sphere_large; the first number of ranks is compared with
"""
import math
import re
import subprocess
import sys
import tempfile

NEIGHBOURS = 26
GHOSTS = 10**3 - 8**3  # around a cube of 8 points
HEADER = 64
SETUP = 5  # messages of a set-up, per neighbour and per level of a tree
ROOT = 350  # bytes that the root of a tree sends for each of its levels, headers of collectives included; some six collectives of about 100 bytes, less the slack
KEPT = 8192  # bytes that a collective keeps for each level of its tree until it ends, so that it can be continued
failures = []


def expect(what, holds):
    if not holds:
        failures.append(what)


def simulate(command, n_ranks):
    """Stages by name, each with [greatest, mean] of what was counted."""
    smpirun, program, counters, platform, case = command
    with tempfile.NamedTemporaryFile("w", suffix=".hosts") as hosts:
        hosts.write("".join(f"host{i}\n" for i in range(n_ranks)))
        hosts.flush()
        # Computing takes no simulated time, nor does probing (see counters.cpp). Sends are not detached: SimGrid would search long lists of those.
        line = [smpirun, "-np", str(n_ranks), "-no-privatize", "-platform", platform, "-hostfile", hosts.name, "--cfg=smpi/simulate-computation:no",
                "--cfg=smpi/send-is-detached-thresh:0", "--cfg=smpi/iprobe:0", "--log=root.thres:critical", "-wrapper", f"env LD_PRELOAD={counters} HALO_WAIT_ASK_AFTER=0", program, case]
        done = subprocess.run(line, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{n_ranks} ranks: {done.stdout}{done.stderr}")
    stages = {}
    for row in done.stdout.splitlines():
        name, _, rest = row.partition(" ")
        figures = re.findall(r"(\w+) (\d+)(?: mean ([\d.]+))?", rest)
        stages[name] = {key: (int(greatest), float(mean or greatest)) for key, greatest, mean in figures}
    return stages


def check_exchange(n_ranks, stages):
    """One message per neighbour and run; a handshake before the first."""
    first, later = stages["first_run"], stages["later_runs"]
    expect(f"{n_ranks}: messages of the first run {first['messages']}", first["messages"] == (2 * NEIGHBOURS,) * 2)
    expect(f"{n_ranks}: messages of later runs {later['messages']}", later["messages"] == (2 * NEIGHBOURS,) * 2)
    expect(f"{n_ranks}: bytes of later runs {later['bytes']}", later["bytes"] == (2 * (8 * GHOSTS + HEADER * NEIGHBOURS),) * 2)
    # The second send buffer of a neighbour is made when the first is still on its way for the first time.
    expect(f"{n_ranks}: later runs allocate {later['allocations']} times", later["allocations"][0] <= NEIGHBOURS)
    expect(f"{n_ranks}: later runs allocate {later['allocated']} bytes", later["allocated"][0] <= 2 * later["bytes"][0])


def check_growth(n_ranks, name, stage, small, n_small):
    """Against the same with fewer ranks. An array with four bytes per rank on every rank is seen in the mean; the context has one with a byte for each,
    and what few ranks keep of a deeper tree."""
    levels = math.log2(n_ranks / n_small)
    messages, sent, allocated, largest = stage["messages"], stage["bytes"], stage["allocated"], stage["largest"]
    at = f"{n_ranks} ranks, {name}"
    expect(f"{at}: mean of allocated bytes {small['allocated'][1]} -> {allocated[1]}", allocated[1] <= small["allocated"][1] + 1.05 * (n_ranks - n_small))
    expect(f"{at}: allocated {small['allocated'][0]} -> {allocated[0]}", allocated[0] < 1.03 * small["allocated"][0] + KEPT * levels)
    expect(f"{at}: largest allocation {small['largest'][0]} -> {largest[0]}", largest[0] <= small["largest"][0])
    expect(f"{at}: mean of sent bytes {small['bytes'][1]} -> {sent[1]}", sent[1] < 1.02 * small["bytes"][1])
    expect(f"{at}: sent bytes {small['bytes'][0]} -> {sent[0]}", sent[0] < 1.02 * small["bytes"][0] + ROOT * levels)
    expect(f"{at}: messages {messages[0]}", messages[0] <= SETUP * (NEIGHBOURS + math.log2(n_ranks)))


def check_hashed(n_ranks, name, stage, small, n_small):
    """Boxes and leaves go to ranks that a hash names, from rank to rank along a tree: as many times as it has levels."""
    levels = math.log2(n_ranks) / math.log2(n_small)
    most = {"boxes": 720_000, "forest": 34_000_000}[name]  # of 64 ranks: half as much again as it is
    expect(f"{n_ranks} ranks, {name}: allocated {stage['allocated'][0]}, not {most}", stage["allocated"][0] <= most * levels)
    for what in ("messages", "bytes", "allocated"):
        expect(f"{n_ranks} ranks, {name}: mean of {what} {small[what][1]} -> {stage[what][1]}", stage[what][1] <= 1.05 * levels * small[what][1])
    expect(f"{n_ranks} ranks, {name}: allocated {small['allocated'][0]} -> {stage['allocated'][0]}", stage["allocated"][0] <= 1.5 * levels * small["allocated"][0])


def check_everywhere(n_ranks, name, stage, small, n_small):
    """A key that all ranks have costs one of them as much as there are ranks, and all together no more for each."""
    levels = math.log2(n_ranks / n_small)
    at = f"{n_ranks} ranks, {name}"
    for what, tree in (("messages", SETUP), ("bytes", ROOT), ("allocated", ROOT * SETUP)):
        expect(f"{at}: mean of {what} {small[what][1]} -> {stage[what][1]}", stage[what][1] <= 1.05 * small[what][1] + tree * levels)
        expect(f"{at}: {what} {small[what][0]} -> {stage[what][0]}", stage[what][0] <= 1.05 * n_ranks / n_small * small[what][0])


def check_sphere(n_ranks, name, stage, part, small, n_small):
    """Every rank has a part of the same size, so all cost the same, but for the depth of trees. Parts at vertices with five neighbours have fewer ghosts. The
    sphere costs as much as its part's rim, topologies what there is in it, an exchange the ghosts."""
    at = f"{n_ranks} ranks, {name}"
    squares, local = part["squares"][0], part["local"][0]
    levels = math.log2(n_ranks / n_small)
    ghosts = 1.04 if name == "first_run" else 1
    expect(f"{at}: mean of messages {small['messages'][1]} -> {stage['messages'][1]}", stage["messages"][1] <= small["messages"][1] + SETUP * 3 * levels)
    expect(f"{at}: mean of sent bytes {small['bytes'][1]} -> {stage['bytes'][1]}", stage["bytes"][1] <= ghosts * small["bytes"][1] + ROOT * levels)
    expect(f"{at}: mean of allocated bytes {small['allocated'][1]} -> {stage['allocated'][1]}",
           stage["allocated"][1] <= ghosts * small["allocated"][1] + 1.05 * (n_ranks - n_small))
    most = {"context": 150_000, "sphere": 12_500 * squares, "topology": 110 * local + 1_100_000, "first_run": 1_700 * squares + 300_000}[name]
    expect(f"{at}: allocated {stage['allocated'][0]}, not {most}, for {squares} squares, {local} entities", stage["allocated"][0] <= most)
    expect(f"{at}: largest allocation {stage['largest'][0]} for {local} entities", stage["largest"][0] <= max(8 * local, 32768))


def check_mesh(n_ranks, name, stage, part, small, n_small):
    """What a rank has ever allocated, so what it holds at most too: as much as it stores, and collectives of a tree. Nothing is as large as the mesh, nor are
    lists of all ranks longer than a few bytes for each."""
    at = f"{n_ranks} ranks, {name}"
    local = part["local"][0]
    levels = math.log2(n_ranks / n_small)
    expect(f"{at}: mean of messages {small['messages'][1]} -> {stage['messages'][1]}", stage["messages"][1] <= small["messages"][1] + SETUP * 3 * levels)
    expect(f"{at}: mean of sent bytes {small['bytes'][1]} -> {stage['bytes'][1]}", stage["bytes"][1] <= small["bytes"][1] + ROOT * 3 * levels)
    expect(f"{at}: mean of allocated bytes {small['allocated'][1]} -> {stage['allocated'][1]}",
           stage["allocated"][1] <= small["allocated"][1] + KEPT / 2 * levels + 1.05 * (n_ranks - n_small))
    most = {"context": 150_000, "mesh": 950 * local, "topologies": 800 * local}[name]
    expect(f"{at}: allocated {stage['allocated'][0]}, not {most}, for {local} entities", stage["allocated"][0] <= most)
    expect(f"{at}: largest allocation {small['largest'][0]} -> {stage['largest'][0]}", stage["largest"][0] <= small["largest"][0])


def main():
    *command, case = sys.argv[1:6]
    command.append(case)
    ranks = [int(text) for text in sys.argv[6:]]
    small = None
    print(f"{'ranks':>6} {'stage':<11} {'messages':>8} {'mean':>8} {'bytes':>8} {'mean':>9} {'allocated':>9} {'mean':>9} {'largest':>8}")
    for n_ranks in ranks:
        stages = simulate(command, n_ranks)
        small = small or stages
        for name, stage in stages.items():
            if name == "ranks":
                continue
            m, b, a, largest = stage["messages"], stage["bytes"], stage["allocated"], stage["largest"]
            print(f"{n_ranks:6} {name:<11} {m[0]:8} {m[1]:8.1f} {b[0]:8} {b[1]:9.1f} {a[0]:9} {a[1]:9.1f} {largest[0]:8}", flush=True)
            if case == "everywhere":
                check_everywhere(n_ranks, name, stage, small[name], ranks[0])
                continue
            if name == "later_runs":
                check_exchange(n_ranks, stages)
                continue
            if case.startswith("sphere"):
                check_sphere(n_ranks, name, stage, stages["ranks"], small[name], ranks[0])
                continue
            if case == "mesh":
                check_mesh(n_ranks, name, stage, stages["ranks"], small[name], ranks[0])
                continue
            hashed = name in ("boxes", "forest") or (name == "topology" and case == "hash")
            if not hashed:
                check_growth(n_ranks, name, stage, small[name], ranks[0])
            elif case != "hash":
                check_hashed(n_ranks, name, stage, small[name], ranks[0])
    print("\n".join(f"FAILED: {text}" for text in failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
