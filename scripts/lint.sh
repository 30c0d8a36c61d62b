#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# clang-tidy over everything that the build directory compiles. usage: lint.sh BUILD [pattern of paths]
set -euo pipefail
cd "$(dirname "$0")/.."
build="$1"
pattern="${2:-$PWD/(src|tools|examples|benchmarks|tests)/}"
run-clang-tidy -quiet -p "$build" -j"$(nproc)" "$pattern" 2>/dev/null | grep -vE '^(clang-tidy-|$)' > "$build/lint.txt" || true
if grep -E '(warning|error):' "$build/lint.txt" | sort -u; then
    echo "clang-tidy: findings, in full in $build/lint.txt"
    exit 1
fi
echo "clang-tidy: clean"
