#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Run the solver in several ways; the digests of its final states must be the same. usage: same_state.sh SHALLOW WAY... -- ARGUMENTS...
set -euo pipefail
source "$(dirname "$0")/../euler/launch.sh"

results_of() { sed -n 's/^  result: //p'; }
compare_ways "$@"
