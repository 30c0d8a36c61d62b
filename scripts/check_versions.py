#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every struct that may grow has its first size, no released version had a smaller one, and a test calls the library as older and newer callers do.

usage: check_versions.py [root]

Sizes stand in src/core/base/first_version.h, those of released versions in the dumps of abi/, the test in tests/misuse/versions.cpp (tables of modules:
tests/unit/plugin_versions.cpp). What the core fills and modules read has no first size here: modules look at struct_size themselves.
"""
import re
import sys
from pathlib import Path

from public_headers import application

READ_BY_MODULES = {"halo_host", "halo_transport_params", "halo_copy_program"}
# Arrays, of which a call is told the size of one element.
SIZED_BY_CALL = {"halo_access", "halo_boundary", "halo_group_row", "halo_join", "halo_leaf", "halo_mesh_map", "halo_mesh_set", "halo_neighbour", "halo_peer_row", "halo_reduction_item",
                 "halo_tree", "halo_tree_join"}


def growing(path):
    """Names of the structs of a header that begin with their size."""
    bodies = re.findall(r"typedef struct (\w+) \{(.*?)\n\} \1;", path.read_text(), flags=re.S)
    return {name for name, body in bodies if re.search(r"^\s*size_t struct_size;", body, flags=re.M)}


def first_sizes(path):
    lines = re.findall(r'first_of\(const (\w+) \*\) \{ return \{ "(\w+)", (\d+) \}; \}', path.read_text())
    return {struct: int(size) for struct, _, size in lines}, [f"{struct} is called '{name}'" for struct, name, _ in lines if struct != name]


def released_sizes(path):
    found = re.findall(r"<class-decl name='(\w+)' size-in-bits='(\d+)'", path.read_text())
    return {name: int(bits) // 8 for name, bits in found}


def untested(root, names, test):
    text = (root / test).read_text()
    return [f"{name}: not in {test}" for name in sorted(names) if not re.search(rf"\b{name}\b", text)]


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    public = set().union(*map(growing, application(root / "include")))
    modules = growing(root / "include/halo_plugin.h") - READ_BY_MODULES
    first, errors = first_sizes(root / "src/core/base/first_version.h")
    errors += [f"{name}: no first size in base/first_version.h" for name in sorted((public | modules) - first.keys())]
    errors += [f"{name}: a first size, but no such struct with struct_size" for name in sorted(first.keys() - public - modules - SIZED_BY_CALL)]
    for dump in sorted((root / "abi").glob("*.abi")):
        had = released_sizes(dump)
        errors += [f"{name}: its first size is {size}, in {dump.name} it has {had[name]}" for name, size in first.items() if had.get(name, size) < size]
    errors += untested(root, public, "tests/misuse/versions.cpp") + untested(root, modules, "tests/unit/plugin_versions.cpp")
    if not public or not modules:
        errors.append("no struct was found")
    print("\n".join(errors))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
