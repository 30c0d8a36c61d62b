#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Includes point one way: each layer of src/core sees those below it, backends see the public headers alone, users see the public headers alone.

usage: check_includes.py [root]
"""
import re
import sys
from pathlib import Path

# What each layer may include besides itself. Two layers beside each other know each other one way at most.
LAYERS = {
    "base": [],
    "plugin": ["base"],
    "memory": ["plugin", "base"],
    "comm": ["memory", "plugin", "base"],
    "stream": ["comm", "memory", "plugin", "base"],
    "channel": ["stream", "comm", "memory", "plugin", "base"],
    "topology": ["channel", "stream", "comm", "memory", "plugin", "base"],
    "analysis": ["topology", "comm", "base"],
    "field": ["topology", "channel", "stream", "comm", "memory", "plugin", "base"],
    "plan": ["field", "topology", "channel", "stream", "comm", "memory", "plugin", "base"],
    "exchange": ["plan", "field", "topology", "channel", "stream", "comm", "memory", "plugin", "base"],
    "access": ["exchange", "plan", "field", "topology", "channel", "stream", "comm", "memory", "plugin", "base"],
    "mesh": ["topology", "channel", "stream", "comm", "memory", "plugin", "base"],
    "sphere": ["topology", "channel", "stream", "comm", "memory", "plugin", "base"],
    "particles": ["access", "topology", "stream", "comm", "memory", "base"],
    "capi": ["particles", "mesh", "sphere", "analysis", "access", "exchange", "plan", "field", "topology", "channel", "stream", "comm", "memory", "plugin", "base"],
}
SHARED = {"tools/launch": {"plugin/rendezvous_wire.h"}}  # what a tool and the core say to each other
PUBLIC = re.compile(r"^halo(_\w+)?\.(h|hpp)$")
PUBLIC_C = re.compile(r"^halo(_(?!mpi)\w+)?\.h$")
FOREIGN = re.compile(r"^(mpi|pmix|ucp/|ucs/|uct/|cuda|hip/|CL/|petsc)")
LIBRARIES = {"inproc": (), "host": (), "mpi": ("mpi",)}  # of backends; of others: any
FAMILIES = {"cuda": "accelerator", "hip": "accelerator", "opencl": "accelerator"}  # backends and the folder beside them that they share
POINTS = {"base/schedule_point.h", "memory/shared_word.h"}  # what includes them is compiled once more for the simulation, so no other header does
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
SOURCES = {".h", ".hpp", ".c", ".cpp", ".cu", ".hip", ".cl", ".inl"}


def includes(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1) == '"', match.group(2)


def core_error(path, layer, quoted, target):
    if not quoted:
        return "the core knows no such library" if FOREIGN.match(target) else None
    if target in POINTS and path.suffix == ".h" and f"{layer}/{path.name}" not in POINTS:
        return "points of the simulation are in .cpp files alone"
    if PUBLIC_C.match(target):
        return None
    other = target.split("/")[0]
    if "/" not in target or other not in LAYERS:
        return "write core headers as layer/file.h"
    if other != layer and other not in LAYERS[layer]:
        return f"{layer} may include only {', '.join(LAYERS[layer]) or 'itself'}"
    return None


def backend_error(path, home, quoted, target):
    """`home` is the backend's folder; what lies beside it serves all backends of its kind."""
    if not quoted:
        mine = target.startswith(LIBRARIES.get(home.name, ("",)))
        return "this backend knows no such library" if FOREIGN.match(target) and not mine else None
    if target in ("halo.h", "halo_plugin.h"):
        return None
    family = home.parent / FAMILIES.get(home.name, home.name)
    own = [path.parent / target, home / target, family / target, home.parent / target]
    if any(file.is_file() and (home in file.parents or file.parent in (family, home.parent)) for file in map(Path.resolve, own)):
        return None
    return "backends see halo.h, halo_plugin.h and their own files alone"


def user_error(folder, quoted, target):
    if target in SHARED.get(folder, ()):
        return None
    if quoted and "/" in target and target.split("/")[0] in LAYERS:
        return "only the library and its tests see the core"
    return None


def public_error(name, quoted, target):
    if quoted:
        return None if PUBLIC.match(target) else "public headers include each other alone"
    if target == "mpi.h":
        return None if name == "halo_mpi.h" else "only halo_mpi.h includes mpi.h"
    if PUBLIC_C.match(name) and target not in ("stddef.h", "stdint.h"):
        return "only stddef.h and stdint.h"
    return None


def error_of(root, path, quoted, target):
    parts = path.relative_to(root).parts
    if parts[:2] == ("src", "core"):
        if len(parts) < 4 or parts[2] not in LAYERS:
            return "this file is in no known layer"
        return core_error(path, parts[2], quoted, target)
    if parts[:2] == ("src", "backends"):
        return backend_error(path, root.joinpath(*parts[: min(4, len(parts) - 1)]), quoted, target)
    if parts[0] == "include":
        return public_error(path.name, quoted, target)
    return user_error("/".join(parts[:-1]), quoted, target)


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    errors = 0
    files = 0
    for top in ("include", "src", "tools", "examples", "benchmarks"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix not in SOURCES:
                continue
            files += 1
            for number, quoted, target in includes(path):
                text = error_of(root, path, quoted, target)
                if text:
                    errors += 1
                    print(f"{path.relative_to(root)}:{number}: {target}: {text}")
    if not files:
        print(f"no sources under {root}")
        return 1
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
