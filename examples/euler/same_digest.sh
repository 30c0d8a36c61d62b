#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Run the solver in several ways and compare the digests of its final states. usage: same_digest.sh EULER WAY... -- PARAMETERS...
set -euo pipefail
source "$(dirname "$0")/launch.sh"

euler="$1"
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
    if ! output=$(launch "$way" "$euler" "$@" progress=none 2>&1); then
        printf '  %-10s FAIL\n%s\n' "$way" "$output"
        failed=1
        continue
    fi
    digests=$(sed -n 's/.*digest of the state //p' <<<"$output" | xargs)
    : "${expected:=$digests}"
    verdict=same
    if [ -z "$digests" ] || [ "$digests" != "$expected" ]; then verdict=DIFFERENT failed=1; fi
    printf '  %-10s %s   %s\n' "$way" "${digests:-(no digest)}" "$verdict"
done
exit "$failed"
