#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The lines by which README.md installs: configure, build, install. usage: readme_lines.sh
set -euo pipefail
readme="$(dirname "$0")/../../README.md"
lines="$(sed -n '/^## Install$/,/^## A/s/^    \(cmake .*\)$/\1/p' "$readme")"
[ "$(cut -d' ' -f1-2 <<<"$lines" | tr '\n' ' ')" = "cmake -S cmake --build cmake --install " ] || { echo "other lines under Install in README.md: $lines" >&2; exit 1; }
echo "$lines"
