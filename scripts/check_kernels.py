#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Where a vendor's compiler is found, the module of its devices has been built, and holds code for what it should run on.

usage: check_kernels.py cuda|hip LIBRARIES TARGET...

LIBRARIES is the folder of libhalo.so, with its modules in halo/ beside it. Targets are sm_80 (code), compute_90 (PTX), gfx90a and so on. Exit status 77: there is no such
compiler. Reads what the vendors' runtimes read, for their tools need not be there.
"""
import os
import shutil
import struct
import sys
from pathlib import Path

COMPILERS = {
    "cuda": ("nvcc", ["CUDA_PATH", "CUDA_HOME"], "/usr/local/cuda"),
    "hip": ("hipcc", ["ROCM_PATH"], "/opt/rocm"),
}
FATBIN = struct.pack("<IHH", 0xBA55ED50, 1, 16)  # magic, version, size of this header
BUNDLE = b"__CLANG_OFFLOAD_BUNDLE__"
KINDS = {1: "compute", 2: "sm"}


def compiler_of(vendor):
    name, variables, usual = COMPILERS[vendor]
    folders = [os.environ[variable] for variable in variables if os.environ.get(variable)] + [usual]
    return shutil.which(name) or next((found for folder in folders if (found := shutil.which(name, path=f"{folder}/bin"))), None)


def places(text, pattern):
    at = text.find(pattern)
    while at >= 0:
        yield at
        at = text.find(pattern, at + 1)


def cuda_targets(text):
    """Of each entry of each fat binary that has a payload: its kind and compute capability."""
    for begin in places(text, FATBIN):
        at = begin + 16
        end = min(at + struct.unpack_from("<Q", text, begin + 8)[0], len(text))
        while at + 32 <= end:
            kind, _, header, payload, _, _, _, _, capability = struct.unpack_from("<HHIQIIHHI", text, at)
            if header == 0:
                break
            if payload > 0:
                yield f"{KINDS.get(kind, kind)}_{capability}"
            at += header + payload


def hip_targets(text):
    """Of each entry of each bundle that has a payload: what stands behind its triple, without features."""
    for begin in places(text, BUNDLE):
        at = begin + len(BUNDLE)
        (n,) = struct.unpack_from("<Q", text, at)
        at += 8
        for _ in range(n):
            if at + 24 > len(text):
                break
            _, payload, length = struct.unpack_from("<QQQ", text, at)
            triple = text[at + 24:at + 24 + length].decode(errors="replace")
            at += 24 + length
            if payload > 0 and "amdgcn" in triple:
                yield triple.split(":")[0].rsplit("-", 1)[-1]


def main():
    vendor, folder, wanted = sys.argv[1], Path(sys.argv[2]), sys.argv[3:]
    compiler, module = compiler_of(vendor), folder / f"halo/libhalo_device_{vendor}.so"
    if compiler is None:
        print(f"no {COMPILERS[vendor][0]}: device {vendor} is not compiled here")
        return 77
    if not module.is_file():
        print(f"{compiler} is there, but {module} is not: configuring libhalo says why it is not built")
        return 1
    found = {"cuda": cuda_targets, "hip": hip_targets}[vendor](module.read_bytes())
    found = sorted(set(found))
    print(f"{module.name}: {' '.join(found)}")
    missing = [target for target in wanted if target not in found]
    if missing:
        print(f"{module}: no code for {' '.join(missing)}")
    return 1 if missing or not wanted else 0


if __name__ == "__main__":
    sys.exit(main())
