#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The shared objects export what they should and need what they may.

usage: check_symbols.py ROOT LIBRARIES

ROOT is the source tree, LIBRARIES the folder of libhalo.so, with its modules in halo/ beside it. The functions declared in the headers, those listed in halo.map and
those exported by libhalo.so are the same, the map is sorted, libhalo.so needs only the compiler's and the C library's own libraries, and each
module exports its one data symbol and does not need libhalo.so.
"""
import re
import subprocess
import sys
from pathlib import Path

RUNTIME = re.compile(r"^(libc|libm|libdl|libpthread|libstdc\+\+|libgcc_s|libgomp|libomp|libasan|libubsan|libtsan|ld-linux[\w-]*)\.so")


def run(*command):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout


def declared(header):
    text = re.sub(r"/\*.*?\*/", " ", header.read_text(), flags=re.S)
    return set(re.findall(r"\bHALO_API\b[^;{]*?\b(halo_\w+)\s*\(", text))


def listed(version_script):
    text = re.sub(r"/\*.*?\*/", " ", version_script.read_text(), flags=re.S)
    names = []
    for block in re.findall(r"global:(.*?)(?:local:|\})", text, flags=re.S):
        entries = re.findall(r"([^\s;]+)\s*;", block)
        if entries != sorted(entries):
            raise SystemExit(f"{version_script}: not sorted")
        names += entries
    if re.search(r"local:\s*\*;", text) is None:
        raise SystemExit(f"{version_script}: no `local: *;`")
    return set(names)


def exported(library):
    rows = (line.split() for line in run("nm", "-D", "--defined-only", library).splitlines())
    return {row[-1].split("@")[0] for row in rows if row[-2] != "A"}


def needed(library):
    return re.findall(r"\(NEEDED\).*\[(.*?)\]", run("readelf", "-dW", library))


def loaded(library):
    rows = (line.split()[0] for line in run("ldd", library).splitlines() if "(0x" in line)
    return [Path(name).name for name in rows if "linux-vdso" not in name]


def differences(first, first_name, second, second_name):
    only = [f"{name}: in {first_name}, not in {second_name}" for name in sorted(first - second)]
    return only + [f"{name}: in {second_name}, not in {first_name}" for name in sorted(second - first)]


def module_errors(module):
    kind = re.match(r"libhalo_(transport|device|bootstrap)_\w+\.so", module.name)
    if not kind:
        return [f"{module}: not named libhalo_<transport|device|bootstrap>_<name>.so"]
    errors = [f"{module}: needs {name}" for name in needed(module) if name.startswith("libhalo.so")]
    wanted = {f"halo_{kind.group(1)}_plugin_v1"}
    if exported(module) != wanted:
        errors.append(f"{module}: exports {sorted(exported(module))}, should export {sorted(wanted)}")
    return errors


def main():
    root, folder = Path(sys.argv[1]), Path(sys.argv[2])
    library, modules = folder / "libhalo.so", sorted(folder.glob("halo/*.so"))
    names = set().union(*map(declared, sorted((root / "include").glob("*.h"))))
    errors = differences(names, "the header", listed(root / "src/core/halo.map"), "the version script")
    errors += differences(names, "the header", exported(library), "the library")
    errors += [f"{library}: loads {name}" for name in sorted(set(needed(library) + loaded(library))) if not RUNTIME.match(name)]
    for module in modules:
        errors += module_errors(module)
    print(f"{len(names)} functions, {len(modules)} modules; the library needs {', '.join(needed(library))}")
    print("\n".join(errors))
    return 1 if errors or not names else 0


if __name__ == "__main__":
    sys.exit(main())
