#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Pages show programs and pieces of programs that are tested, the commands in them are there, links between documents lead somewhere, pictures are drawn from the present tables, the error texts that are
explained are those of the source, each failure that other ranks or the order of calls bring about is explained, one version stands everywhere, and the recipe
for Spack sets what CMake's files know.

usage: check_docs.py [root]; check_docs.py --links FOLDER: the links alone, of installed documents
"""
import ast
import hashlib
import re
import sys
from pathlib import Path


def program_errors(root):
    """A page that says which program it shows has it word for word, without its first line; README and the guides show theirs. Guides' C++ programs are named."""
    errors, shown = [], set()
    for page in pages(root):
        for name, code in re.findall(r"This is `(examples/[^`]+)`\.\n\n```(?:c|cpp|fortran|python|toml)\n(.*?)```", page.read_text(), flags=re.S):
            shown.add(root / name)
            if code != (root / name).read_text().split("\n", 1)[1]:
                errors.append(f"{page.relative_to(root)}: the program is not {name} without its first line")
    for program in [root / "examples/first/first.c", *(root / "examples/guides").glob("*.c"), *(root / "examples/guides").glob("*.f90"), *(root / "examples/python").glob("*.py")]:
        if program not in shown and not program.stem.startswith("pieces_"):
            errors.append(f"{program.relative_to(root)}: no page shows it")
    named = "".join(page.read_text() for page in pages(root))
    errors += [f"{name}: no page names it" for name in sorted(f"examples/guides/{one.name}" for one in (root / "examples/guides").glob("*.cpp") if not one.stem.startswith("pieces_")) if name not in named]
    return errors


SUFFIXES = {"c": ("c", "h"), "cpp": ("cpp", "h"), "fortran": ("f90",), "python": ("py",), "toml": ("toml",)}


def stripped(text):
    return [line.strip() for line in text.strip("\n").split("\n")]


def piece_errors(root):
    """What pages show of C, C++, Fortran or Python besides whole programs stands line for line in a program of examples/, which is compiled and run."""
    programs = {suffix: [stripped(path.read_text()) for path in sorted((root / "examples").rglob(f"*.{suffix}"))] for some in SUFFIXES.values() for suffix in some}
    for page in pages(root):
        text = page.read_text()
        for found in re.finditer(r"^```([^\n]*)\n(.*?)^```", text, flags=re.S | re.M):
            language, lines, where = found[1], stripped(found[2]), f"{page.relative_to(root)}: the block that begins '{found[2].split(chr(10))[0].strip()}'"
            before = text[:found.start()].rstrip()
            if language not in SUFFIXES and not before.endswith("It prints"):
                yield f"{where}: of which language is it, or what prints it?"
            elif language in SUFFIXES and not re.search(r"This is `examples/[^`]+`\.$", before):
                shown = any(lines == program[i:i + len(lines)] for suffix in SUFFIXES[language] for program in programs[suffix] for i in range(len(program)))
                if not shown:
                    yield f"{where}: no program of examples/ has it line for line"
        for line in re.findall(r"^    .*\bhalo_\w+\(.*\);.*$", re.sub(r"^```.*?^```", "", text, flags=re.S | re.M), flags=re.M):
            yield f"{page.relative_to(root)}: C that is in no ```c block: {line.strip()}"


def known_programs(root):
    """Names of what is built or shown, and the text that says which options it has."""
    texts = {name: (root / f"docs/man/{name}.1").read_text().replace("\\-", "-") for name in ("halo_launch", "halo_info") if (root / f"docs/man/{name}.1").exists()}
    shared = "".join(path.read_text() for path in sorted((root / "examples/shared").glob("*.h")))
    for build in sorted((root / "examples").glob("*/CMakeLists.txt")):
        sources = shared + "".join(path.read_text() for path in sorted(build.parent.glob("*.[ch]*")))
        texts.update({name: sources for name in re.findall(r"add_executable\((\w+)", build.read_text())})
    texts.update({path.name: path.read_text() for path in (root / "examples").rglob("*.py")})
    return texts


