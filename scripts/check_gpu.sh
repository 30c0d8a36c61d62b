#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# All tests over one vendor's device, and programs once more under the tools that find bad addresses, races and memory that was never written
# (compute-sanitizer): the module's tests, exchanges with recorded launches of ranks that are threads, and of two processes that write into each other's memory.
# For a machine with a GPU; elsewhere every test is skipped, and says why. There is no such tool for HIP and OpenCL: the programs run without.
# usage: check_gpu.sh BUILD [cuda|hip|opencl [tests|tools]]; without the last one: both
# CHECK_WITHOUT_SANITIZER=1 goes without compute-sanitizer for CUDA too. CHECK_TESTS: which tests, as ctest -R has it. CHECK_MODULE_TESTS: which of the
# module's tests run under the tools, as --gtest_filter has it. CHECK_CASES: how many random exchanges.
set -euo pipefail
cd "$(dirname "$0")/.."
build="$(realpath --relative-to=. "$1")"
device="${2:-cuda}"
what="${3:-both}"
[ "$what" = tools ] || scripts/run_tests.sh "$build" "junit-$device.xml" -R "${CHECK_TESTS:-[._]$device(_|\$)}"
[ "$what" = tests ] && exit 0

tools=(none)
if [ "$device" = cuda ] && [ -z "${CHECK_WITHOUT_SANITIZER:-}" ]; then
    command -v compute-sanitizer >/dev/null || { echo "no compute-sanitizer (CUDA's toolkit; CHECK_WITHOUT_SANITIZER=1 goes without)"; exit 1; }
    tools=(memcheck racecheck initcheck)
fi
# Tests ask for memory that there is not, and the like: what calls answer is theirs to look at.
under() { # TOOL: what stands in front of the program
    [ "$1" = none ] || echo "compute-sanitizer --tool $1 --target-processes all --report-api-errors no --error-exitcode 1"
}
output="$(mktemp)"
trap 'rm -f "$output"' EXIT
run() { # TITLE COMMAND...; a program that has found no device exits with 77
    echo "== $1"
    shift
    local status=0
    "$@" >"$output" 2>&1 || status=$?
    if [ $status -eq 0 ] && grep -q 'PASSED' "$output"; then
        grep -E 'SUMMARY|PASSED|SKIPPED|on device' "$output"
    else
        cat "$output"
        [ $status -eq 77 ] || failed=1
    fi
}
export CONFORMANCE_DEVICE="$device" HALO_DEVICE="$device" HALO_DEVICE_GRAPHS=yes CONFORMANCE_CASES="${CHECK_CASES:-12}"
failed=0
for tool in "${tools[@]}"; do
    read -ra prefix <<<"$(under "$tool")"
    run "$tool: the module's tests" "${prefix[@]}" "$build/bin/device_module_tests" --module="$PWD/$build/lib/halo/libhalo_device_$device.so" --gtest_brief=1 \
        --gtest_filter="${CHECK_MODULE_TESTS:-*}"
    CONFORMANCE_STORAGE=device run "$tool: exchanges, recorded launches" "${prefix[@]}" "$build/bin/halo_conformance" --gtest_brief=1 --gtest_filter='*Cases*'
    [ "$tool" = initcheck ] && continue # does not see what another process has written
    CONFORMANCE_STORAGE=shared_device HALO_SHARED_MEMORY_LEAST=0 HALO_PATH=direct run "$tool: two processes, each other's memory" \
        "$build/bin/halo_launch" -n 2 "${prefix[@]}" "$build/bin/halo_conformance" --processes --gtest_brief=1 --gtest_filter='*Cases*:*/Put.*'
done
exit $failed
