#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Do the targets of the Makefile that show and test configure and build in the same way? Then what one has compiled the next does not compile again.
set -euo pipefail
build_of() { MAKEFLAGS= make --no-print-directory -n "$1" | grep -E '(^|[ /;])(cmake|ninja) '; }

wanted="$(build_of check)"
grep -q -- '--build' <<<"$wanted" || { echo "make check builds nothing: $wanted"; exit 1; }
for target in demo demo-unstructured demo-sphere check-long; do
    found="$(build_of "$target" || true)"
    [ "$found" = "$wanted" ] && continue
    printf 'make %s builds otherwise than make check:\n%s\n--\n%s\n' "$target" "$found" "$wanted"
    exit 1
done
