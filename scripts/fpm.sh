#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Print where fpm, the Fortran package manager, is: FOLDER/fpm/fpm, where pip puts it the first time. Prints nothing, and says so, where it cannot be had.
# usage: fpm.sh FOLDER
set -euo pipefail
fpm="$1/fpm/fpm"
if [ -x "$fpm" ] || python3 -m pip -q install --root-user-action ignore --retries 1 --no-deps --only-binary :all: --target "$1" fpm==0.12.0 >&2; then
    echo "$fpm"
else
    echo "fpm is left out: pip cannot install it here" >&2
fi
