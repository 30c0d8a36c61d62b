#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Install what packages.txt lists and the machine lacks. Does nothing, and needs no network, when all is there.
set -euo pipefail
list="$(dirname "$0")/../packages.txt"

rows() { sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$list"; }
installed() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q '^install ok installed'; }

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    echo "This is no Debian system, so nothing is installed. The build goes on with what is there; packages.txt says what it may need." >&2
    exit 0
fi

required=()
optional=()
while read -r name kind; do
    installed "$name" && continue
    if [ "${kind:-}" = optional ]; then optional+=("$name"); else required+=("$name"); fi
done < <(rows)
[ $((${#required[@]} + ${#optional[@]})) -gt 0 ] || exit 0

root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "Missing packages: ${required[*]} ${optional[*]}. Run this as root, or install them by hand (packages.txt)." >&2
        [ ${#required[@]} -eq 0 ] && exit 0
        exit 1
    fi
    root=(sudo)
fi
apt() { "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 "$@" </dev/null >/dev/null; }

echo "Installing: ${required[*]} ${optional[*]}"
apt update || echo "apt-get update failed; trying with the lists that are there" >&2
if apt install -y --no-install-recommends "${required[@]}" "${optional[@]}"; then exit 0; fi

if [ ${#required[@]} -gt 0 ] && ! apt install -y --no-install-recommends "${required[@]}"; then
    echo "These packages are needed and cannot be installed: ${required[*]}" >&2
    exit 1
fi
for name in "${optional[@]}"; do
    apt install -y --no-install-recommends "$name" || echo "Left out: $name; what needs it is skipped ($(grep -m1 "^$name " "$list" | sed 's/.*# *//'))"
done
