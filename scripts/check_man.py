#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A tool's page for man has the options that the tool tells of, and no others.

usage: check_man.py PAGE TOOL [PAGE TOOL]...
"""
import re
import subprocess
import sys
from pathlib import Path

OPTION = r"(?<![\w-])--?[a-z][a-z-]*"


def of_page(path):
    text = path.read_text().replace("\\-", "-")
    return set(re.findall(OPTION, "\n".join(line for line in text.splitlines() if line.startswith((".B ", ".BI ", ".RB ")))))


def of_tool(tool):
    text = subprocess.run([tool, "--help"], check=True, capture_output=True, text=True).stdout
    return set(re.findall(OPTION, "\n".join(re.split(r"(?<=\S) {2,}", line, maxsplit=1)[0] for line in text.splitlines() if re.match(r"\s+-", line))))


def main():
    errors = []
    for page, tool in zip(sys.argv[1::2], sys.argv[2::2]):
        have, want = of_page(Path(page)), of_tool(tool)
        errors += [f"{page}: no {name}" for name in sorted(want - have)] + [f"{page}: {name} is no option" for name in sorted(have - want)]
        if not want:
            errors.append(f"{tool} --help tells of no options")
    print("\n".join(errors))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