# Programs of others, and those of the reader.
FOREIGN = {"cmake", "cc", "gfortran", "pip", "spack", "python", "solver", "first", "mpirun", "mpirun.openmpi", "srun", "export", "make", "ctest", "cpack"}


def command_errors(root):
    """Commands in pages: targets of make, settings, programs and their options are there."""
    programs = known_programs(root)
    makefile = (root / "Makefile").read_text() if (root / "Makefile").exists() else ""
    targets = set(re.findall(r"^([\w-]+):", makefile, flags=re.M))
    table = root / "src/core/base/setting_table.cpp"
    settings = {name.replace(".", "_") for name in re.findall(r'\{ "([\w.]+)"', table.read_text())} if table.exists() else None
    starters = "|".join(map(re.escape, sorted(FOREIGN | programs.keys(), key=len, reverse=True)))
    for page in pages(root):
        prose = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.S | re.M)
        for line in re.findall(rf"^    (?:\$ )?((?:[A-Z_]+=\S+ )*(?:\./)?(?:{starters})(?: .*)?)$", prose, flags=re.M):
            where = f"{page.relative_to(root)}: {line.strip()}"
            command = re.sub(r"\s+# .*| {3,}[^-\s].*", "", line)
            for name in re.findall(r"\bHALO_([A-Z_]+)=", command):
                if settings is not None and name.lower() not in settings:
                    yield f"{where}: there is no setting {name.lower()}"
            words = [word.removeprefix("./") for word in re.sub(r'"[^"]*"|\$\([^)]*\)', "x", command).split() if "=" not in word or word.startswith("-")]
            if words[0] == "make":
                yield from (f"{where}: the Makefile has no target {word}" for word in words[1:] if word not in targets)
            elif words[0] not in programs and words[0] not in FOREIGN:
                yield f"{where}: there is no program {words[0]}"
            run = [word for word in words if word in programs]
            options = [word for word in words if re.match(r"--[a-z]", word)]
            if run and words[0] not in ("cmake", "pip", "spack"):
                yield from (f"{where}: {' and '.join(run)}: no option {option}" for option in options if not any(option in programs[name] for name in run))


def picture_errors(root):
    """Pictures that are drawn from tables say from which; draw.py writes the digest into them."""
    folder = root / "docs/pictures"
    errors = []
    for picture in sorted(folder.glob("*.svg")):
        found = re.search(r"(\w+\.txt), sha256 ([0-9a-f]{64})", picture.read_text())
        if not found:
            errors.append(f"{picture.relative_to(root)}: does not say what it is drawn from")
        elif hashlib.sha256((folder / found[1]).read_bytes()).hexdigest() != found[2]:
            errors.append(f"{picture.relative_to(root)}: not drawn from the present {found[1]}: make pictures")
    return errors


def pages(root):
    return [*root.glob("*.md"), *(root / "docs").rglob("*.md"), *(root / "examples").rglob("*.md")]


def link_errors(root):
    errors = []
    for page in pages(root):
        prose = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.S | re.M)
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", prose):
            if "://" not in target and not (page.parent / target).resolve().is_relative_to(root):
                errors.append(f"{page.relative_to(root)}: leads out of the tree: {target}")
            elif "://" not in target and not (page.parent / target).exists():
                errors.append(f"{page.relative_to(root)}: no such file: {target}")
    return errors


EXPLAINED = "PEER|MISMATCH|STATE"  # HALO_ERR_...; and HALO_TIMEOUT

