#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Names of functions and types of the C interface in the pages of a site lead to their descriptions. Doxygen sees functions only where `()` stands
behind them, which headers and guides do not write. Which names there are, and where, is what the site describes. Code in blocks stays as it is.
Names of guides lead to these: doxygen leads to a page about the file, which is empty.

usage: link_site.py FOLDER
"""
import re
import sys
from pathlib import Path

# A name that is also a program's: as a word it is the program, as a call the function.
PROGRAMS = {page.stem for page in (Path(__file__).resolve().parent.parent / "docs/man").glob("*.1")}
NAME = re.compile(r"(?<![\w./:#%*-])halo_\w+(?![\w/*-]|\.(?:hpp|h|cpp|c|f90)\b)")
NOT_CLOSED = {"br", "hr", "img", "input", "link", "meta"}
LEFT = {"a", "head", "pre", "script", "style", "svg"}  # what has links, or is no prose
LEFT_CLASSES = {"fragment", "header", "memproto", "memtitle", "memItemLeft", "memItemRight", "memTemplParams"}  # code, titles, and declarations


def descriptions(folder):
    """Name: where it is described."""
    found = {}
    for page in sorted([*folder.glob("group__*.html"), *folder.glob("*_8h.html")]):
        title = r'<h2 class="memtitle"><span class="permalink"><a href="(#\w+)">[^<]*</a></span>(halo_\w+)(?:\(\))?</h2>'
        for anchor, name in re.findall(title, page.read_text()):
            found.setdefault(name, page.name + anchor)
    for name in found:  # a struct's page has its members
        page = f"struct{name.replace('_', '__')}.html"
        if (folder / page).is_file():
            found[name] = page
    return found


def linked(text, places):
    """The page with links. What is open is a list of (tag, whether all in it is left as it is)."""
    def link(found):
        name, called = found[0], found.string[found.end():found.end() + 1] == "("
        return f'<a class="el" href="{places[name]}">{name}</a>' if name in places and (called or name not in PROGRAMS) else name

    opened, pieces = [], re.split(r"(<!--.*?-->|<[^>]*>)", text, flags=re.S)
    for at, piece in enumerate(pieces):
        tag = re.match(r"<(/?)(\w+)", piece) if at % 2 else None
        if at % 2 == 0 and not (opened and opened[-1][1]):
            pieces[at] = NAME.sub(link, piece)
        elif tag and tag[1]:
            while opened and opened.pop()[0] != tag[2]:
                pass
        elif tag and tag[2] not in NOT_CLOSED and not piece.endswith("/>"):
            classes = re.search(r'class="([^"]*)"', piece)
            left = tag[2] in LEFT or bool(classes and LEFT_CLASSES & set(classes[1].split()))
            opened.append((tag[2], left or bool(opened and opened[-1][1])))
    return "".join(pieces)


def guides(text, folder):
    """Pages of guides are named after their paths."""
    def lead(found):
        page = f"md_{re.sub('[/-]', '_', found[2])}.html"
        return f'href="{page}"{found[1]}>{found[2]}.md</a>' if (folder / page).is_file() else found[0]

    return re.sub(r'href="[\w-]+_8md\.html"([^>]*)>([\w/-]+)\.md</a>', lead, text)


def main():
    folder = Path(sys.argv[1])
    places = descriptions(folder)
    for page in sorted(folder.glob("*.html")):
        old = page.read_text()
        new = guides(linked(old, places), folder)
        if new != old:
            page.write_text(new)


if __name__ == "__main__":
    main()
