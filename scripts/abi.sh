#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The library's binary interface against the dump in abi/, one per version (docs/abi.md).
# usage: abi.sh check|dump BUILD       `dump` never overwrites the dump of a released version
set -euo pipefail
cd "$(dirname "$0")/.."
build="$2"
version="$(sed -nE 's/^project\(halo VERSION ([0-9]+\.[0-9]+).*/\1/p' CMakeLists.txt)"
dump="abi/libhalo-$version.abi"
options=(--headers-dir include --drop-private-types --no-architecture)

write() { abidw "${options[@]}" --no-corpus-path --no-comp-dir-path --short-locs --out-file "$1" "$build/lib/libhalo.so"; }

case "$1" in
check)
    [ -f "$dump" ] || { echo "$dump is missing: make abi-dump"; exit 1; }
    now="$(mktemp)"
    trap 'rm -f "$now"' EXIT
    write "$now"
    abidiff --no-architecture "$dump" "$now"
    ;;
dump)
    if git rev-parse -q --verify "refs/tags/v$version.0" >/dev/null; then
        echo "Version $version is released and its interface frozen: raise the version in CMakeLists.txt and halo.h first." >&2
        exit 1
    fi
    mkdir -p abi
    write "$dump"
    ;;
esac
