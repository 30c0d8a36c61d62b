#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A tube and a blast wave of a few cells, and their picture. usage: check_picture.sh EULER FOLDER
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
"$1" --inproc 2 --results "$2/results.json" "$here"/{sod_coarse,small}.ini progress=none
rm -f "$2/results.png"
"$here/../../scripts/with_matplotlib.sh" "$here/draw.py" "$2/results.json" "$2/results.png"
[ "$(head -c 4 "$2/results.png" | tail -c 3)" = PNG ]
