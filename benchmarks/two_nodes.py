#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""halo_bench between two nodes in one machine: namespaces joined by a cable (tests/launch/nodes.py), as it is and shaped to the speed of a network.

usage: two_nodes.py [--build BUILD] [--pairs N] [--wire plain|shaped|both] [--part blocks|progress|both] [--over ucx|mpi|both]
                    [--rate 10gbit] [--delay 50us] [--cells N --block N --components N --ghost N]

One rank on each node, each with its half of the cores. `blocks`: ghosts of W(N,B,nc,g) by libhalo and the code by hand in one message per peer, against one message
per channel and derived datatypes of Open MPI over the same wire. `progress`: what 20 ms of computing without calls hides of a message, and how much longer the computing
takes. A wire that this kernel cannot have is said and left out. Ends with 77 where nothing is left, or namespaces may not be made.
"""
import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests" / "launch"))
from nodes import ADDRESSES, NAMES, SKIPPED, nodes_or_skip  # noqa: E402

MOST_SECONDS = 900
# Before the program, on each node: its half of the cores.
HALF = 'n=$(nproc --all); h=$((n / 2)); if [ $n -lt 2 ]; then c=0; elif [ $(hostname) = node0 ]; then c=0-$((h - 1)); else c=$h-$((n - 1)); fi; exec taskset -c $c "$@"'


class Wire:
    """Both ends of the cable. `shape`: what it has of rate and delay; `why_not`: what this kernel lacks for the rest."""

    def __init__(self, nodes, rate="", delay=""):
        self.nodes, self.rate, self.delay, self.shape, self.why_not = nodes, rate, delay, [], []

    def __enter__(self):
        if self.rate:  # a burst of what leaves in some milliseconds; larger bursts than the rate's share of a tick, or tbf is slower than its rate
            self._add(self.rate, f"root handle 1: tbf rate {self.rate} burst 2mb latency 50ms")
        if self.delay:
            self._add(self.delay, f"{'parent 1:1 handle 10:' if self.shape else 'root handle 10:'} netem delay {self.delay} limit 100000")
        return self

    def _add(self, what, line):
        try:
            for name in NAMES:
                self.nodes.on(name, f"tc qdisc add dev cable {line}")
            self.shape.append(what)
        except subprocess.CalledProcessError as error:
            self.why_not.append(f"{what}: {error.stderr.strip().splitlines()[0] if error.stderr.strip() else 'refused'}")

    def __exit__(self, *_):
        for name in NAMES:
            try:
                self.nodes.on(name, "tc qdisc del dev cable root")
            except subprocess.CalledProcessError:
                pass  # there is none


def exported():
    return [key for key in sorted(os.environ) if key.startswith(("HALO_", "UCX_", "LD_LIBRARY_PATH"))]


def by_openmpi(nodes, command):
    mpirun = shutil.which("mpirun.openmpi") or shutil.which("mpirun")
    if not mpirun:
        return []
    return [mpirun, "--host", ",".join(f"{name}:1" for name in NAMES), "-n", "2", "--bind-to", "none", "--mca", "plm_rsh_agent", str(nodes.shell), "--mca", "plm", "rsh",
            "--mca", "pml", "ob1", "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "cable", "--mca", "oob_tcp_if_include", "cable", "--allow-run-as-root",
            *[word for key in exported() for word in ("-x", key)], *command]


def by_halo_launch(nodes, build, command):
    return [str(build / "bin" / "halo_launch"), "--hosts", ",".join(f"{name}:1" for name in NAMES), "--shell", str(nodes.shell), "--address", ADDRESSES[0], "--no-prefix", *command]


def play(nodes, title, line, settings):
    """Did it pass? None: left out."""
    print(f"\n### {title}\n", flush=True)
    if not line:
        print("left out: there is no mpirun of Open MPI")
        return None
    before = dict(os.environ)
    os.environ.update(settings)
    try:
        job = nodes.launcher(line)
        text = job.communicate(timeout=MOST_SECONDS)[0]
    except subprocess.TimeoutExpired:
        job.kill()
        text = job.communicate()[0] + f"\nno end after {MOST_SECONDS} s\n"
    finally:
        os.environ.clear()
        os.environ.update(before)
    print(" ".join(f"{key}={value}" for key, value in settings.items()), flush=True)
    print(text, flush=True)
    return job.returncode == 0


def runs(nodes, options):
    bench = [str(options.build / "bin" / "halo_bench"), "--free", "--pairs", str(options.pairs)]
    near = ["sh", "-c", HALF, "half"]
    work = [word for key in ("cells", "block", "components", "ghost") for word in (f"--{key}", str(getattr(options, key)))]
    for part in ("blocks", "progress"):
        for over in ("ucx", "mpi"):
            if options.part not in (part, "both") or options.over not in (over, "both"):
                continue
            if part == "blocks":  # the code by hand is one over MPI, so MPI starts them
                yield f"{part} over {over}", lambda: by_openmpi(nodes, near + bench + ["blocks", "--part", "remote", *work]), {
                    "HALO_TRANSPORT": "ucx,mpi" if over == "ucx" else "mpi", "UCX_TLS": "tcp,self"}
            elif over == "ucx":
                yield f"{part} over {over}", lambda: by_halo_launch(nodes, options.build, near + bench + ["--mpi", "none", "progress"]), {
                    "HALO_TRANSPORT": "ucx", "UCX_TLS": "tcp,self"}
            else:
                yield f"{part} over {over}", lambda: by_openmpi(nodes, near + bench + ["--mpi", "none", "progress"]), {
                    "HALO_TRANSPORT": "mpi", "HALO_MPI_THREADS": "multiple"}


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=lambda text: Path(text).resolve(), default=HERE.parent / "build")
    parser.add_argument("--pairs", type=int, default=15)
    parser.add_argument("--wire", choices=("plain", "shaped", "both"), default="both")
    parser.add_argument("--part", choices=("blocks", "progress", "both"), default="both")
    parser.add_argument("--over", choices=("ucx", "mpi", "both"), default="both")
    parser.add_argument("--rate", default="10gbit")
    parser.add_argument("--delay", default="50us")
    for key, value in (("cells", 32), ("block", 8), ("components", 4), ("ghost", 2)):
        parser.add_argument(f"--{key}", type=int, default=value)
    return parser.parse_args()


def main():
    options = parse()
    results = set()
    with nodes_or_skip() as nodes:
        for shaped in (False, True):
            if options.wire not in ("shaped" if shaped else "plain", "both"):
                continue
            with Wire(nodes, options.rate if shaped else "", options.delay if shaped else "") as wire:
                print(f"\n## the cable {'shaped to ' + (' and '.join(wire.shape) or 'nothing') if shaped else 'as it is'}")
                for why in wire.why_not:
                    print(f"left out, as this kernel does not have it: {why}")
                if shaped and not wire.shape:
                    continue
                for title, line, settings in runs(nodes, options):
                    results.add(play(nodes, title, line(), settings))
    return 1 if False in results else 0 if True in results else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
