#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The unstructured main job: finite elements on three meshes of Gmsh, cut by METIS, on 4 ranks; then the same on one rank and again, compared bit by
# bit. usage: run_demo.sh BUILD
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
source "$here/../shared/launch.sh"
build="$(cd "$1" && pwd)"
meshes="$build/fem"
picture="$build/demo-unstructured.png"
if [ ! -x "$build/bin/fem" ]; then
    echo "examples/fem is not built: it wants libgmsh-dev and libmetis-dev" >&2
    exit 1
fi

echo "== Meshes"
mkdir -p "$meshes"
for mesh in coarse:0.08 medium:0.04 fine:0.018; do
    prefix="$meshes/${mesh%:*}"
    if [ -e "$prefix.done" ] && [ "$prefix.done" -nt "$build/bin/fem_mesh" ]; then
        echo "$prefix: there already"
    else
        "$build/bin/fem_mesh" "$prefix" "${mesh#*:}" 1 4
        touch "$prefix.done"
    fi
done

way=inproc:4
for choice in mpich:4 openmpi:4; do can_launch "$choice" && way="$choice"; done
echo
echo "== Poisson's equation on 4 ranks ($way)"
launch "$way" "$build/bin/fem" --vtk "$meshes/solution" "$meshes"/{coarse,medium,fine}

echo
echo "== Exact sums: one rank, and every way to have four; twice where ranks race"
"$here/../shared/same_result.sh" "$build/bin/fem" alone {inproc,openmpi,mpich}:4 "$way" -- "$meshes"/{coarse,medium,fine}
echo "== Sums by rank: four ranks, several times"
"$here/../shared/same_result.sh" "$build/bin/fem" {inproc,openmpi,mpich}:4 "$way" -- --sums by-rank "$meshes"/{coarse,medium,fine}

echo
echo "VTK: $meshes/solution.pvtu"
if "$here/../../scripts/with_matplotlib.sh" "$here/draw.py" "$meshes/solution" "$picture"; then echo "Picture: $picture"; fi
echo "demo-unstructured: all checks passed"
