#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Make a step of check-full, unless it has passed on this very tree: what was interrupted goes on where it was. Pages of figures are not looked at.
# usage: once.sh STEP
set -euo pipefail
cd "$(dirname "$0")/.."
passed="build/passed/$1"

tree() {
    git ls-files -z --cached --others --exclude-standard -- . ':!docs/measurements' | sort -z | while IFS= read -r -d '' file; do
        [ ! -f "$file" ] || sha256sum "$file"
    done | sha256sum | cut -c1-16
}

begun_on="$(tree)"
if [ -f "$passed" ] && read -r there when <"$passed" && [ "$there" = "$begun_on" ]; then
    echo "== $1: passed on this very tree, $when"
    exit
fi
make --no-print-directory "$1"
[ "$(tree)" = "$begun_on" ] || { echo "== $1: the tree has changed meanwhile" >&2; exit 1; }
mkdir -p "$(dirname "$passed")"
echo "$begun_on $(date -u '+%F %T')" >"$passed"
