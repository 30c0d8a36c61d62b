#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# An installed library is found by pkg-config and by CMake, and used from C and C++: alone, over each module that is there, under each MPI; one binary, one libhalo.so,
# the same digests everywhere. usage: consume.sh PREFIX       WORK: an empty folder; EXAMPLES: that of the installed examples; NEEDS_PATH: PREFIX is no place of the system
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
prefix="$1"
work="${WORK:?}"
rpath=()
pc="$(find "$prefix" -name halo.pc -printf '%h\n' | head -1)"
lib="$(dirname "$pc")"
if [ -n "${NEEDS_PATH:-}" ]; then
    export PKG_CONFIG_PATH="$pc"
    rpath=("-Wl,-rpath,$lib")
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

fail() { echo "FAILED: $*"; exit 1; }
run() { # output file, command...
    local out="$1"
    shift
    timeout 120 "$@" >"$out" 2>&1 || { cat "$out"; fail "$*"; }
}
has() { [ -e "$lib/halo/libhalo_$1.so" ]; }
expect_digests() { # what, command...
    local what="$1"
    shift
    run "$work/out.txt" "$@"
    sort "$work/out.txt" | cmp -s - "$work/digests.txt" || { cat "$work/out.txt"; fail "$what: other digests"; }
    echo "the same digests: $what"
}

# pkg-config
read -ra flags < <(pkg-config --cflags --libs halo)
read -ra private < <(pkg-config --libs --static halo)
[[ " ${private[*]} " != *mpi* ]] || fail "halo.pc names an MPI"
cc -std=c99 "$here/digest.c" "${flags[@]}" "${rpath[@]}" -o "$work/pc_c"
c++ -std=c++20 "$here/uses.cpp" "${flags[@]}" "${rpath[@]}" -o "$work/pc_cxx"
run "$work/alone.txt" "$work/pc_c"
sort "$work/alone.txt" >"$work/digests.txt"
[ "$(sort -u "$work/digests.txt" | wc -l)" -eq 16 ] || fail "not 16 digests"
run "$work/modules.txt" "$work/pc_cxx"

# One binary over everything that is there: HALO_TRANSPORT alone says which.
expect_digests "inproc" env HALO_TRANSPORT=inproc "$work/pc_c"
for transport in shm ucx; do
    if has "transport_$transport"; then expect_digests "4 ranks over $transport, no MPI" env HALO_TRANSPORT=$transport "$prefix/bin/halo_launch" -n 4 --no-prefix "$work/pc_c"; fi
done
if has transport_mpi_openmpi; then expect_digests "3 ranks, Open MPI" env HALO_TRANSPORT=mpi_openmpi mpirun.openmpi --oversubscribe -n 3 "$work/pc_c"; fi
if has transport_mpi_mpich; then expect_digests "3 ranks, MPICH" env HALO_TRANSPORT=mpi_mpich mpirun.mpich -n 3 "$work/pc_c"; fi

# libhalo.a, where it is installed: with the names of libhalo.so and no others
if [ -e "$lib/libhalo.a" ] && [ -e "$lib/libhalo.so" ]; then
    nm -g --defined-only "$lib/libhalo.a" | sed -n 's/.* [A-Za-z] //p' | sort >"$work/static_names.txt"
    nm -D --defined-only "$lib/libhalo.so" | sed -n 's/.* T \([^@]*\).*/\1/p' | sort | diff - "$work/static_names.txt" || fail "names of libhalo.a"
    c++ -std=c++20 -x c++ "$here/uses.cpp" -x none "${flags[@]/-lhalo/-l:libhalo.a}" -o "$work/static_cxx"
    run "$work/out.txt" env HALO_PLUGIN_PATH="$lib/halo" "$work/static_cxx"
    cc "$here/digest.c" "${private[@]/-lhalo/-l:libhalo.a}" -I"$prefix/include" -o "$work/static_c"
    expect_digests "libhalo.a" "$work/static_c"
    if has transport_shm; then
        expect_digests "libhalo.a, 4 ranks over shm" env HALO_PLUGIN_PATH="$lib/halo" HALO_TRANSPORT=shm "$prefix/bin/halo_launch" -n 4 --no-prefix "$work/static_c"
    fi
fi

# CMake: the components, each MPI, and versions that are not there
configure() { # folder, options...
    local folder="$1"
    shift
    cmake -S "$here" -B "$work/$folder" ${NEEDS_PATH:+-DCMAKE_PREFIX_PATH="$prefix"} -DLIBRARY=halo -DWANTED_VERSION="$(pkg-config --modversion halo)" "$@" >"$work/$folder.txt" 2>&1
}
use_cmake() { # folder, options...
    configure "$@" || { cat "$work/$1.txt"; fail "CMake, $1"; }
    cmake --build "$work/$1" >>"$work/$1.txt" 2>&1 || { cat "$work/$1.txt"; fail "CMake build, $1"; }
}
use_cmake plain -DCOMPONENTS="C;CXX"
expect_digests "CMake" "$work/plain/uses_c"
run "$work/out.txt" "$work/plain/uses_cxx"
grep -q 'ranks: 1' "$work/out.txt" || fail "C++ by CMake"
if [ -e "$lib/libhalo.a" ] && [ -e "$lib/libhalo.so" ]; then
    use_cmake static -DCOMPONENTS=C -DLIBRARY=halo_static
    expect_digests "libhalo.a by CMake" "$work/static/uses_c"
    if ldd "$work/static/uses_c" | grep -q libhalo; then fail "halo::halo_static is libhalo.so"; fi
fi
for mpi in openmpi mpich; do
    has "transport_mpi_$mpi" || continue
    use_cmake $mpi -DCOMPONENTS="C;MPI" -DMPI_C_COMPILER="mpicc.$mpi"
    oversubscribe=()
    [ $mpi = mpich ] || oversubscribe=(--oversubscribe)
    run "$work/out.txt" mpirun.$mpi "${oversubscribe[@]}" -n 2 "$work/$mpi/uses_mpi"
    [ "$(grep -c 'ranks: 2' "$work/out.txt")" -eq 2 ] || { cat "$work/out.txt"; fail "halo::mpi with $mpi"; }
    echo "works: halo::mpi with $mpi"
done
if configure newer -DCOMPONENTS=C -DWANTED_VERSION=99.0; then fail "find_package(halo 99.0) was satisfied"; fi
if configure unknown -DCOMPONENTS=Cobol; then fail "a component that is not there was found"; fi

# Installed programs of guides
cc -std=gnu99 "$EXAMPLES/guides/uniform.c" "${flags[@]}" "${rpath[@]}" -o "$work/guide_c"
c++ -std=c++20 "$EXAMPLES/guides/uniform.cpp" "${flags[@]}" "${rpath[@]}" -o "$work/guide_cxx"
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
run "$work/out.txt" "$prefix/bin/halo_info"
