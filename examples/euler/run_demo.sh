#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The main job: shock tubes against the exact solution and a blast wave with sparse tracers, on 4 ranks; then the same small runs in
# every way there is, compared bit by bit. usage: run_demo.sh BUILD
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
source "$here/../shared/launch.sh"
build="$(cd "$1" && pwd)"
euler="$build/bin/euler"
results="$build/demo.json" picture="$build/demo.png"
progress=log
[ -t 1 ] && progress=live

way=inproc:4
for choice in mpich:4 openmpi:4; do can_launch "$choice" && way="$choice"; done
echo "== Euler equations on 4 ranks ($way)"
launch "$way" "$euler" --results "$results" "$here"/{sod_coarse,sod_fine,blast}.ini progress="$progress"

echo
echo "== Two small runs in every way: digests of the full final states"
"$here/same_digest.sh" "$euler" alone {inproc,openmpi,mpich}:{1,2,3,4} -- "$here"/{small,walls}.ini

library=$(ldd "$euler" | awk '/libhalo/ { print $3 }')
echo
echo "One libhalo.so served all runs: $(sha256sum "$library" | cut -c1-16)...; it is linked with $(ldd "$library" | grep -c libmpi || true) MPI libraries."
if "$here/../../scripts/with_matplotlib.sh" "$here/draw.py" "$results" "$picture"; then echo "Picture: $picture"; fi
echo "demo: all checks passed"
