#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The library's binary interface against the dump in abi/, one per version (docs/abi.md).
# usage: abi.sh check|dump BUILD       `dump` never overwrites the dump of a released version
set -euo pipefail
cd "$(dirname "$0")/.."
build="$2"
version="$(sed -nE 's/^project\(halo VERSION ([0-9]+\.[0-9]+).*/\1/p' CMakeLists.txt)"
dump="abi/libhalo-$version.abi"

# Types come from the debug information of src/core/capi; a function without it would be compared by name alone.
write() {
    abidw --exported-interfaces-only --headers-dir include --drop-private-types --no-show-locs --type-id-style hash --no-architecture --no-corpus-path --no-comp-dir-path --out-file "$1" "$build/lib/libhalo.so"
    sed -i "s#path='$PWD/#path='#" "$1"
    local names types
    names="$(grep -c '<elf-symbol ' "$1")"
    types="$(grep -c '<function-decl .*elf-symbol-id=' "$1")"
    [ "$names" -eq "$types" ] || { echo "$names functions are exported, the types of $types are known"; exit 1; }
}

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
