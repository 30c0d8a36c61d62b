#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tracers with storage everywhere, with storage that never goes back, and that goes back after one run or several: the same values.
# usage: same_values.sh ADAPTIVE ARGUMENTS...
set -euo pipefail
values=""
for storage in --dense "--release-after 0" "--release-after 1" "--release-after 5"; do
    # shellcheck disable=SC2086
    output=$("$@" $storage)
    found=$(sed -n 's/^  result: \(.*remeshes.*\)/\1/p' <<<"$output")
    : "${values:=$found}"
    printf '%-18s %s\n' "${storage#--}" "$found"
    [ -n "$found" ] && [ "$found" = "$values" ]
done
