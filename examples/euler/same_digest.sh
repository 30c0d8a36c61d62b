#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Run the solver in several ways and compare the digests of its final states. usage: same_digest.sh EULER WAY... -- PARAMETERS...
set -euo pipefail
source "$(dirname "$0")/../shared/launch.sh"

results_of() { sed -n 's/.*digest of the state //p' | xargs; }
compare_ways "$@" progress=none
