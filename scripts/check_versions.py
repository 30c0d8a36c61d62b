#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every struct that may grow has its first size, no released version had a smaller one, and a test calls the library as older and newer callers do.

usage: check_versions.py [root]

Sizes stand in src/core/base/first_version.h, those of released versions in the dumps of abi/, the test in tests/misuse/versions.cpp (rows of arrays whose
size a call is told: tests/misuse/rows.cpp; tables of modules: tests/unit/plugin_versions.cpp). What the core fills and modules read has no first size here: modules look at struct_size themselves.
"""
import re
import sys
from pathlib import Path

from public_headers import application

READ_BY_MODULES = {"halo_host", "halo_transport_params", "halo_copy_program"}


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


def structs(path):
    return set(re.findall(r"typedef struct (\w+) \{", path.read_text()))


def untested(root, names, test):
    text = (root / test).read_text()
    return [f"{name}: not in {test}" for name in sorted(names) if not re.search(rf"\b{name}\b", text)]


def untested_rows(root, names, test):
    """A row is tried by a template that makes it shorter and longer."""
    text = (root / test).read_text()
    return [f"{name}: no expect_...<{name}> in {test}" for name in sorted(names) if not re.search(rf"\bexpect_\w+<{name}>", text)]


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    public = set().union(*map(growing, application(root / "include")))
    modules = growing(root / "include/halo_plugin.h") - READ_BY_MODULES
    known = set().union(*map(structs, [*application(root / "include"), root / "include/halo_plugin.h"]))
    first, errors = first_sizes(root / "src/core/base/first_version.h")
    errors += [f"{name}: no first size in base/first_version.h" for name in sorted((public | modules) - first.keys())]
    errors += [f"{name}: a first size, but no such struct" for name in sorted(first.keys() - known)]
    rows = first.keys() & known - public - modules  # arrays, of which a call is told the size of one element
    for dump in sorted((root / "abi").glob("*.abi")):
        had = released_sizes(dump)
        errors += [f"{name}: its first size is {size}, in {dump.name} it has {had[name]}" for name, size in first.items() if had.get(name, size) < size]
    errors += untested_rows(root, rows, "tests/misuse/rows.cpp")
    errors += untested(root, public, "tests/misuse/versions.cpp") + untested(root, modules, "tests/unit/plugin_versions.cpp")
    if not public or not modules:
        errors.append("no struct was found")
    print("\n".join(errors))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