# Texts that need no row, and why.
UNEXPLAINED = {
    "...: ... is illegal: the batch is ...": "tells the state, as that of exchanges does",
    "field ...: ... while a batch uses it": "tells what to do: end the batch",
    "field ...: another batch that is not ended ...": "names the field; two batches overlap",
    "field ...: its ghosts are in flight for another batch that is not ready": "the same",
    "field ...: marked dirty while ... are pending: read it before": "says what to do",
    "field ...: marked fresh while what was pending is on its way to the owners: begin the batch that has timed out again": "says what to do",
    "field ...: its layout has changed since it was used on the device, where part ... has storage of the old one": "says it all",
    "reduction ...: nothing is under way": "out of order, as with exchanges",
    "reduction ...: begun and not ended": "the same",
    "setting '...' is fixed when a context is created; it is '...'": "says it all",
    "... is illegal: group ..., run ... is ...": "tells the state, as that of exchanges does",
    "group: ... is in a group already": "says it all",
    "...: group ... sends one message per channel: use the calls of its channels": "says what to do",
    "... is illegal in the state ... (...": "tells the state of the channel",
    "send_bytes is illegal without `varies`: ...": "says it all",
    "set_buffer: the channel's buffers are not the caller's: ...": "says it all",
    "channel ... has no buffer of the caller's yet: halo_channel_set_buffer": "says what to do",
    "...: a collective before this one has not ended": "of a callback that swallows a failure",
    "... exchanges, aggregated groups and reductions exist in this context, and that is the most: destroy some": "says what to do",
    "...: post or start is illegal: a run is in flight": "tells the state",
    "...: prepare is illegal: a run is in flight": "tells the state",
    "...: unpack is illegal before test says done...": "tells the order",
    "...: refine is illegal before unpack": "tells the order",
    "...: finish is illegal: nothing has been sent": "tells the order",
    "...: arrivals are known when test says done": "tells the order",
    "...: nothing is in flight to be abandoned": "tells the state",
    "edit: the topology was not made with `editable`": "says it all",
    "sharers: a topology made from lists knows who else has a point only where `sharers` asked for it": "says it all",
    "sections: ...": "names ranks and numbers: the sections of two ranks do not fit",
    "field ...: channel from part ... to part ...: its map of points ...": "names field and parts",
    "...: rank ... sends ... bytes, rank ... expects ...": "behind `the collectives of this context have ended`",
    "reduction ..., run ... of ... values: rank ... is in ...": "that of exchanges, on the other side",
    "group: ": "a list of differences, each with channel, ranks and sizes",
}

# Quotations that stand for several texts of the source: how many.
SEVERAL = {
    "message from rank ...": 5,
    "an exchange is in flight": 3,
    "has been destroyed": 2,
    "exceeds": 9,
    "timed out after ... s: ": 4,
    "no transport can connect the ranks": 2,
    "rendezvous ... cannot be reached: ...": 2,
    "/proc/self/fd/": 2,
    "memory of process": 2,
    "cannot be used:": 3,
    "another rank has given it up": 2,
    "no setting '...'": 2,
    "which had not ended": 4,
    "has no part in run ...": 2,
    "create their exchanges, groups and reductions in different order": 3,
}

# Quotations that the source puts together.
COMPOSED = {
    "settings must agree on all ranks: ...": ["settings", "... must agree on all ranks: ..."],
    "what a batch needs must agree on all ranks: ...": ["what a batch needs", "... must agree on all ranks: ..."],
    "; first cause, on rank ...: ...": ["...; first cause, on rank ...: ...: ..."],
}


def joined(text):
    """String literals that stand side by side, with `...` for what is printed into them."""
    plain = "".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', text))
    return re.sub(r"%[-+ #0-9.*]*(?:ll|z|t)?[a-z]", "...", plain)


LITERALS = r'(?:"(?:[^"\\\n]|\\.)*"\s*)+'


def sources(root):
    for source in [one for folder in ("src", "tools/launch") for suffix in ("cpp", "h") for one in (root / folder).rglob(f"*.{suffix}")]:
        yield source, re.sub(r'("(?:[^"\\\n]|\\.)*")|//[^\n]*', lambda found: found.group(1) or "", source.read_text())


def pattern(quoted):
    """`...` stands for anything, also at both ends."""
    return re.compile(".*".join(re.escape(part.strip()) for part in quoted.split("...")))


def literals(root):
    return {joined(text) for _, source in sources(root) for text in re.findall(LITERALS, source)}


def failures(root):
    """The texts of failures that have to be explained, with their files."""
    made = rf"\b(?:fail|fail_after|end|Error)\(\s*HALO_(?:ERR_(?:{EXPLAINED})|TIMEOUT),\s*(?:format\(\s*)?({LITERALS})"
    return [(source.relative_to(root), joined(text)) for source, content in sources(root) for text in re.findall(made, content)]


