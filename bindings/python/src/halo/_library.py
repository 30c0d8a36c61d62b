# SPDX-License-Identifier: BSD-3-Clause
"""Finds libhalo.so and opens it: the file that LIBHALO names in the environment, the one inside this package, else what the system's loader finds."""
import os
import re
from pathlib import Path

import cffi

from ._interface import DECLARATIONS, VERSION

ffi = cffi.FFI()
ffi.cdef(DECLARATIONS)

MAJOR, MINOR, _ = map(int, VERSION.split("."))
SONAME = f"libhalo.so.{MAJOR}" + (f".{MINOR}" if MAJOR == 0 else "")


def _open():
    inside = Path(__file__).parent / "lib" / SONAME
    name = os.environ.get("LIBHALO") or (str(inside) if inside.exists() else SONAME)
    try:
        library = ffi.dlopen(name)
    except OSError as reason:
        raise ImportError(f"{name} cannot be opened: {reason}. Is libhalo installed where the loader looks (LD_LIBRARY_PATH), or named by LIBHALO?") from None
    found = library.halo_version()
    major, minor = found // 10000, found // 100 % 100
    if major != MAJOR or minor < MINOR or (major == 0 and minor != MINOR):
        raise ImportError(f"{name} is version {major}.{minor}, and this package wants {MAJOR}.{MINOR}")
    return library


lib = _open()

# name -> (text of each parameter); cffi does not tell names, nor which pointers are to constants.
PROTOTYPES = {name: [] if parameters == "void" else parameters.split(", ")
              for name, parameters in re.findall(r"^[\w ]+\*?\b(halo_\w+)\((.*)\);$", DECLARATIONS, flags=re.M)}
HANDLES = set(re.findall(r"^typedef struct (\w+) \1;$", DECLARATIONS, flags=re.M))
# struct -> {member: text}
STRUCTS = {name: {re.sub(r"\[\d+\]$", "", line.split()[-1].lstrip("*")): line.strip() for line in body.strip().split(";\n") if "(*" not in line}
           for name, body in re.findall(r"^typedef struct (\w+) \{\n(.*?);\n\} \1;$", DECLARATIONS, flags=re.M | re.S)}
FUNCTION_MEMBERS = {name: re.findall(r"\(\*(\w+)\)\(", body) + re.findall(r"halo_\w+_fn (\w+);", body + ";")
                    for name, body in re.findall(r"^typedef struct (\w+) \{\n(.*?);\n\} \1;$", DECLARATIONS, flags=re.M | re.S)}
