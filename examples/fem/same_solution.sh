#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Run the solver in several ways; counts of nodes and iterations and the digests of the solutions must be the same.
# usage: same_solution.sh FEM WAY... -- ARGUMENTS...
set -euo pipefail
source "$(dirname "$0")/../euler/launch.sh"

results_of() { sed -n 's/^  result: //p'; }
compare_ways "$@"
