#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A site of README, docs and the public headers; any warning of doxygen and any link that leads nowhere fails. usage: docs.sh FOLDER
set -euo pipefail
mkdir -p "$1"
out="$(cd "$1" && pwd)"
cd "$(dirname "$0")/.."
rm -rf "$out/html"
{ cat docs/Doxyfile; echo "OUTPUT_DIRECTORY = $out"; echo "USE_MDFILE_AS_MAINPAGE = $PWD/README.md"; } | doxygen - >"$out/log.txt" 2>&1 ||
  { cat "$out/log.txt"; exit 1; }
scripts/link_site.py "$out/html"
scripts/check_site.py "$out/html"
echo "$out/html/index.html"
