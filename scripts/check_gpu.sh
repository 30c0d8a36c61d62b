#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# All tests over one vendor's device, and those of the module once more under the tools that find bad addresses and memory that was never written
# (compute-sanitizer). For a machine with a GPU; elsewhere every test is skipped, and says why.
# usage: check_gpu.sh BUILD [cuda|hip]; BUILD is a folder of the tree
set -euo pipefail
build="$1" # from the root of the tree
device="${2:-cuda}"
cd "$(dirname "$0")/.."
scripts/run_tests.sh "$build" "junit-$device.xml" -R "_$device\$"
[ "$device" = cuda ] && command -v compute-sanitizer >/dev/null || { echo "compute-sanitizer: not for $device, or not there"; exit 0; }
for tool in memcheck initcheck; do
    echo "== $tool"
    status=0
    compute-sanitizer --tool "$tool" --error-exitcode 1 "$build/bin/device_module_tests" --module="$PWD/$build/lib/halo/libhalo_device_$device.so" \
        --gtest_brief=1 --gtest_filter='Rows.*:Module.*:Ranges.*:Listed.*:NullTest.RandomTables:Accumulate.*:Moves.GhostCases' || status=$?
    [ $status -eq 0 ] || [ $status -eq 77 ] || exit $status # 77: no device
done
