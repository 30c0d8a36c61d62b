#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Install a build, move the tree, and use it; then the build tree as it is. usage: run.sh BUILD
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
build="$(cd "$1" && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

fail() { echo "FAILED: $*"; exit 1; }

cmake --install "$build" --prefix "$work/first" >"$work/install.txt"
mv "$work/first" "$work/moved"
prefix="$work/moved"
grep -rIlE "$build|$work/first" "$prefix" && fail "the installed files above know the build or the first place of the tree"
lib="$(dirname "$(find "$prefix" -name halo.pc -printf '%h\n')")"
export PKG_CONFIG_PATH="$lib/pkgconfig"
read -ra flags < <(pkg-config --cflags --libs halo)

# Fortran, where it was built; the module's sources also compile by themselves.
if pkg-config --exists halo_fortran; then
    read -ra fortran < <(pkg-config --cflags --libs halo_fortran)
    solver="$here/../../examples/guides/uniform.f90"
    mkdir "$work/mod" "$work/module"
    gfortran -J"$work/mod" "$solver" "${fortran[@]}" -Wl,-rpath,"$lib" -o "$work/pc_fortran"
    timeout 60 "$work/pc_fortran" | grep -qx '0 wrong' || fail "Fortran by pkg-config"
    sources="$prefix/share/halo/fortran"
    (cd "$work/module" && gfortran -c "$sources"/halo_{types,c,handles}.f90 "$sources/halo.f90")
    gfortran -I"$work/module" -J"$work/mod" "$solver" "$work"/module/*.o "${flags[@]}" -Wl,-rpath,"$lib" -o "$work/own_module"
    timeout 60 "$work/own_module" | grep -qx '0 wrong' || fail "Fortran by the module's sources"
    cmake -S "$here/fortran" -B "$work/cmake_fortran" -DCMAKE_PREFIX_PATH="$prefix" -DSOLVER="$solver" -DWANTED_VERSION="$(pkg-config --modversion halo)" >"$work/cmake.txt"
    cmake --build "$work/cmake_fortran" >>"$work/cmake.txt" || { cat "$work/cmake.txt"; fail "CMake build in Fortran"; }
    timeout 60 "$work/cmake_fortran/uses_fortran" | grep -qx '0 wrong' || fail "Fortran by CMake"
    echo "works: Fortran by pkg-config, by sources, by CMake"
fi

documents="$prefix/share/doc/halo"
python3 "$here/../../scripts/check_docs.py" --links "$documents" || fail "links of the installed documents"
mkdir "$work/use"
WORK="$work/use" EXAMPLES="$documents/examples" NEEDS_PATH=yes "$here/consume.sh" "$prefix"

cmake -S "$here" -B "$work/tree" -Dhalo_DIR="$build" -DCOMPONENTS="C;CXX" -DLIBRARY=halo >"$work/tree.txt" 2>&1 || { cat "$work/tree.txt"; fail "find_package in the build tree"; }
cmake --build "$work/tree" >>"$work/tree.txt" 2>&1 || { cat "$work/tree.txt"; fail "building on the build tree"; }
"$work/tree/uses_c" | sort | cmp - "$work/use/digests.txt" || fail "a program on the build tree"
echo "works: the build tree"
