#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The main job on the sphere: a steady flow on three icosahedral grids, on 4 ranks; the same on one rank and in every other way, compared bit by bit;
# then a wave, drawn. usage: run_demo.sh BUILD
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
source "$here/../shared/launch.sh"
build="$(cd "$1" && pwd)"
cells="$build/shallow-cells"
picture="$build/demo-sphere.png"

way=inproc:4
for choice in mpich:4 openmpi:4; do can_launch "$choice" && way="$choice"; done
echo "== A steady flow for one day on 4 ranks ($way)"
launch "$way" "$build/bin/shallow" 16 32 64

echo
echo "== One rank, and every way to have several"
"$here/../shared/same_result.sh" "$build/bin/shallow" alone {inproc,openmpi,mpich}:2 {inproc,openmpi,mpich}:4 inproc:8 -- 16 32

echo
echo "== A Rossby-Haurwitz wave for three days"
rm -f "$cells"_*.txt
launch "$way" "$build/bin/shallow" --flow wave --days 3 --picture "$cells" 32
if "$here/../../scripts/with_matplotlib.sh" "$here/draw.py" "$cells" "$picture"; then echo "Picture: $picture"; fi
echo "demo-sphere: all checks passed"
