#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# One solver run in many ways: same library, same digest. usage: same_digest.sh HALO_DIGEST [launcher...]
set -uo pipefail
digest="$1"
shift
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
wanted=""
failed=0

compare() { # title command...
    local title="$1" output lines
    shift
    if ! output=$(timeout 120 "$@" 2>&1); then
        printf '%s: failed\n%s\n' "$title" "$output"
        failed=1
        return
    fi
    lines=$(grep -E '^(library|digest) ' <<<"$output")
    wanted="${wanted:-$lines}"
    if [[ $(wc -l <<<"$lines") == 2 && "$lines" == "$wanted" ]]; then
        echo "$title: same"
    else
        printf '%s: differs\n%s\n' "$title" "$output"
        failed=1
    fi
}

compare "one process, no launcher" "$digest"
echo "$wanted"
for n in 1 2 3 4 5 8; do compare "$n threads" "$digest" --ranks "$n"; done
HALO_CHECK=1 compare "3 threads, check mode" "$digest" --ranks 3
for policy in "aggregate posted" "aggregate probed" "per_channel posted" "per_channel probed"; do
    HALO_MESSAGES=${policy% *} HALO_RECEIVE=${policy#* } compare "4 threads, $policy" "$digest" --ranks 4
done
for launcher in "$@"; do
    HALO_SHARED_MEMORY_LEAST=0 compare "${launcher##*/} -n 3, shared memory" "$launcher" -n 3 "$digest"
    HALO_SHARED_MEMORY=no compare "${launcher##*/} -n 3, no shared memory" "$launcher" -n 3 "$digest"
    for n in 1 2 3 4; do compare "${launcher##*/} -n $n" "$launcher" -n "$n" "$digest"; done
done
exit $failed
