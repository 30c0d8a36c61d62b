#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every function on an object of a context is called inside the program's functions by a test, in the list where docs/threads.md has it.

usage: check_callbacks.py [root]

Functions whose handles are all const only read: they stand in `allowed_calls` of tests/misuse/callback_calls.cpp, all others in `refused_calls`. What the page
has for arrivals stands in `bound_calls`, and what it names as refused though its handle is const in `refused_calls`.
"""
import re
import sys
from pathlib import Path

from public_headers import application

HANDLE = re.compile(r"(const\s+)?halo_(?:context|topology|field|exchange|channel|group|batch|reduction|sphere|mesh|particles)\s*(\*\s*const\s*\*|\*\*|\*)\s*\w+")


def functions(root):
    """Name of each function on such an object, and whether it only reads."""
    found = {}
    for header in application(root / "include"):
        text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
        for function, parameters in re.findall(r"HALO_API\s[^;()]*?(\w+)\s*\(([^)]*)\);", text):
            handles = [const for const, stars in HANDLE.findall(parameters) if stars != "**" or re.search("_destroy(_with_all)?$", function)]
            if handles:
                found[function] = all(handles)
    return found


def lists(root):
    text = (root / "tests/misuse/callback_calls.cpp").read_text()
    return {
        name: re.findall(r"^    (?:(?:CALL|ANSWER)\(|\{ \")(halo_\w+)", body, flags=re.M)
        for name, body in re.findall(r"^const Call (\w+)_calls\[\] = \{\n(.*?)^\};", text, flags=re.M | re.S)
    }


def wanted(root):
    page = (root / "docs/threads.md").read_text()
    bound = re.findall(r"`(halo_\w+)`", re.search(r"^\| `halo_arrival_fn` \|(.*)$", page, flags=re.M).group(1))
    refused = re.findall(r"`(halo_\w+)`", re.search(r"^(.*) do more than read", page, flags=re.M).group(1))
    return {
        name: "bound" if name in bound else "refused" if name in refused or not reads else "allowed" for name, reads in functions(root).items()
    }


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    want, have = wanted(root), lists(root)
    errors = [f"{name}: not in {place}_calls" for name, place in want.items() if name not in have.get(place, [])]
    errors += [f"{name}: in {place}_calls, but not in the headers, or in another list" for place in have for name in have[place]
               if want.get(name) != place]
    errors += [f"{name}: twice" for place in have for name in set(have[place]) if have[place].count(name) > 1]
    if not want:
        errors.append("no function was found")
    print("\n".join(f"tests/misuse/callback_calls.cpp: {error}" for error in errors))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
