#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A program prints what its page says that it prints: the block, indented or fenced, behind a line that ends with `It prints`.

usage: check_prints.py PAGE PROGRAM
"""
import re
import subprocess
import sys
import textwrap
from pathlib import Path


def main():
    page, program = sys.argv[1:]
    said = re.search(r"It prints\n\n(?:```\n(.*?)^```|((?:    [^\n]*\n)+))", Path(page).read_text(), flags=re.S | re.M)
    if not said:
        print(f"{page}: no block behind 'It prints'")
        return 1
    wanted = textwrap.dedent(said[1] or said[2]).strip()
    printed = subprocess.run([program], check=True, capture_output=True, text=True).stdout.strip()
    if printed != wanted:
        print(f"{page} says\n{wanted}\nand {Path(program).name} prints\n{printed}")
    return 0 if printed == wanted else 1


if __name__ == "__main__":
    sys.exit(main())