def quotation_error(quoted, known):
    if quoted in COMPOSED:
        missing = [part for part in COMPOSED[quoted] if part not in known]
        return f"no text in src is '{missing[0]}', of '{quoted}'" if missing else None
    found = sorted(text for text in known if pattern(quoted).search(text))
    if not found:
        return f"no text in src has '{quoted}'"
    wanted = SEVERAL.get(quoted, 1)
    return f"{len(found)} texts in src have '{quoted}', not {wanted}: {found}" if len(found) != wanted else None


def text_errors(root):
    """The first column of each table quotes texts, with `...` for what varies: of one message of the source each."""
    page = root / "docs/when-something-goes-wrong.md"
    known = literals(root)
    quotations = [text for cell in re.findall(r"^\| ([^|]*) \|", page.read_text(), flags=re.M) for text in re.findall(r"`([^`]+)`", cell)]
    errors = [error for error in (quotation_error(quoted, known) for quoted in quotations) if error]
    explained = [pattern(quoted) for quoted in quotations]
    excepted = [pattern(text) for text in UNEXPLAINED]
    for source, text in failures(root):
        if not any(one.search(text) for one in explained) and not any(one.fullmatch(text.strip()) for one in excepted):
            errors.append(f"no row explains '{text}' of {source}")
    return [f"{page.relative_to(root)}: {error}" for error in errors]


RECIPE = "packaging/spack/spack_repo/libhalo/packages/libhalo/package.py"


def recipe_errors(root):
    """The recipe for Spack is Python, and what it sets is known to CMake; Spack itself is in no registry that tests can reach."""
    if not (root / RECIPE).exists():
        return []
    text = (root / RECIPE).read_text()
    try:
        ast.parse(text)
    except SyntaxError as error:
        return [f"{RECIPE}: {error}"]
    known = "".join(one.read_text() for one in [*root.glob("cmake/*.cmake"), root / "CMakeLists.txt", *root.glob("src/backends/**/CMakeLists.txt")])
    options = set(re.findall(r"(?:option|set)\((\w+)", known))
    packages = set(re.findall(r"find_package\((\w+)", known))
    named = re.findall(r'self\.define(?:_from_variant)?\("(\w+)"', text)
    return [f"{RECIPE}: {name} is no option of CMake's files" for name in named
            if name.removeprefix("CMAKE_DISABLE_FIND_PACKAGE_") not in options | packages | {"BUILD_TESTING"}]


def version_errors(root):
    cmake = re.search(r"project\(halo VERSION (\d+)\.(\d+)\.(\d+)", (root / "CMakeLists.txt").read_text()).groups()
    header = re.findall(r"#define HALO_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", (root / "include/halo.h").read_text())
    nodes = re.findall(r"^HALO_(\d+)\.(\d+) \{", (root / "src/core/halo.map").read_text(), flags=re.M)
    errors = [] if list(cmake) == header else [f"halo.h is version {'.'.join(header)}, CMakeLists.txt {'.'.join(cmake)}"]
    if max((tuple(map(int, node)) for node in nodes), default=None) != tuple(map(int, cmake[:2])):
        errors.append("the last node of halo.map is not of this version")
    for name, mark in (("CITATION.cff", r"^version: (\S+)"), ("CHANGELOG.md", r"^## (\S+)"), (RECIPE, r'^    version\("(\d\S+)"')):
        if (root / name).exists() and re.search(mark, (root / name).read_text(), flags=re.M)[1] != ".".join(cmake):
            errors.append(f"{name}: its latest version is not {'.'.join(cmake)}")
    return errors


def main():
    if sys.argv[1:2] == ["--links"]:
        root = Path(sys.argv[2]).resolve()
        errors = link_errors(root) if (root / "README.md").exists() else [f"{root}: no README.md"]
        print("\n".join(errors))
        return 1 if errors else 0
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    errors = [*program_errors(root), *piece_errors(root), *command_errors(root), *link_errors(root), *picture_errors(root), *text_errors(root),
              *version_errors(root), *recipe_errors(root)]
    print("\n".join(errors))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
