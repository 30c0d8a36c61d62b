#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Run the solver before and after in several ways: the same cells, bit for bit. usage: same_cells.sh AFTER [LAUNCHER BEFORE]...
set -uo pipefail
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
export OMPI_MCA_mpi_yield_when_idle=1
after="$1"
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0
n_runs=0
bytes=$((26 * 21 * 17 * 3 * 8))

compare() { # title command...
    local title="$1" file="$folder/$n_runs"
    shift
    n_runs=$((n_runs + 1))
    if timeout 120 "$@" "$file" && [ "$(stat -c %s "$file")" = "$bytes" ] && cmp "$folder/0" "$file"; then
        echo "$title: same"
    else
        echo "$title: FAILED"
        failed=1
    fi
}

compare "after, no launcher" "$after"
while [ $# -ge 2 ]; do
    for n in 1 2 4 8; do
        compare "before, ${1##*/} -n $n" "$1" -n "$n" "$2"
        compare "after, ${1##*/} -n $n" "$1" -n "$n" "$after"
    done
    shift 2
done
exit $failed
