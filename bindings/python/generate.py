#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes src/halo/_interface.py, the C interface as cffi reads it, from the public headers.

usage: generate.py [--check] [root]; --check: compare with what is there instead of writing it

The headers go through the C preprocessor (CC, cc, gcc or clang); what comes out is written one statement a line, structs one member a line.
"""
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent.parent
ARGUMENTS = [one for one in sys.argv[1:] if one != "--check"]
ROOT = Path(ARGUMENTS[0] if ARGUMENTS else HERE).resolve()
OUTPUT = ROOT / "bindings/python/src/halo/_interface.py"
KNOWN = {"UINT32_MAX": 2**32 - 1, "INT32_MAX": 2**31 - 1}
BY_HAND = {"HALO_API", "HALO_STREAM_NONE", "HALO_STREAM_DEFAULT"}


def headers():
    sys.path.insert(0, str(HERE / "scripts"))
    from public_headers import application
    return application(ROOT / "include")


def preprocessed():
    compiler = next(found for found in map(shutil.which, [os.environ.get("CC", "cc"), "gcc", "clang"]) if found)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("stddef.h", "stdint.h"):  # cffi knows their types
            (Path(folder) / name).touch()
        program = "".join(f"#include <{header.name}>\n" for header in headers())
        command = [compiler, "-E", "-P", "-nostdinc", f"-I{folder}", f"-I{ROOT / 'include'}", "-"]
        return subprocess.run(command, input=program, check=True, capture_output=True, text=True).stdout


def declarations(source):
    """Statements, each on a line of its own; functions that have a body, which are inline, left out."""
    source = source.replace('__attribute__((visibility("default")))', "")
    source = re.sub(r"\bstatic inline\b[^{;]*\{[^}]*\}", "", source)
    statements = re.findall(r"(?:[^;{}]|\{[^{}]*\})+;", source)
    plain = [" ".join(statement.split()) for statement in statements]
    return [re.sub(r"(?<=[{;]) (?!\w+;$)", "\n    ", statement).replace("\n    }", "\n}") for statement in plain]


def constants():
    """Macros that are numbers, in the order of the headers."""
    values = {}
    for header in headers():
        text = re.sub(r"/\*.*?\*/", "", header.read_text().replace("\\\n", " "), flags=re.S)
        for name, value in re.findall(r"^#define (HALO_\w+) +(\S.*?) *$", text, flags=re.M):
            if name not in BY_HAND and not name.endswith("_INIT"):
                values[name] = eval(value, {}, {**KNOWN, **values})
    return values


def version():
    return ".".join(str(constants()[f"HALO_VERSION_{part}"]) for part in ("MAJOR", "MINOR", "PATCH"))


def text():
    yield "# SPDX-License-Identifier: BSD-3-Clause"
    yield '"""The C interface as cffi reads it. Made by generate.py from include/: change the headers, not this file."""'
    yield ""
    yield f'VERSION = "{version()}"'
    yield ""
    yield "CONSTANTS = {"
    yield from (f'    "{name}": {value!r},' for name, value in constants().items())
    yield "}"
    yield ""
    yield 'DECLARATIONS = """'
    yield from declarations(preprocessed())
    yield '"""'


def main():
    new = "\n".join(text()) + "\n"
    if "--check" not in sys.argv:
        OUTPUT.write_text(new)
        return 0
    old = OUTPUT.read_text()
    print("".join(difflib.unified_diff(old.splitlines(True), new.splitlines(True), "committed", "from the headers", n=0)))
    if old != new:
        print("bindings/python/generate.py writes it anew")
    return 0 if old == new else 1


if __name__ == "__main__":
    sys.exit(main())
