#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes docs/reference.md: each function of the C interface, and what stands for it in C++, Fortran and Python. All is read from the headers, the module
and the package; a function without a twin must stand in WITHOUT, with the reason.

usage: reference.py [--check] [root]; --check: compare with what is there instead of writing it
"""
import ast
import difflib
import re
import runpy
import sys
from pathlib import Path

from public_headers import application

LANGUAGES = ("C++", "Fortran", "Python")

# What stands for a function without being a function that calls it.
OTHERWISE = {
    ("halo_status_name", "Python"): "names of exceptions: `halo.BoundsError`",
    ("halo_last_error", "Python"): "`str()` of the exception",
    ("halo_context_error", "Python"): "`str()` of the exception",
    ("halo_struct_init", "C++"): "`HALO_..._INIT`",
    ("halo_struct_init", "Python"): "keywords that are left out",
    ("halo_version", "C++"): "the same",
    ("halo_element", "C++"): "the same",
    ("halo_info", "C++"): "the same",
    ("halo_status_name", "C++"): "halo::error",
    ("halo_last_error", "C++"): "halo::error",
    ("halo_context_create_communicator", "C++"): "halo::Context::adopt()",
    ("halo_context_create_mpi", "C++"): "halo::Context::adopt()",
    ("halo_context_create_mpi", "Fortran"): "`context%create`",
    ("halo_context_create_mpi", "Python"): "`halo.Context`",
}
# Which have no twin, and why.
WITHOUT = {
    "halo_channel_find": ("C++", "gives a handle that another owner has"),
    "halo_channel_register_many": ("C++, Python", "channels are made one at a time there; what it saves is a call for each"),
}

HEADINGS = {
    "halo.h": "contexts, topologies, fields, exchanges", "halo_access.h": "loops that say what they read and write", "halo_channel.h": "channels by hand",
    "halo_levels.h": "blocks of several levels", "halo_mesh.h": "meshes made local", "halo_mpi.h": "over a communicator",
    "halo_particles.h": "particles that migrate",
    "halo_sphere.h": "grids on the sphere", "halo_stencil.h": "stages that say how far they read",
}


def chapters(root):
    """(header, chapter, its functions), in the order of the headers."""
    for header in sorted([*application(root / "include"), root / "include/halo_mpi.h"]):
        text = re.sub(r"^[ \t]*#.*?(?<!\\)$", "", header.read_text(), flags=re.M | re.S)
        pieces = re.split(r"@defgroup \w+ (.*)\n", text)
        for title, body in zip(["", *pieces[1::2]], pieces[::2]):
            body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
            functions = re.findall(r"^(?:HALO_API|static inline) [\w \*]*?\b(halo_\w+)\(", body, flags=re.M)
            if functions:
                yield header.name, title.partition(", ")[2] or title, functions


def heads(text):
    """(class or "", function, whether it is public, its text) of each function of a C++ header."""
    owner, open_to_all, found = "", True, []
    for line in text.split("\n"):
        opened = re.match(r"(?:class|struct) (\w+)\b(?!.*;)", line)
        if opened:
            owner, open_to_all = opened[1], line.startswith("struct")
            destroyed = re.search(r"Handle<\w+, (?:detail::\w+<\w+, )?(\w+)[,>]", line)
            if destroyed:
                found.append([owner, f"~{owner}", True, destroyed[1]])
            continue
        if line.startswith("};"):
            owner, open_to_all = "", True
        access = re.match(r"(public|private|protected):", line)
        if access:
            open_to_all = access[1] == "public"
        indent = "    " if owner else ""
        head = re.match(indent + r"(?![ }:/#]|return\b|using\b|static_assert\b|template\b|friend\b|namespace\b)[^(]*?(~?\w+)\(", line)
        if head:
            found.append([owner, head[1], open_to_all, line])
        elif found:
            found[-1][3] += "\n" + line
    return found


def cpp(root, functions):
    """By function: names of what calls it; where that is no public method, of those that call that."""
    known = [head for header in sorted((root / "include").glob("*.hpp")) for head in heads(re.sub(r"//.*", "", header.read_text()))]

    def callers(word, owner=None):
        names = []
        for of, name, public, text in known:
            if (public or name != word) and re.search(rf"\b{word}\b", text) and owner in (None, of):
                names += [(of, name)] if public else callers(name, of)
        names = list(dict.fromkeys(names))
        made = [one for one in names if one[0].startswith(one[1]) or one[1].startswith("~")]  # constructors and destructors, which also clear up
        ended = word.endswith("_destroy")
        return [one for one in made if one[1].startswith("~")] if ended else [one for one in names if one not in made] or made

    def shown(of, name):  # as doxygen makes links of
        return f"halo::{of}" if of and name in (of, f"~{of}") else f"halo::{of}::{name}()" if of else f"halo::{name}()"
    result = {}
    for function in functions:
        names = callers(function)
        result[function] = ", ".join(dict.fromkeys(("end of " if name.startswith("~") else "") + shown(of, name) for of, name in names[:2]))
    return result


def fortran(root, functions):
    module = re.sub(r"&\n\s*", "", "".join((root / "bindings/fortran" / name).read_text() for name in ("halo.f90", "halo_by_hand.inc")))
    result = {}
    for body in re.findall(r"^  type, extends\(halo_handle\) :: (.*?)^  end type", module, flags=re.M | re.S):
        handle = body.split("\n")[0].removeprefix("halo_")
        for name, procedure in re.findall(r"procedure, pass\(\w+\) :: (\w+) => (\w+)", body):
            result[procedure] = f"`{handle}%{name}`"
        for name, procedure in re.findall(r"generic :: (\w+) => (?:\w+, )*?(halo_\w+)_plain", body):
            result[procedure] = f"`{handle}%{name}`"
    for function in functions:
        if function not in result and re.search(rf"^ *(?:interface|(?:pure |impure elemental )?(?:function|subroutine)) {function}\b", module, flags=re.M):
            result[function] = f"`{function}`"
    return result


class Package:
    """bindings/python: which of its functions are written by hand, and which _handles.py makes from prototypes."""

    def __init__(self, root):
        folder = root / "bindings/python/src/halo"
        interface = runpy.run_path(str(folder / "_interface.py"))["DECLARATIONS"]
        self.prototypes = dict(re.findall(r"^[\w ]+\*?\b(halo_\w+)\((.*)\);$", interface, flags=re.M))
        trees = {path.name: (path.read_text(), ast.parse(path.read_text())) for path in sorted(folder.glob("_*.py"))}
        calls = {node.targets[0].id: {one.value for one in ast.walk(node.value) if isinstance(one, ast.Constant) and str(one.value).startswith("halo_")}
                 for node in trees["_calls.py"][1].body if isinstance(node, ast.Assign)}
        self.by_hand, self.left_out = calls["BY_HAND"], calls["LEFT_OUT"]
        self.classes, self.written = {}, {}
        offered = {alias.name for node in trees["__init__.py"][1].body if isinstance(node, ast.ImportFrom) for alias in node.names}
        for text, tree in trees.values():
            for node in tree.body:
                if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name in offered:
                    self.read(node, text)

    def read(self, node, text):
        if isinstance(node, ast.FunctionDef):
            self.note(f"halo.{node.name}", text, node)
            return
        for one in node.body:
            if isinstance(one, ast.Assign) and one.targets[0].id == "C_TYPE":
                self.classes[one.value.value] = node.name
            if isinstance(one, ast.FunctionDef) and one.name == "__init__":
                self.note(f"halo.{node.name}", text, one)
            elif isinstance(one, ast.FunctionDef) and not one.name.startswith("_"):
                self.note(f"halo.{node.name}.{one.name}", text, one)

    def note(self, name, text, node):
        for function in re.findall(r"\bhalo_\w+", ast.get_source_segment(text, node)):
            self.written.setdefault(function, []).append(name)

    def twin(self, function):
        if function not in self.prototypes:  # inline
            return ", ".join(f"`{name}`" for name in self.written.get(function, [])[:1])
        if function in self.left_out:
            return ""
        handle = next((one for one in self.classes if function.startswith(one + "_")), None)
        short = function.removeprefix(f"{handle}_")
        if handle and short in ("destroy", "destroy_with_all"):
            return f"`halo.{self.classes[handle]}.{short}`"
        if function in self.by_hand:
            names = list(dict.fromkeys(self.written.get(function, [])))
            alike = [name for name in names if name.split(".")[-1] in (short, short.removeprefix("get_"))]
            return ", ".join(f"`{name}`" for name in (alike or names)[:2])
        parameters = self.prototypes[function].split(", ")
        if handle and short == "create":
            return f"`halo.{self.classes[handle]}`"
        if handle and short.startswith("create_") and re.match(rf"{handle} \*\*", parameters[-1]):
            return f"`halo.{self.classes[handle]}.{short.removeprefix('create_')}`"
        if handle and re.match(rf"(const )?{handle} \*(?!const\b)\w", parameters[0]):
            return f"`halo.{self.classes[handle]}.{short.removeprefix('get_')}`"
        return f"`halo.{function.removeprefix('halo_')}`"


def twins(root):
    """[(header, chapter, [(function, {language: what stands for it})])]"""
    found = list(chapters(root))
    functions = [function for _, _, some in found for function in some]
    package, c_plus_plus, module = Package(root), cpp(root, functions), fortran(root, functions)
    tables = []
    for header, title, some in found:
        rows = []
        for function in some:
            row = {"C++": c_plus_plus[function], "Fortran": module.get(function, ""), "Python": package.twin(function)}
            rows.append((function, {language: OTHERWISE.get((function, language)) or row[language] for language in LANGUAGES}))
        tables.append((header, title, rows))
    return tables


def errors(tables):
    lacking = {(function, language) for _, _, rows in tables for function, row in rows for language in LANGUAGES if not row[language]}
    named = {(function, language) for function, languages in WITHOUT.items() for language in languages[0].split(", ")}
    yield from (f"{function}: nothing stands for it in {language}, and scripts/reference.py does not say why" for function, language in sorted(lacking - named))
    yield from (f"{function}: scripts/reference.py says that it has no twin in {language}, and it has" for function, language in sorted(named - lacking))
    known = {function for _, _, rows in tables for function, _ in rows}
    yield from (f"{function}: scripts/reference.py names it, and no header has it" for function in sorted({one for one, _ in OTHERWISE} - known))


def text(tables):
    yield "# Reference: C, C++, Fortran and Python side by side"
    yield ""
    yield "Each function of the C headers, which say what it does, and what stands for it elsewhere. Written by `scripts/reference.py`; a test compares."
    yield "The C++ layer has owners and exceptions; where it has nothing, the C function takes its objects as they are. In Fortran each function also has a procedure"
    yield "of its name ([fortran.md](fortran.md)); Python's are those of the package `halo` ([python.md](python.md))."
    last = None
    for header, title, rows in tables:
        if header != last:
            yield from ["", f"## {header}: {HEADINGS[header]}"]
            last = header
        if title:
            yield from ["", f"### {title[0].upper()}{title[1:]}" if not title[0].isdigit() else f"### {title}"]
        yield from ["", "| C | C++ | Fortran | Python |", "|---|---|---|---|"]
        yield from (f"| {function}() | {' | '.join(row[language] or '–' for language in LANGUAGES)} |" for function, row in rows)
    yield from ["", "## Where nothing stands", "", "| C | not in | because |", "|---|---|---|"]
    yield from (f"| {function}() | {languages} | {why} |" for function, (languages, why) in WITHOUT.items())


def main():
    given = [one for one in sys.argv[1:] if one != "--check"]
    root = Path(given[0] if given else Path(__file__).parent.parent).resolve()
    tables = twins(root)
    wrong, new, path = list(errors(tables)), "\n".join(text(tables)) + "\n", root / "docs/reference.md"
    if "--check" in sys.argv:
        old = path.read_text() if path.exists() else ""
        wrong += difflib.unified_diff(old.splitlines(), new.splitlines(), "docs/reference.md", "scripts/reference.py writes", lineterm="", n=0)
    else:
        path.write_text(new)
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
