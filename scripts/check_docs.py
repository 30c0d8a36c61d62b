#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""README shows the program that is tested, links between documents lead somewhere, the error texts that are explained exist in the source, and one
version stands everywhere.

usage: check_docs.py [root]
"""
import re
import sys
from pathlib import Path


def program_errors(root):
    program = (root / "examples/first/first.c").read_text().split("\n", 1)[1]
    shown = re.search(r"```c\n(.*?)```", (root / "README.md").read_text(), flags=re.S)
    return [] if shown and shown.group(1) == program else ["README.md: the program is not examples/first/first.c without its first line"]


def link_errors(root):
    errors = []
    for page in [*root.glob("*.md"), *(root / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text()):
            if "://" not in target and not (page.parent / target).exists():
                errors.append(f"{page.relative_to(root)}: no such file: {target}")
    return errors


def literals(root):
    """Texts of the source, those that stand side by side joined, with `...` for what is printed into them."""
    texts = []
    for source in [*(root / "src").rglob("*.cpp"), *(root / "src").rglob("*.h")]:
        for text in re.findall(r'(?:"(?:[^"\\\n]|\\.)*"\s*)+', source.read_text()):
            joined = "".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', text))
            texts.append(re.sub(r"%[-+ #0-9.*]*(?:ll|z|t)?[a-z]", "...", joined))
    return texts


def text_errors(root):
    """The first column of each table quotes texts, with `...` for what varies."""
    page = root / "docs/when-something-goes-wrong.md"
    known = literals(root)
    errors = []
    for cell in re.findall(r"^\| ([^|]*) \|", page.read_text(), flags=re.M):
        for quoted in re.findall(r"`([^`]+)`", cell):
            for fragment in filter(lambda part: len(part) > 2, quoted.split("...")):
                if not any(fragment.strip() in text for text in known):
                    errors.append(f"{page.relative_to(root)}: no text in src has '{fragment.strip()}', of '{quoted}'")
    return errors


def version_errors(root):
    cmake = re.search(r"project\(halo VERSION (\d+)\.(\d+)\.(\d+)", (root / "CMakeLists.txt").read_text()).groups()
    header = re.findall(r"#define HALO_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", (root / "include/halo.h").read_text())
    nodes = re.findall(r"^HALO_(\d+)\.(\d+) \{", (root / "src/core/halo.map").read_text(), flags=re.M)
    errors = [] if list(cmake) == header else [f"halo.h is version {'.'.join(header)}, CMakeLists.txt {'.'.join(cmake)}"]
    if max((tuple(map(int, node)) for node in nodes), default=None) != tuple(map(int, cmake[:2])):
        errors.append("the last node of halo.map is not of this version")
    return errors


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    errors = program_errors(root) + link_errors(root) + text_errors(root) + version_errors(root)
    print("\n".join(errors))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
