#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A program on a machine without MPI: every library and launcher of an MPI that is installed is out of sight, in a namespace of mounts of its own, and what the loader
has loaded and bound is counted.

usage: test_without_mpi.py MODULE launched LAUNCHER PROGRAM ...   two ranks by halo_launch
       test_without_mpi.py MODULE by_hand LAUNCHER PROGRAM ...    two ranks that are started by hand, and meet by halo_launch --serve
MODULE: the library that must have been loaded
"""
import ctypes
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
MOST_SECONDS = 500
FOLDERS = ("/usr/lib", "/usr/lib64", "/usr/local", "/opt", "/usr/bin")
LIBRARY = re.compile(r"lib(mpi|mpich|mpl|opa|open-rte|open-pal|pmpi|mca_common|ompi)\w*([-.]\S*)?\.so(\.[\d.]+)?$")
PROGRAM = re.compile(r"(mpirun|mpiexec|mpicc|mpicxx|orterun|orted|ompi_info|mpichversion|hydra_\w+)(\.\w+)?$")
LOADED = re.compile(r"(?:file=|calling init: )(\S*/)?(lib[\w-]+)")
BOUND = re.compile(r"symbol `(P?MPI_\w+)'")


def installed():
    """What an MPI has brought, each once."""
    found = set()
    for folder in FOLDERS:
        for where, _, names in os.walk(folder):
            is_programs = where.endswith("/bin")
            found.update(os.path.realpath(os.path.join(where, name)) for name in names if (PROGRAM if is_programs else LIBRARY).match(name))
    return sorted(path for path in found if os.path.isfile(path) and (LIBRARY.search(os.path.basename(path)) or os.access(path, os.X_OK)))


def can_be_loaded(path):
    try:
        ctypes.CDLL(path)
        return True
    except OSError:
        return False


def hide(paths):
    for path in paths:
        subprocess.run(["mount", "--bind", "/dev/null", path], check=True, capture_output=True, text=True)
    seen = [path for path in paths if ".so" in os.path.basename(path) and can_be_loaded(path)]
    seen += [name for name in ("mpirun", "mpiexec", "mpirun.openmpi", "mpirun.mpich", "orted") if shutil.which(name)]
    if seen:
        raise AssertionError(f"still there: {seen}")


def words_of_loader(folder):
    return "".join(path.read_text(errors="replace") for path in sorted(Path(folder).iterdir()))


def launched(launcher, program, environment):
    ended = subprocess.run([launcher, "-n", "2", *program], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=MOST_SECONDS)
    return ended.returncode, ended.stdout


def by_hand(launcher, program, environment):
    server = subprocess.Popen([launcher, "--serve", "0", "-n", "2", "--address", "127.0.0.1"], stdout=subprocess.PIPE, text=True)
    try:
        told = dict(word.split("=", 1) for word in server.stdout.readline().split()[1:])
        ranks = [subprocess.Popen(program, env={**environment, **told, "HALO_RENDEZVOUS_RANK": str(rank)}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for rank in range(2)]
        texts = [rank.communicate(timeout=MOST_SECONDS)[0] for rank in ranks]
        return max(abs(rank.returncode) for rank in ranks), "".join(texts)
    finally:
        server.terminate()
        server.communicate()


def play(module, how, launcher, program):
    paths = installed()
    hide(paths)
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, LD_DEBUG="files,bindings", LD_DEBUG_OUTPUT=f"{folder}/loader")
        status, said = {"launched": launched, "by_hand": by_hand}[how](launcher, program, environment)
        told = words_of_loader(folder)
    libraries = {name for _, name in LOADED.findall(told)}
    foreign = sorted(name for name in libraries if LIBRARY.match(name + ".so"))
    symbols = sorted(set(BOUND.findall(told)))
    print(f"{len(paths)} files of MPIs are hidden; {len(libraries)} libraries were loaded, {len(foreign)} of an MPI; {len(symbols)} functions of MPI were bound")
    wrong = [f"status {status}"] if status else []
    wrong += [f"{module} was not loaded"] if module not in libraries else []
    wrong += [f"loaded: {foreign}"] if foreign else []
    wrong += [f"bound: {symbols}"] if symbols else []
    if wrong:
        print(said, "\n".join(wrong), sep="\n")
    return 1 if wrong else 0


def main():
    if sys.argv[1] == "--inside":
        return play(*sys.argv[2:5], sys.argv[5:])
    own_mounts = ["unshare", "--mount", "--propagation", "private"] + ([] if os.geteuid() == 0 else ["--user", "--map-root-user"])
    with tempfile.NamedTemporaryFile() as trial:
        line = [*own_mounts, "mount", "--bind", "/dev/null", trial.name]
        permitted = shutil.which("unshare") and subprocess.run(line, capture_output=True).returncode == 0
    if not permitted:
        print("mounts of its own are not permitted here")
        return SKIPPED
    return subprocess.run([*own_mounts, sys.executable, __file__, "--inside", *sys.argv[1:]]).returncode


if __name__ == "__main__":
    sys.exit(main())
