#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# ctest in a build directory, then the totals. usage: run_tests.sh BUILD RESULT.xml [option of ctest...]
set -uo pipefail
build="$1"
result="$PWD/$build/$2"
shift 2
rm -f "$result"
ctest --test-dir "$build" --no-tests=error --output-on-failure --timeout 300 -j"$(nproc)" --output-junit "$result" "$@"
exec "$(dirname "$0")/totals.py" "$result"
