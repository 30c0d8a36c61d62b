#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every link between the pages of a site leads to a file, the main page is the README, functions side by side lead to their descriptions, and so do
names of the C interface in the prose of chapters and guides; names of guides lead to these.

usage: check_site.py FOLDER
"""
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

from link_site import PROGRAMS, descriptions


def broken_links(folder):
    for page in sorted(folder.glob("*.html")):
        for target in re.findall(r'(?:href|src|data)="([^"#]+)', page.read_text(errors="replace")):
            if not re.match(r"[a-z]+:|//|\$", target) and not (page.parent / unquote(target)).is_file():
                yield f"{page.name}: no such file: {target}"


class Prose(HTMLParser):
    """Text that is neither a link nor code in a block nor a title nor a declaration, whose own name leads nowhere."""

    def __init__(self):
        super().__init__()
        self.opened, self.text = [], []

    def handle_starttag(self, tag, attributes):
        if tag not in ("br", "hr", "img", "input", "link", "meta"):
            self.opened.append((tag, dict(attributes).get("class")))

    def handle_endtag(self, tag):
        while self.opened and self.opened.pop()[0] != tag:
            pass

    def handle_data(self, data):
        if not any(tag in ("a", "head", "pre", "script") or of in ("fragment", "header", "memproto", "memtitle") for tag, of in self.opened):
            self.text.append(data)


def names_without_links(folder):
    names = descriptions(folder)
    if "halo_context_create" not in names:
        yield "no page describes halo_context_create"
    for page in sorted([*folder.glob("group__*.html"), *folder.glob("md_*.html"), folder / "index.html"]):
        text = page.read_text()
        yield from (f"{page.name}: {file} leads to a page about the file" for file in re.findall(r'href="[\w-]+_8md\.html"[^>]*>([^<]*)</a>', text))
        prose = Prose()
        prose.feed(text)
        # Not names of the interface: files (halo_mesh.h), and halo_info as a word, which is the program.
        for name in re.findall(r"(?<![\w./:-])(halo_\w+)(?![\w-]|\.(?:h|hpp)\b)", "\n".join(prose.text)):
            if name in names and name not in PROGRAMS:
                yield f"{page.name}: {name} is no link"


def main():
    folder = Path(sys.argv[1])
    errors = sorted(set([*broken_links(folder), *names_without_links(folder)]))
    if "A first program" not in (folder / "index.html").read_text():
        errors.append("index.html: README is not the main page")
    reference = (folder / "md_docs_reference.html").read_text()
    if "<code>context%create</code>" not in reference or not re.search(r'>halo_context_create\(\)</a>', reference):
        errors.append("md_docs_reference.html: a name in Fortran is not as it was written, or one of C leads nowhere")
    print("\n".join(errors))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
