#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Keep the interface as it is now: headers without their comments, and programs of guides, in tests/abi/MAJOR.MINOR. There they are built and run with every later library.

usage: freeze_interface.py      once for each version, when it comes out; what is there already never changes
"""
import re
import sys
from pathlib import Path

from public_headers import everything

LICENCE = "SPDX-License-Identifier: BSD-3-Clause"
PROGRAMS = """need.h uniform.c boxes.c regions.c transfer.c keys.c graph.c mesh.c sphere.c access.c channels.c stencil.c levels.c layouts.c quads.c
              uniform.cpp access.cpp channels.cpp""".split()


def without_comments(text):
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)
    return re.sub(r"[ \t]+$", "", re.sub(r"\n\s*\n", "\n", text), flags=re.M).strip() + "\n"


def main():
    root = Path(__file__).resolve().parent.parent
    version = re.search(r"^project\(halo VERSION (\d+\.\d+)", (root / "CMakeLists.txt").read_text(), flags=re.M)[1]
    folder = root / "tests/abi" / version
    if folder.exists():
        sys.exit(f"{folder.relative_to(root)} is there already, and never changes")
    (folder / "include").mkdir(parents=True)
    for header in everything(root / "include"):
        (folder / "include" / header.name).write_text(f"/* {LICENCE} */\n{without_comments(header.read_text())}")
    for name in PROGRAMS:
        (folder / name).write_text((root / "examples/guides" / name).read_text())
    print(f"{folder.relative_to(root)}: {len(PROGRAMS)} files of guides")


if __name__ == "__main__":
    main()
