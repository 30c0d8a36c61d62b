#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# cppcheck over all sources; what it may not say is in .cppcheck. usage: cppcheck.sh FOLDER-FOR-ITS-CACHE [file or folder...]
set -euo pipefail
cache="$1"
shift
mkdir -p "$cache"
cache="$(cd "$cache" && pwd)"
top="$(cd "$(dirname "$0")/.." && pwd)"
[ $# -gt 0 ] || { cd "$top"; set -- src tools examples benchmarks tests; }
exec cppcheck -i tests/abi --quiet --error-exitcode=1 -j"$(nproc)" --cppcheck-build-dir="$cache" --inline-suppr --suppressions-list="$top/.cppcheck" \
    --enable=warning,performance,portability --library=googletest -I "$top/include" -I "$top/src/core" "$@"
