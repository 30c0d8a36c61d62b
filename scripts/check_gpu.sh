#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# All tests over one vendor's device, and once more under the tools that find races and bad addresses in kernels, where they are there (compute-sanitizer).
# For a machine with a GPU; elsewhere every test is skipped, and says why.
# usage: check_gpu.sh BUILD [cuda|hip]
set -euo pipefail
build="$1" # from the root of the tree
device="${2:-cuda}"
cd "$(dirname "$0")/.."
scripts/run_tests.sh "$build" "junit-$device.xml" -R "_$device\$"
command -v compute-sanitizer >/dev/null || { echo "compute-sanitizer: not there"; exit 0; }
for tool in memcheck racecheck initcheck; do
    echo "== $tool"
    compute-sanitizer --tool "$tool" --error-exitcode 1 "$build/bin/device_module_tests" --module="$PWD/$build/lib/halo/libhalo_device_$device.so" \
        --gtest_brief=1 --gtest_filter='*Rows*:Module.*:Ranges.*:Listed.*:NullTest.RandomTables:Accumulate.*:Moves.GhostCases'
done
