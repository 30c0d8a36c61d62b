#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What can be said of each tracked file alone: licence line, length, blanks, no open ends, nothing about the machine it was written on.

usage: check_files.py [root]
"""
import re
import subprocess
import sys
from pathlib import Path

MAX_LINES = 600
MAX_COLUMNS = 180
CODE = {".h", ".hpp", ".c", ".cpp", ".inl"}
LICENSED = CODE | {".py", ".sh", ".f90", ".inc"}

# Each pattern is written so that it does not match itself.
FORBIDDEN = [
    (re.compile(r"(?<![\w.}])/(wor[k]/\w|hom[e]/\w|roo[t]/\w|far[m]/\w|tm[p]/(?!\w*XXXXXX)\w)"), "a path of one machine"),
    (re.compile(r"deb\.debian[.]org|pypi[.]org|pythonhosted[.]org|registry\.npmjs[.]"), "a host of packages"),
    (re.compile(r"\b(this|that|earlier|next|previous|last) sessio[n]\b|\bsub-?agen[t]|\bissue [#]?\d", re.I), "how it was made, not what it is"),
]
# libstdc++ 12's std::ranges::subrange, which these give back, and its views are not compiled by clang 14 and 15 (https://github.com/llvm/llvm-project/issues/59697).
SUBRANGE = re.compile(r"\branges::(unique|equal_range|remove(_if)?|rotate|(stable_)?partition|find_end|search(_n)?|subrange)\b|\bstd::views::")
OPEN_ENDS = re.compile(r"\bTOD[O]\b|\bFIXM[E]\b|\bXX[X]\b|\bnot (yet )?implemente[d]\b|\bHALO_ERR_UNSUPPORTE[D]\b", re.I)


def tracked(root):
    names = subprocess.run(["git", "ls-files", "-z"], cwd=root, check=True, capture_output=True, text=True).stdout
    return [root / name for name in names.split("\0") if name and (root / name).is_file()]


def licence_errors(path, lines):
    if path.suffix in LICENSED and not any("SPDX-License-Identifier: BSD-3-Clause" in line for line in lines[:2]):
        yield 1, "no SPDX line at the top"


def length_errors(path, lines):
    if path.suffix in CODE and len(lines) > MAX_LINES and path.name != "halo.h":
        yield len(lines), f"more than {MAX_LINES} lines: one concept per file"


def line_errors(path, number, line):
    if path.suffix in CODE and len(line) > MAX_COLUMNS:
        yield number, f"{len(line)} columns"
    if path.suffix in LICENSED and (line != line.rstrip() or "\t" in line):
        yield number, "a tab, or blanks at the end"
    if path.suffix in CODE and SUBRANGE.search(line):
        yield number, "a part of std::ranges that clang 14 cannot compile: write it with iterators"
    if OPEN_ENDS.search(line):
        yield number, "an open end"
    for pattern, meaning in FORBIDDEN:
        if pattern.search(line):
            yield number, meaning


def errors_of(path):
    try:
        text = path.read_text()
    except UnicodeDecodeError:
        return
    lines = text.split("\n")[:-1] if text.endswith("\n") else text.split("\n")
    if path.suffix in LICENSED and text and not text.endswith("\n"):
        yield len(lines), "no newline at the end"
    yield from licence_errors(path, lines)
    yield from length_errors(path, lines)
    for number, line in enumerate(lines, 1):
        yield from line_errors(path, number, line)


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    files = tracked(root)
    errors = [f"{path.relative_to(root)}:{number}: {text}" for path in files for number, text in errors_of(path)]
    print("\n".join(errors))
    print(f"{len(files)} files")
    return 1 if errors or not files else 0


if __name__ == "__main__":
    sys.exit(main())
