#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes what of the Fortran binding follows from the C headers: halo_types.f90 (constants, structs, callbacks), halo_c.f90 (interfaces of the C functions),
halo.f90 (handles and procedures), halo_arrays.inc (procedures of arrays, for each kind and rank), and the test that compares sizes and offsets.

usage: generate.py [--check]   --check: fails if one of these files is not what would be written, or a function has no twin or no test that calls it
"""
import re
import sys
from pathlib import Path

import arrays
import c_interface
from wrappers import Module

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TESTS = ROOT / "tests/fortran"
WIDTH = 120
HEAD = "! SPDX-License-Identifier: BSD-3-Clause\n! Written by bindings/fortran/generate.py from the C headers.\n"

# Types whose name in C is, but for its case, that of a constant.
RENAMED = {"halo_stencil_exchange": "halo_stencil_exchange_row"}
# Functions of C without a twin of the same name, and what does the same. Five at most.
EXCLUDED = {"halo_context_create_mpi": "create_over"}  # the procedure of context%create for communicators of Fortran's
KINDS = {"int32_t": "integer(c_int32_t)", "int64_t": "integer(c_int64_t)", "uint8_t": "integer(c_int8_t)", "uint32_t": "integer(c_int32_t)",
         "uint64_t": "integer(c_int64_t)", "size_t": "integer(c_size_t)", "double": "real(c_double)", "halo_status": "integer(c_int32_t)",
         "halo_type": "integer(c_int32_t)", "halo_op": "integer(c_int32_t)", "halo_stream": "type(c_ptr)"}


def wrapped(line):
    """A statement in lines of at most WIDTH columns."""
    indent = re.match(" *", line)[0]
    lines = []
    while len(line) > WIDTH:
        cut = max(line.rfind(", ", 0, WIDTH), line.rfind(" // ", 0, WIDTH), line.rfind(" .or.", 0, WIDTH)) + 1
        if cut <= len(indent) + 4:
            raise ValueError(f"no place to cut: {line}")
        lines.append(line[:cut].rstrip() + " &")
        line = indent + "  " + line[cut:].lstrip()
    return [*lines, line]


def text_of(lines):
    return "\n".join(part for line in lines for part in wrapped(line)) + "\n"


def fortran_name(name):
    return RENAMED.get(name, name)


def base_type(name):
    return KINDS.get(name) or f"type({fortran_name(name)})"


def literal(name, value):
    if name == "double":
        return f"{float(value)}_c_double"
    kind = re.search(r"\((\w+)\)", KINDS[name])[1]
    return f"{int(value)}_{kind}"


def default(struct, leaf, kind, structs):
    """Value of a member that is no pointer."""
    if kind.name not in structs:
        return literal(kind.name, struct.defaults[leaf])
    inner = [element(struct, f"{leaf}.{one.name}", one.type, structs) for one in structs[kind.name].members]
    return f"{fortran_name(kind.name)}({', '.join(inner)})"


def element(struct, leaf, kind, structs):
    if kind.function:
        return "c_null_funptr"
    if kind.stars or kind.name == "halo_stream":
        return "c_null_ptr"
    if kind.array:
        return f"[{', '.join(default(struct, f'{leaf}[{i}]', kind, structs) for i in range(int(kind.array)))}]"
    return default(struct, leaf, kind, structs)


def component(struct, member, structs):
    kind = member.type
    shape = f"({kind.array})" if kind.array else ""
    name = "type(c_funptr)" if kind.function else "type(c_ptr)" if kind.stars else base_type(kind.name)
    return f"    {name} :: {member.name}{shape} = {element(struct, member.name, kind, structs)}"


def constant(name, kind, value):
    if kind == "pointer":
        given = "c_null_ptr" if value == "0" else f"transfer({value}_c_intptr_t, c_null_ptr)"
        return f"  type(c_ptr), parameter :: {name} = {given}"
    if kind == "double":
        return f"  real(c_double), parameter :: {name} = {float(value)}_c_double"
    number = int(float(value))
    return f"  integer(c_int32_t), parameter :: {name} = {number if number < 2 ** 31 else number - 2 ** 32}_c_int32_t"


def callback(name, result, parameters, structs):
    """The abstract interface of a function that the caller gives: texts and unknown types as addresses."""
    what = "subroutine" if result.name == "void" and not result.stars else "function"
    names = [one.name for one in parameters]
    lines = [f"    {what} {name}({', '.join(names)}) bind(c){' result(answer)' if what == 'function' else ''}"]
    kinds = {base_type(one.type.name) for one in parameters if one.type.name in KINDS or one.type.name in structs}
    imported = sorted({re.search(r"\((\w+)\)", kind)[1] for kind in kinds} | {"c_ptr"} | ({"c_int32_t"} if what == "function" and not result.stars else set()))
    lines.append(f"      import :: {', '.join(imported)}")
    for one in parameters:
        known = one.type.name in structs
        kind = base_type(one.type.name) if not one.type.stars or known else "type(c_ptr)"
        lines.append(f"      {kind}, {'intent(in)' if known else 'value'} :: {one.name}")
    if what == "function":
        lines.append(f"      {'type(c_ptr)' if result.stars else base_type(result.name)} :: answer")
    return [*lines, f"    end {what} {name}"]


def types_module(found):
    structs = {struct.name: struct for struct in found.structs}
    lines = ["!> Constants and structs of the C interface. A struct begins with its defaults; halo_struct_init gives them again.", "module halo_types",
             "  use, intrinsic :: iso_c_binding", "  implicit none", "  public", ""]
    lines += [constant(*one) for one in found.constants]
    for struct in found.structs:
        name = fortran_name(struct.name)
        lines += ["", f"  type, bind(c) :: {name}", *(component(struct, one, structs) for one in struct.members), f"  end type {name}"]
    lines += ["", "  ! Functions that the caller gives, by c_funloc. Texts are C's."]
    lines += ["  abstract interface", *(line for one in found.callbacks for line in callback(*one, structs)), "  end interface", "end module halo_types"]
    return HEAD + text_of(lines)


def layouts_c(found):
    lines = ["/* SPDX-License-Identifier: BSD-3-Clause */", "/* Written by bindings/fortran/generate.py: sizes and offsets of the structs in C. */", "/* clang-format off */",
             "#include <stddef.h>", "#include <string.h>", ""]
    lines += [f"#include <{path.name}>" for path in c_interface.application(ROOT / "include")]
    lines += ["", "struct row {", "    const char *name;", "    size_t bytes;", "};", "#define SIZE(type) { #type, sizeof(type) }",
              '#define AT(type, member) { #type "." #member, offsetof(type, member) }', "static const struct row rows[] = {"]
    for struct in found.structs:
        rows = [f"SIZE({struct.name})", *(f"AT({struct.name}, {one.name})" for one in struct.members)]
        lines += [f"    {', '.join(rows[i:i + 4])}," for i in range(0, len(rows), 4)]
    lines += ["};", "", "/* Size of a struct, or offset of a member. */", "size_t c_layout(const char *name);", "size_t c_layout(const char *name) {",
              "    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)", "        if (strcmp(rows[i].name, name) == 0) return rows[i].bytes;",
              "    return (size_t)-1;", "}"]
    return "\n".join(lines) + "\n"


def layouts_f90(found):
    lines = ["!> Sizes, offsets and defaults of the structs are those of C and of halo_struct_init.", "program layouts", "  use, intrinsic :: iso_c_binding",
             "  use halo", "  implicit none", "  interface", '    function c_layout(name) result(bytes) bind(c, name="c_layout")', "      import :: c_char, c_size_t",
             "      character(kind=c_char), intent(in) :: name(*)", "      integer(c_size_t) :: bytes", "    end function c_layout", "  end interface",
             "  integer :: n_wrong = 0"]
    lines += [f"  call {struct.name}_layout()" for struct in found.structs]
    lines += ['  if (n_wrong > 0) error stop "layouts differ"', '  print "(a)", "all layouts are those of C"', "contains"]
    lines += """  subroutine same(name, bytes)
    character(*), intent(in) :: name
    integer(c_size_t), intent(in) :: bytes
    if (c_layout(name // c_null_char) == bytes) return
    n_wrong = n_wrong + 1
    print "(2a,2(1x,i0))", name, ": in C and in Fortran", c_layout(name // c_null_char), bytes
  end subroutine same
  function from(start, member) result(bytes)
    type(c_ptr), intent(in) :: start, member
    integer(c_size_t) :: bytes
    bytes = transfer(member, 0_c_size_t) - transfer(start, 0_c_size_t)
  end function from
  subroutine same_bytes(name, one, other, bytes)
    character(*), intent(in) :: name
    type(c_ptr), intent(in) :: one, other
    integer(c_size_t), intent(in) :: bytes
    integer(c_int8_t), pointer :: a(:), b(:)
    call c_f_pointer(one, a, [bytes])
    call c_f_pointer(other, b, [bytes])
    if (all(a == b)) return
    n_wrong = n_wrong + 1
    print "(2a)", name, ": its defaults are not those of halo_struct_init"
  end subroutine same_bytes""".split("\n")
    for struct in found.structs:
        name = fortran_name(struct.name)
        grows = struct.grows
        lines += [f"  subroutine {struct.name}_layout()", f"    type({name}), target :: {'x, y' if grows else 'x'}", f'    call same("{struct.name}", c_sizeof(x))']
        lines += [f'    call same("{struct.name}.{one.name}", from(c_loc(x), c_loc(x%{one.name})))' for one in struct.members]
        if grows:
            zero = "integer(c_int8_t), pointer :: bytes(:)"
            lines[-len(struct.members) - 2] = f"    type({name}), target :: x, y\n    {zero}"
            lines += ["    call c_f_pointer(c_loc(y), bytes, [c_sizeof(y)])", "    bytes = 127_c_int8_t", "    call halo_struct_init(y)",
                      f'    call same_bytes("{struct.name}", c_loc(x), c_loc(y), c_sizeof(x))']
        lines.append(f"  end subroutine {struct.name}_layout")
    return HEAD + text_of([*lines, "end program layouts"])


def written(found):
    module = Module(found, fortran_name, base_type, KINDS)
    return {HERE / "halo_types.f90": types_module(found), HERE / "halo_c.f90": HEAD + text_of(module.c_module()),
            HERE / "halo.f90": HEAD + text_of(module.lines()), HERE / "halo_arrays.inc": HEAD + text_of(arrays.lines()),
            TESTS / "layouts.c": layouts_c(found), TESTS / "layouts.f90": layouts_f90(found)}


def errors(found, files):
    found_errors = [f"{path.relative_to(ROOT)}: not what generate.py writes" for path, text in files.items() if not path.exists() or path.read_text() != text]
    modules = "".join(path.read_text() for path in [HERE / "halo.f90", HERE / "halo_by_hand.inc"])
    tests = "".join(path.read_text() for path in [*TESTS.glob("*.f90"), *(ROOT / "examples/fortran").glob("*.f90")])
    of_mpi = re.findall(r"^static inline \w+ (\w+)\(", (ROOT / "include/halo_mpi.h").read_text(), flags=re.M)
    found_errors += [f"{name}: is excluded, but there is no such function" for name in EXCLUDED if name not in of_mpi]
    found_errors += [f"{name}: no procedure {twin}" for name, twin in EXCLUDED.items() if f"subroutine {twin}(" not in modules]
    if len(EXCLUDED) > 5:
        found_errors.append(f"{len(EXCLUDED)} functions are excluded")
    for name in [one[0] for one in found.functions] + found.inline + of_mpi:
        if name in EXCLUDED:
            continue
        if not re.search(rf"^ *(interface|pure function|function|subroutine|impure elemental subroutine) {name}\b", modules, flags=re.M):
            found_errors.append(f"{name}: no twin in Fortran")
        elif not re.search(rf"\b{name}\(", tests):
            found_errors.append(f"{name}: no test in tests/fortran calls its twin")
    for path in [*HERE.glob("*.f90"), *HERE.glob("*.inc"), *TESTS.rglob("*.f90"), *(ROOT / "examples/fortran").glob("*.f90")]:
        found_errors += [f"{path.relative_to(ROOT)}:{i}: {len(line)} columns" for i, line in enumerate(path.read_text().split("\n"), 1) if len(line) > 132]
    return found_errors


def main():
    found = c_interface.read()
    files = written(found)
    if "--check" not in sys.argv:
        for path, text in files.items():
            path.write_text(text)
        return 0
    wrong = errors(found, files)
    print("\n".join(wrong))
    print(f"{len(found.functions) + len(found.inline)} functions, {len(found.structs)} structs, {len(found.constants)} constants")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
