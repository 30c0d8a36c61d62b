#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Public headers compile alone, without a warning, in every language version they promise; every initialiser fits its struct in C and C++; every
pointer in a struct of an application says how long what it leads to must be there, or is; halo.h stays small enough to be read.

usage: check_headers.py [root]

Takes each of gcc, clang and the compiler wrappers of the MPIs that are there. The initialisers are not listed here: each
`#define X_INIT` of a header is tried on its struct, and each struct that starts with struct_size must have one, tables of functions apart. Those of the
headers for applications stand in the table of halo_struct_init, and in that of its test.
"""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from public_headers import application, everything

C = ["c99", "c11", "c17", "c2x", "c++11", "c++14", "c++17", "c++20", "c++2b"]  # gcc 12 and clang 14 call C23 and C++23 so
C_WITH_MPI = ["c99", "c17", "c2x", "c++17", "c++20", "c++2b"]
CXX = ["c++20", "c++2b"]
WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Wshadow", "-Wconversion", "-Werror"]
COMPILERS = [("gcc", "g++"), ("clang", "clang++")]
MOST_FUNCTIONS = 100  # of halo.h
STRUCT = re.compile(r"typedef struct (\w+) \{(.*?)\n\} \1;", flags=re.S)
MEMBER = re.compile(r"((?:/\*\*[^<].*?\*/\s*)?)([^;{}/]+);[ \t]*((?:/\*\*<.*?\*/)?)", flags=re.S)  # between what stands before it and behind it
HOW_LONG = re.compile(r"\b([Cc]opied|[Rr]ead during the call|[Tt]he caller's|as long|[Ll]ives|stays?|outlive|until|valid)\b")
MPIS = [("Open MPI", "mpicc.openmpi"), ("MPICH", "mpicc.mpich"), ("the standard ABI", "mpicc_abi")]


def standards(header):
    if header.suffix == ".hpp":
        return CXX
    return C_WITH_MPI if header.name == "halo_mpi.h" else C


def compile_errors(command, what):
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    return [f"{what}:\n{result.stderr}"] if result.returncode else []


def mpi_flags(wrapper):
    """Include options of an MPI, as system headers, because their warnings are not ours; and what it defines."""
    shown = subprocess.run([wrapper, "-show"], capture_output=True, text=True, check=True).stdout.split()
    include = [part for flag in shown if flag.startswith("-I") for part in ("-isystem", flag[2:])]
    return include + [flag for flag in shown if flag.startswith("-D")]


def variants(name):
    """(description, extra options) of each way to compile a header."""
    if name != "halo_mpi.h":
        return [("", [])]
    return [(f" with {mpi}", mpi_flags(wrapper)) for mpi, wrapper in MPIS if shutil.which(wrapper)]


def alone(include, work):
    errors, n = [], 0
    for header in everything(include):
        name = header.name
        for suffix in ("c", "cpp"):
            (work / f"alone.{suffix}").write_text(f"#include <{name}>\n#include <{name}>\n")
        for what, extra in variants(name):
            for standard in standards(header):
                cxx = standard.startswith("c++")
                for pair in COMPILERS:
                    compiler = pair[1 if cxx else 0]
                    if shutil.which(compiler):
                        source = work / ("alone.cpp" if cxx else "alone.c")
                        command = [compiler, f"-std={standard}", "-fsyntax-only", *WARNINGS, f"-I{include}", *extra, str(source)]
                        errors += compile_errors(command, f"{name} alone, {compiler} -std={standard}{what}")
                        n += 1
    return errors, n


def structs(text):
    """Names of all structs, of those that callers fill, and of the initialisers."""
    bodies = STRUCT.findall(text)
    names = set(re.findall(r"#define (HALO_\w+)_INIT\b", text))
    grows = {name for name, body in bodies if "struct_size;" in body and ("(*" not in body or name.upper() in names)}
    return {name for name, _ in bodies}, grows, names


def pointer_errors(header):
    """Pointers to data; what functions do is told where they are."""
    for name, body in STRUCT.findall(header.read_text()):
        for before, member, behind in MEMBER.findall(body):
            pointer = re.search(r"\*\s*(\w+)$", member)
            if pointer and not HOW_LONG.search(before + behind):
                yield f"{name}.{pointer[1]}: its comment does not say how long what it leads to is there: copied, read during the call, as long as ..."


def read_errors(include):
    """What a reader of the headers is promised."""
    n = len(re.findall(r"^HALO_API ", (include / "halo.h").read_text(), flags=re.M))
    many = [f"halo.h: {n} functions, more than {MOST_FUNCTIONS}"] if n > MOST_FUNCTIONS else []
    return many + [error for header in application(include) for error in pointer_errors(header)]


def initialiser_program(headers, names):
    lines = [*(f"#include <{header.name}>" for header in headers), "int main(void) {", "    int bad = 0;"]
    for name in sorted(names):
        lines += [f"    {{ {name.lower()} v = {name}_INIT; bad += v.struct_size != sizeof(v); }}"]
    return "\n".join(lines + ["    return bad;", "}", ""])


def table_errors(root, names):
    errors = []
    for table in ("src/core/capi/struct_init.cpp", "tests/misuse/struct_init.cpp"):
        rows = re.findall(r"INITIAL\((halo_\w+), (HALO_\w+)_INIT\)", (root / table).read_text())
        errors += [f"{name}_INIT: not in {table}" for name in sorted(names - {name for _, name in rows})]
        errors += [f"{struct}: has {name}_INIT in {table}" for struct, name in rows if struct.upper() != name]
    return errors


def initialisers(include, work):
    headers = application(include)
    all_structs, grows, names = structs("".join(header.read_text() for header in headers))
    errors = [f"{name}: no {name.upper()}_INIT" for name in sorted(grows) if name.upper() not in names]
    errors += [f"{name}_INIT: no such struct" for name in sorted(names) if name.lower() not in all_structs]
    errors += table_errors(include.parent, names)
    for compiler, standard, suffix in (("gcc", "c99", "c"), ("g++", "c++11", "cpp"), ("clang", "c17", "c"), ("clang++", "c++20", "cpp")):
        if not shutil.which(compiler) or errors:
            continue
        source, program = work / f"initialisers.{suffix}", work / "initialisers"
        source.write_text(initialiser_program(headers, [name for name in names if name.lower() in grows]))
        errors += compile_errors([compiler, f"-std={standard}", *WARNINGS, f"-I{include}", str(source), "-o", str(program)], f"initialisers, {compiler}")
        if not errors and subprocess.run([str(program)], check=False).returncode:
            errors.append(f"initialisers, {compiler}: a struct_size is wrong")
    return errors, len(names)


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    with tempfile.TemporaryDirectory() as folder:
        errors, compiled = alone(root / "include", Path(folder))
        more, structs_tried = initialisers(root / "include", Path(folder))
    more += read_errors(root / "include")
    print("\n".join(errors + more))
    print(f"{compiled} compilations, {structs_tried} initialisers")
    return 1 if errors or more or not compiled or not structs_tried else 0


if __name__ == "__main__":
    sys.exit(main())
