#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every public function is called where memory fails at every point: in tests/faults/allocation_*.cpp, or in what they are built on.

usage: check_scenarios.py [root]
"""
import re
import sys
from pathlib import Path

from public_headers import application

PLACES = ("tests/faults/allocation_*.cpp", "tests/conformance/ranks.cpp")
LEFT_OUT = {
    "halo_version": "a constant",
    "halo_element": "a sum",
    "halo_context_create_communicator": "of MPI, which has memory of its own; halo_context_create is tried",
}


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    functions = []
    for header in application(root / "include"):
        text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
        functions += re.findall(r"HALO_API\s[^;()]*?(\w+)\s*\([^)]*\);", text)
    called = set()
    for place in PLACES:
        for path in root.glob(place):
            called |= set(re.findall(r"\b(halo_\w+)\(", path.read_text()))
    errors = [f"{name}: in no scenario" for name in functions if name not in called and name not in LEFT_OUT]
    errors += [f"{name}: left out, but it is in the scenarios, or not in the headers" for name in LEFT_OUT if name in called or name not in functions]
    print("\n".join(f"tests/faults: {error}" for error in errors))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
