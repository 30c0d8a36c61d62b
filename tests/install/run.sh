#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Install a build, move the tree, and use it; then the build tree as it is. usage: run.sh BUILD
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
build="$(cd "$1" && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

fail() { echo "FAILED: $*"; exit 1; }

ln -s "$build" "$work/build"
install="$("$here/readme_lines.sh" | tail -1)"
(cd "$work" && HOME="$work" && eval "$install") >"$work/install.txt"
mv "$work/halo" "$work/moved"
prefix="$work/moved"
grep -rIlE "$build|$work/halo" "$prefix" && fail "the installed files above know the build or the first place of the tree"
documents="$prefix/share/doc/halo"
python3 "$here/../../scripts/check_docs.py" --links "$documents" || fail "links of the installed documents"
mkdir "$work/use"
FPM="$("$here/../../scripts/fpm.sh" "$build/fpm")"
export FPM PYTHON_PACKAGE="$here/../../bindings/python"
WORK="$work/use" EXAMPLES="$documents/examples" NEEDS_PATH=yes "$here/consume.sh" "$prefix"

cmake -S "$here" -B "$work/tree" -Dhalo_DIR="$build" -DCOMPONENTS="C;CXX" -DLIBRARY=halo >"$work/tree.txt" 2>&1 || { cat "$work/tree.txt"; fail "find_package in the build tree"; }
cmake --build "$work/tree" >>"$work/tree.txt" 2>&1 || { cat "$work/tree.txt"; fail "building on the build tree"; }
"$work/tree/uses_c" | sort | cmp - "$work/use/digests.txt" || fail "a program on the build tree"
if [ -e "$build/haloFortranTargets.cmake" ]; then
    cmake -S "$here/fortran" -B "$work/tree_fortran" -Dhalo_DIR="$build" -DSOLVER="$documents/examples/fpm/app/main.f90" >"$work/tree.txt" 2>&1 || { cat "$work/tree.txt"; fail "Fortran in the build tree"; }
    cmake --build "$work/tree_fortran" >>"$work/tree.txt" 2>&1 || { cat "$work/tree.txt"; fail "building Fortran on the build tree"; }
    "$work/tree_fortran/uses_fortran" | sort | cmp - "$work/use/digests.txt" || fail "a Fortran program on the build tree"
fi
echo "works: the build tree"
