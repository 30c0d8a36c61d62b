#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Is one build of the library faster than another? Runs a benchmark of both in turn, each time as a new process, and compares libhalo's own times.

usage: compare_builds.py [--pairs N] BUILD_BEFORE BUILD_AFTER -- LAUNCHER... PROGRAM OPTION...

PROGRAM is looked for in bin/ of each build: halo_bench (its JSON is read) or halo_bench_unstructured (its text is). Prints for each figure the median of
after / before over the pairs, with the interval that holds the population's median with at least 95 %. Below 1: the second build is faster.
"""
import argparse
import json
import math
import pathlib
import re
import statistics
import subprocess
import sys

TEXT_ROW = re.compile(r"^(\S.*?)\s{2,}libhalo\s+([\d.]+) us", re.MULTILINE)
OWN_TIMES = ("libhalo us", "26 channels us")


def figures_of_json(text):
    figures = {}
    for table in json.loads(text)["tables"]:
        for row in table.get("rows", []):
            name, first = table["title"], next(iter(row.items()))
            if row.get("contender") == "libhalo":
                figures[name] = row["median us"]
            for column in OWN_TIMES:
                if column in row:
                    figures[f"{name}: {first[1]} {first[0]}"] = row[column]
    return figures


def figures_of(command):
    text = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout
    begin = text.find("{")
    if "--json" in command:
        return figures_of_json(text[begin:])
    return {f"{name} ({n})": float(time) for n, (name, time) in enumerate(TEXT_ROW.findall(text))}


def interval(values):
    """The order statistics between which the median of the population is with at least 95 %."""
    values, n = sorted(values), len(values)
    tail, k = 0.0, 0
    while k < n // 2 and tail + math.comb(n, k) / 2**n <= 0.025:
        tail += math.comb(n, k) / 2**n
        k += 1
    return values[max(k - 1, 0)], values[n - max(k, 1)]


def command_in(build, line):
    program = next(i for i, word in enumerate(line) if word.startswith("halo_bench"))
    command = [*line[:program], str(pathlib.Path(build, "bin", line[program]).resolve()), *line[program + 1 :]]
    return command + ["--json"] if line[program] == "halo_bench" else command


def main():
    options, line = sys.argv[1:], []
    if "--" in options:
        cut = options.index("--")
        options, line = options[:cut], options[cut + 1 :]
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--pairs", type=int, default=61)
    parser.add_argument("builds", nargs=2)
    chosen = parser.parse_args(options)
    if not any(word.startswith("halo_bench") for word in line):
        parser.error("behind -- a command with halo_bench or halo_bench_unstructured is wanted")
    commands = [command_in(build, line) for build in chosen.builds]
    ratios = {}
    for pair in range(chosen.pairs):
        times = {}
        for which in (0, 1) if pair % 2 == 0 else (1, 0):
            times[which] = figures_of(commands[which])
        for name in times[0].keys() & times[1].keys():
            ratios.setdefault(name, []).append(times[1][name] / times[0][name])
    if not ratios:
        sys.exit("no figure that both builds have")
    print(f"after / before, {chosen.pairs} pairs: {' '.join(line)}")
    for name, values in sorted(ratios.items()):
        low, high = interval(values)
        print(f"  {name:<60} {statistics.median(values):.3f} ({low:.3f}-{high:.3f})")


if __name__ == "__main__":
    main()
