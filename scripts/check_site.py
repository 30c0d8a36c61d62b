#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every link between the pages of a site leads to a file, the main page is the README, and functions side by side lead to their descriptions.

usage: check_site.py FOLDER
"""
import re
import sys
from pathlib import Path
from urllib.parse import unquote


def broken_links(folder):
    for page in sorted(folder.glob("*.html")):
        for target in re.findall(r'(?:href|src|data)="([^"#]+)', page.read_text(errors="replace")):
            if not re.match(r"[a-z]+:|//|\$", target) and not (page.parent / unquote(target)).is_file():
                yield f"{page.name}: no such file: {target}"


def main():
    folder = Path(sys.argv[1])
    errors = sorted(set(broken_links(folder)))
    if "A first program" not in (folder / "index.html").read_text():
        errors.append("index.html: README is not the main page")
    reference = (folder / "md_docs_reference.html").read_text()
    if "<code>context%create</code>" not in reference or not re.search(r'>halo_context_create\(\)</a>', reference):
        errors.append("md_docs_reference.html: a name in Fortran is not as it was written, or one of C leads nowhere")
    print("\n".join(errors))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
