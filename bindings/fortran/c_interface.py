# SPDX-License-Identifier: BSD-3-Clause
"""The C interface as pycparser reads it from the headers: constants, structs with their defaults, functions. Values and sizes are those of the C compiler."""
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from pycparser import c_ast, c_parser

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from public_headers import application  # noqa: E402

SIZED = {"int32_t": "int", "int64_t": "long", "uint8_t": "unsigned char", "uint32_t": "unsigned", "uint64_t": "unsigned long", "size_t": "unsigned long",
         "intptr_t": "long"}


@dataclass
class Type:
    """A member's or parameter's type: `name` without stars, `stars` of them; `function`: a pointer to one; `array`: its fixed lengths."""
    name: str
    stars: int = 0
    const: bool = False  # what the innermost pointer points to
    function: bool = False
    array: str = ""


@dataclass
class Named:
    name: str
    type: Type


@dataclass
class Struct:
    name: str
    members: list
    grows: bool
    defaults: dict = field(default_factory=dict)


@dataclass
class Interface:
    constants: list  # (name, Fortran kind, value)
    structs: list
    handles: list
    functions: list  # (name, result Type, [Named])
    inline: list  # macros with arguments, and static inline functions
    callbacks: list  # (name, result Type, [Named]) of the types of functions that the caller gives


def type_of(node):
    stars, array, const = 0, "", False
    while True:
        if isinstance(node, c_ast.PtrDecl):
            stars, node = stars + 1, node.type
        elif isinstance(node, c_ast.ArrayDecl):
            array, node = node.dim.value, node.type
        elif isinstance(node, c_ast.FuncDecl):
            return Type("function", stars, function=True)
        else:
            break
    const = "const" in node.quals
    return Type(" ".join(node.type.names), stars, const, array=array)


def signature(name, node):
    listed = [] if node.args is None else [Named(one.name, type_of(one.type)) for one in node.args.params]
    return name, type_of(node.type), [one for one in listed if one.name]


def parse(headers):
    """The syntax tree of all headers, without the system's."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("stddef.h", "stdint.h"):
            Path(folder, name).write_text("")
        text = "".join(f'#include "{path}"\n' for path in headers)
        command = ["cc", "-E", "-P", "-nostdinc", "-U__GNUC__", "-I", folder, "-x", "c", "-"]
        text = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    types = "".join(f"typedef {sized} {name};\n" for name, sized in SIZED.items())
    return c_parser.CParser().parse(types + text)


def program_output(headers, body):
    """What a C program over the headers prints."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "print.c")
        source.write_text("#include <stdio.h>\n#include <stddef.h>\n" + "".join(f'#include "{path}"\n' for path in headers) + body)
        subprocess.run(["cc", "-std=c11", "-o", f"{folder}/print", str(source)], check=True)
        return subprocess.run([f"{folder}/print"], capture_output=True, text=True, check=True).stdout.split("\n")


def constants(headers, texts):
    """Macros without arguments: kind and value are those that C gives them."""
    names = []
    for text in texts:
        names += [name for name in re.findall(r"^#define (HALO_\w+) ", text, flags=re.M) if not name.endswith("_INIT") and name not in ("HALO_API",)]
    lines = [f'    printf("{name} %s %.17g\\n", KIND({name}), (double){name});' if name not in ("HALO_STREAM_NONE", "HALO_STREAM_DEFAULT")
             else f'    printf("{name} pointer %ld\\n", (long){name});' for name in names]
    body = '#define KIND(x) _Generic((x), int: "int", unsigned: "int", double: "double", default: "?")\nint main(void) {\n' + "\n".join(lines) + "\n    return 0;\n}\n"
    return [tuple(line.split()) for line in program_output(headers, body) if line]


def leaves(struct, structs, prefix=""):
    for member in struct.members:
        name = prefix + member.name
        for element in [name] if not member.type.array else [f"{name}[{i}]" for i in range(int(member.type.array))]:
            if member.type.stars == 0 and member.type.name in structs:
                yield from leaves(structs[member.type.name], structs, element + ".")
            elif member.type.stars == 0 and not member.type.function:
                yield element


def read():
    headers = application(ROOT / "include")
    texts = [path.read_text() for path in headers]
    found = Interface(constants(headers, texts), [], [], [], [], [])
    initialisers = set(re.findall(r"#define (HALO_\w+)_INIT\b", "".join(texts)))
    for node in parse(headers).ext:
        if isinstance(node, c_ast.Typedef) and isinstance(node.type, c_ast.TypeDecl) and isinstance(node.type.type, c_ast.Struct):
            members = node.type.type.decls
            if members is None:
                found.handles.append(node.name)
            else:
                listed = [Named(one.name, type_of(one.type)) for one in members]
                for one in listed:
                    one.type.function = one.type.function or one.type.name in {name for name, _, _ in found.callbacks}
                found.callbacks += [signature(f"{node.name}_{one.name}", one.type.type) for one in members if one.type.__class__ is c_ast.PtrDecl
                                    and isinstance(one.type.type, c_ast.FuncDecl)]
                found.structs.append(Struct(node.name, listed, node.name.upper() in initialisers))
        elif isinstance(node, c_ast.Typedef) and isinstance(node.type, c_ast.PtrDecl) and isinstance(node.type.type, c_ast.FuncDecl):
            found.callbacks.append(signature(node.name, node.type.type))
        elif isinstance(node, c_ast.Decl) and isinstance(node.type, c_ast.FuncDecl):
            found.functions.append(signature(node.name, node.type))
        elif isinstance(node, c_ast.FuncDef):
            found.inline.append(node.decl.name)
    for text in texts:
        found.inline += [name.lower() for name in re.findall(r"^#define (HALO_\w+)\(", text, flags=re.M)]
    read_defaults(headers, found)
    return found


def read_defaults(headers, found):
    """Values of the members that are numbers, as HALO_..._INIT has them, or 0."""
    by_name = {struct.name: struct for struct in found.structs}
    lines = []
    for struct in found.structs:
        value = f"{struct.name.upper()}_INIT" if struct.grows else "{ 0 }"
        lines.append(f"    {{ {struct.name} x = {value};")
        lines += [f'      printf("{struct.name} {leaf} %.17g\\n", (double)x.{leaf});' for leaf in leaves(struct, by_name)]
        lines.append("    }")
    for line in program_output(headers, "int main(void) {\n" + "\n".join(lines) + "\n    return 0;\n}\n"):
        if line:
            name, leaf, value = line.split()
            by_name[name].defaults[leaf] = value
