#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Run a Python program with the first interpreter that has matplotlib; status 77 if none has. usage: with_matplotlib.sh PROGRAM ARGUMENTS...
set -euo pipefail
for python in python3 /usr/bin/python3; do
    if "$python" -c 'import matplotlib' 2>/dev/null; then exec "$python" "$@"; fi
done
echo "no picture: no Python here has matplotlib (python3-matplotlib)" >&2
exit 77
