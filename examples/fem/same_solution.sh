#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Run the solver in several ways; counts of nodes and iterations and the digests of the solutions must be the same.
# usage: same_solution.sh FEM WAY... -- ARGUMENTS...
set -euo pipefail
source "$(dirname "$0")/../euler/launch.sh"

fem="$1"
shift
ways=()
while [ "$1" != -- ]; do ways+=("$1") && shift; done
shift

expected=
failed=0
for way in "${ways[@]}"; do
    if ! can_launch "$way"; then
        printf '  %-10s left out: not installed\n' "$way"
        continue
    fi
    if ! output=$(launch "$way" "$fem" "$@" 2>&1); then
        printf '  %-10s FAIL\n%s\n' "$way" "$output"
        failed=1
        continue
    fi
    results=$(sed -n 's/^  result: //p' <<<"$output")
    : "${expected:=$results}"
    verdict=same
    if [ -z "$results" ] || [ "$results" != "$expected" ]; then verdict=DIFFERENT failed=1; fi
    printf '  %-10s %s   %s\n' "$way" "$(tail -1 <<<"$results")" "$verdict"
done
exit "$failed"
