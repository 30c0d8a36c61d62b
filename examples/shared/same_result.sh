#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Run a solver in several ways: alone, inproc:N, openmpi:N, mpich:N; the lines "  result: ..." that it prints must be the same.
# usage: same_result.sh PROGRAM WAY... -- ARGUMENTS...
set -euo pipefail
source "$(dirname "$0")/launch.sh"

results_of() { sed -n 's/^  result: //p'; }
compare_ways "$@"
