#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Run a solver on the host, alone, then on a device, alone and in several ways: inproc:N, openmpi:N, mpich:N. The results that it
# prints must be the same. Ends with 77 where there is no such device. usage: same_on_device.sh DEVICE PROGRAM WAY... -- ARGUMENTS...
set -euo pipefail
source "$(dirname "$0")/../launch.sh"
device="$1"
shift

results_of() {
    local output
    output=$(cat)
    [ "$HALO_DEVICE" = host ] || grep -q "on device $HALO_DEVICE" <<<"$output" || return 0
    sed -nE 's/^  (result:|digest of the state) //p' <<<"$output" | xargs
}
arguments=("$@")
while [ "${arguments[1]}" != -- ]; do arguments=("$1" "${arguments[@]:2}"); done
arguments=("$1" "${arguments[@]:2}")

expected=$(HALO_DEVICE=host launch alone "${arguments[@]}" | HALO_DEVICE=host results_of)
printf '  %-10s %s\n' host "$expected"
export HALO_DEVICE="$device"
status=0
output=$(launch alone "${arguments[@]}" 2>&1) || status=$?
if [ "$status" != 0 ]; then echo "$output" && exit "$status"; fi # 77: there is none
found=$(results_of <<<"$output")
printf '  %-10s %s\n' alone "${found:-(no result there)}"
if [ -z "$found" ] || [ "$found" != "$expected" ]; then echo DIFFERENT && exit 1; fi
EXPECTED="$expected" compare_ways "$@"
