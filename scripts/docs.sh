#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# API pages from the public headers; any warning of doxygen fails. usage: docs.sh FOLDER
set -euo pipefail
mkdir -p "$1"
out="$(cd "$1" && pwd)"
cd "$(dirname "$0")/.."
{ cat docs/Doxyfile; echo "OUTPUT_DIRECTORY = $out"; } | doxygen - >"$out/log.txt" || { cat "$out/log.txt"; exit 1; }
echo "$out/html/index.html"
