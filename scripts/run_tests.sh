#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# ctest in a build directory, then the totals. A few tests that fail are run again, alone: those that pass then are named as unsteady.
# usage: run_tests.sh BUILD RESULT.xml [option of ctest...]
set -uo pipefail
build="$1"
result="$PWD/$build/$2"
shift 2
again="${result%.xml}.again.xml"
most_again=5
rm -f "$result" "$again"
if ! ctest --test-dir "$build" --no-tests=error --output-on-failure --timeout 300 -j"$(nproc)" --output-junit "$result" "$@"; then
    n_failed="$(grep -c 'status="fail"' "$result")"
    if [ "$n_failed" -gt 0 ] && [ "$n_failed" -le "$most_again" ]; then # by their names: without the options numbers may be others'
        ctest --test-dir "$build" -R "$("$(dirname "$0")/totals.py" --failed "$result")" --output-on-failure --timeout 300 -j1 --output-junit "$again"
    fi
fi
exec "$(dirname "$0")/totals.py" "$result"
