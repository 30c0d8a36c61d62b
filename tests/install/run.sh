#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Install a build, move the tree, and use it from C and C++ through pkg-config and through CMake. usage: run.sh BUILD
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
build="$(cd "$1" && pwd)"
first="$here/../../examples/first/first.c"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

fail() { echo "FAILED: $*"; exit 1; }
expect_ring() { # what is run, command...
    local what="$1"
    shift
    timeout 60 "$@" >"$work/out.txt" 2>&1 || { cat "$work/out.txt"; fail "$what"; }
    grep -q '^block 7: left 6, right 0$' "$work/out.txt" || { cat "$work/out.txt"; fail "$what: wrong result"; }
    echo "works: $what"
}

cmake --install "$build" --prefix "$work/first" >"$work/install.txt"
mv "$work/first" "$work/moved"
prefix="$work/moved"
grep -rIlE "$build|$work/first" "$prefix" && fail "the installed files above know the build or the first place of the tree"
pc="$(find "$prefix" -name halo.pc -printf '%h\n')"
lib="$(dirname "$pc")"

export PKG_CONFIG_PATH="$pc"
read -ra flags < <(pkg-config --cflags --libs halo)
read -ra private < <(pkg-config --libs --static halo)
[[ " ${private[*]} " != *mpi* ]] || fail "halo.pc names an MPI"
cc -std=c99 "$first" "${flags[@]}" -Wl,-rpath,"$lib" -o "$work/pc_c"
expect_ring "C by pkg-config" "$work/pc_c"
expect_ring "C under halo_launch" "$prefix/bin/halo_launch" -n 1 --no-prefix "$work/pc_c"
c++ -std=c++20 "$here/uses.cpp" "${flags[@]}" -Wl,-rpath,"$lib" -o "$work/pc_cxx"
timeout 60 "$work/pc_cxx" >"$work/modules.txt" || fail "C++ by pkg-config"

cmake -S "$here" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$prefix" -DFIRST="$first" -DWANTED_VERSION="$(pkg-config --modversion halo)" >"$work/cmake.txt"
cmake --build "$work/cmake" >>"$work/cmake.txt" || { cat "$work/cmake.txt"; fail "CMake build"; }
expect_ring "C by CMake" "$work/cmake/uses_c"
timeout 60 "$work/cmake/uses_cxx" | grep -q 'ranks: 1' || fail "C++ by CMake"
if cmake -S "$here" -B "$work/newer" -DCMAKE_PREFIX_PATH="$prefix" -DFIRST="$first" -DWANTED_VERSION=99.0 >/dev/null 2>&1; then
    fail "find_package(halo 99.0) was satisfied"
fi

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

# Documents: their links hold, and the programs that they show are there.
documents="$prefix/share/doc/halo"
python3 "$here/../../scripts/check_docs.py" --links "$documents" || fail "links of the installed documents"
guides="$documents/examples/guides"
cc -std=gnu99 "$guides/uniform.c" "${flags[@]}" -Wl,-rpath,"$lib" -o "$work/guide_c"
c++ -std=c++20 "$guides/uniform.cpp" "${flags[@]}" -Wl,-rpath,"$lib" -o "$work/guide_cxx"
for guide in "$work"/guide_{c,cxx}; do timeout 60 "$guide" | grep -qx '0 wrong' || fail "a guide's installed program"; done

# Modules are found relative to the library, wherever the tree lies.
grep -qF "modules are looked for in $lib/halo" "$work/modules.txt" || { cat "$work/modules.txt"; fail "modules are not looked for beside the library"; }
for module in "$lib"/halo/libhalo_*.so; do
    [ -e "$module" ] || continue
    name="$(basename "$module" .so)"
    kind="${name#libhalo_}"
    grep -qE "^${kind/_/ }[ ,]" "$work/modules.txt" || { cat "$work/modules.txt"; fail "$name was not found"; }
    echo "found: $name"
done
timeout 60 "$prefix/bin/halo_info" >/dev/null || fail "the installed halo_info"

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
if [ -e "$lib/halo/libhalo_transport_mpi_openmpi.so" ]; then expect_ring "2 ranks, Open MPI" mpirun.openmpi --oversubscribe -n 2 "$work/pc_c"; fi
if [ -e "$lib/halo/libhalo_transport_mpi_mpich.so" ]; then expect_ring "2 ranks, MPICH" mpirun.mpich -n 2 "$work/pc_c"; fi
