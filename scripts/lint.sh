#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# clang-tidy over everything that a build directory configured for clang compiles. usage: lint.sh BUILD [pattern of paths]
set -euo pipefail
cd "$(dirname "$0")/.."
build="$1"
pattern="${2:-$PWD/((src|tools|examples|benchmarks)/|tests/(?!abi/))}" # tests/abi: as it was
if run-clang-tidy -quiet -p "$build" -j"$(nproc)" "$pattern" 2>/dev/null | sed 's/\x1b\[[0-9;]*m//g' >"$build/lint.txt"; then
    echo "clang-tidy: clean"
    exit 0
fi
{ grep -E '(warning|error):' "$build/lint.txt" || tail "$build/lint.txt"; } | sort -u | sed -n 1,40p
echo "clang-tidy: findings, in full in $build/lint.txt"
exit 1
