#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# An installed library, without a network: found by pkg-config, CMake, fpm and Python's package, and used from C, C++, Fortran and Python, alone, without MPI, and under
# each MPI, by one libhalo.so, with the same digests everywhere. usage: consume.sh PREFIX
# WORK: an empty folder; EXAMPLES: that of the installed examples; NEEDS_PATH: PREFIX is no place of the system; FPM: that program; PYTHON_PACKAGE: source of the package
set -euo pipefail
if [ -z "${OFFLINE:-}" ] && unshare --net ip link set lo up 2>/dev/null; then
    OFFLINE=yes exec unshare --net "$0" "$@"
fi
[ -z "${OFFLINE:-}" ] || ip link set lo up 2>/dev/null || true
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
openmpi=(mpirun.openmpi --oversubscribe)
mpich=(mpirun.mpich)
launch=("$prefix/bin/halo_launch" --no-prefix)

fail() { echo "FAILED: $*"; exit 1; }
run() { # output file, command...
    local out="$1"
    shift
    timeout 120 "$@" >"$out" 2>&1 || { cat "$out"; fail "$*"; }
}
has() { [ -e "$lib/halo/libhalo_$1.so" ]; }

# What all ranks of a program print together
digests() { sed 's/block/\n&/g' "$work/out.txt" | sed '/^$/d' | sort | cmp -s - "$work/digests.txt"; } # mpirun may join lines of two ranks
ranks() { [ "$(grep -cx "ranks: $1" "$work/out.txt")" -eq "$1" ]; }
expect() { # digests or ranks, how many ranks, what it is, command...
    run "$work/out.txt" "${@:4}"
    "$1" "$2" || { cat "$work/out.txt"; fail "$3: other $1"; }
    echo "the same $1: $3"
}
expect_everywhere() { # digests or ranks, what it is, command...
    expect "$1" 1 "$2" "${@:3}"
    if has transport_shm; then expect "$1" 4 "$2, 4 ranks without MPI" "${launch[@]}" -n 4 "${@:3}"; fi
    if has transport_mpi_openmpi; then expect "$1" 3 "$2, 3 ranks, Open MPI" "${openmpi[@]}" -n 3 "${@:3}"; fi
    if has transport_mpi_mpich; then expect "$1" 3 "$2, 3 ranks, MPICH" "${mpich[@]}" -n 3 "${@:3}"; fi
}

# C and C++ by pkg-config
read -ra flags < <(pkg-config --cflags --libs halo)
read -ra private < <(pkg-config --libs --static halo)
[[ " ${private[*]} " != *mpi* ]] || fail "halo.pc names an MPI"
cc -std=c99 "$here/digest.c" "${flags[@]}" "${rpath[@]}" -o "$work/pc_c"
c++ -std=c++11 -x c++ "$here/digest.c" -x none "${flags[@]}" "${rpath[@]}" -o "$work/pc_c_as_cxx"
c++ -std=c++20 "$here/uses.cpp" "${flags[@]}" "${rpath[@]}" -o "$work/pc_cxx"
run "$work/alone.txt" "$work/pc_c"
sort "$work/alone.txt" >"$work/digests.txt"
[ "$(sort -u "$work/digests.txt" | wc -l)" -eq 16 ] || fail "not 16 digests"
run "$work/modules.txt" "$work/pc_cxx"
expect_everywhere digests "C" "$work/pc_c"
expect_everywhere digests "C as C++" "$work/pc_c_as_cxx"
expect_everywhere ranks "C++" "$work/pc_cxx"

# One binary over everything that is there: HALO_TRANSPORT alone says which, HALO_TRANSPORT_BESIDES what there is beside it.
over() { # settings, how many ranks, launcher...
    local settings
    read -ra settings <<<"$1"
    expect digests "$2" "$1, ranks: $2 $(basename "${3:-}")" env "${settings[@]}" "${@:3}" "$work/pc_c"
}
over HALO_TRANSPORT=inproc 1
for transport in shm ucx; do
    has "transport_$transport" || continue
    over HALO_TRANSPORT=$transport 4 "${launch[@]}" -n 4
    if has bootstrap_pmix; then over HALO_TRANSPORT=$transport 3 "${openmpi[@]}" -n 3; fi
done
for mpi in openmpi mpich; do
    has "transport_mpi_$mpi" || continue
    declare -n launcher=$mpi
    over HALO_TRANSPORT=mpi_$mpi 3 "${launcher[@]}" -n 3
    for beside in shm ucx; do
        if has "transport_$beside"; then over HALO_TRANSPORT_BESIDES=$beside 3 "${launcher[@]}" -n 3; fi
    done
done
if has transport_shm && has transport_ucx; then over "HALO_TRANSPORT=ucx HALO_TRANSPORT_BESIDES=shm" 4 "${launch[@]}" -n 4; fi

# libhalo.a, where it is installed: with the names of libhalo.so and no others
if [ -e "$lib/libhalo.a" ] && [ -e "$lib/libhalo.so" ]; then
    nm -g --defined-only "$lib/libhalo.a" | sed -n 's/.* [A-Za-z] //p' | sort >"$work/static_names.txt"
    nm -D --defined-only "$lib/libhalo.so" | sed -n 's/.* T \([^@]*\).*/\1/p' | sort | diff - "$work/static_names.txt" || fail "names of libhalo.a"
    c++ -std=c++20 -x c++ "$here/uses.cpp" -x none "${flags[@]/-lhalo/-l:libhalo.a}" -o "$work/static_cxx"
    expect ranks 1 "libhalo.a, C++" env HALO_PLUGIN_PATH="$lib/halo" "$work/static_cxx"
    cc "$here/digest.c" "${private[@]/-lhalo/-l:libhalo.a}" -I"$prefix/include" -o "$work/static_c"
    expect_everywhere digests "libhalo.a" env HALO_PLUGIN_PATH="$lib/halo" "$work/static_c"
fi

# CMake: the components, each MPI, and versions that are not there
configure() { # source, folder, options...
    cmake -S "$1" -B "$work/$2" ${NEEDS_PATH:+-DCMAKE_PREFIX_PATH="$prefix"} -DLIBRARY=halo -DWANTED_VERSION="$(pkg-config --modversion halo)" "${@:3}" >"$work/$2.txt" 2>&1
}
use_cmake() { # source, folder, options...
    configure "$@" || { cat "$work/$2.txt"; fail "CMake, $2"; }
    cmake --build "$work/$2" >>"$work/$2.txt" 2>&1 || { cat "$work/$2.txt"; fail "CMake build, $2"; }
}
use_cmake "$here" plain -DCOMPONENTS="C;CXX"
expect_everywhere digests "C by CMake" "$work/plain/uses_c"
expect_everywhere ranks "C++ by CMake" "$work/plain/uses_cxx"
if [ -e "$lib/libhalo.a" ] && [ -e "$lib/libhalo.so" ]; then
    use_cmake "$here" static -DCOMPONENTS=C -DLIBRARY=halo_static
    expect digests 1 "libhalo.a by CMake" "$work/static/uses_c"
    if ldd "$work/static/uses_c" | grep -q libhalo; then fail "halo::halo_static is libhalo.so"; fi
fi
for mpi in openmpi mpich; do
    has "transport_mpi_$mpi" || continue
    declare -n launcher=$mpi
    use_cmake "$here" $mpi -DCOMPONENTS="C;MPI" -DMPI_C_COMPILER="mpicc.$mpi"
    expect ranks 2 "halo::mpi with $mpi" "${launcher[@]}" -n 2 "$work/$mpi/uses_mpi"
    "mpicc.$mpi" "$here/uses_mpi.c" "${flags[@]}" "${rpath[@]}" -o "$work/pc_$mpi"
    expect ranks 2 "halo_mpi.h by pkg-config with $mpi" "${launcher[@]}" -n 2 "$work/pc_$mpi"
done
if configure "$here" newer -DCOMPONENTS=C -DWANTED_VERSION=99.0; then fail "find_package(halo 99.0) was satisfied"; fi
if configure "$here" unknown -DCOMPONENTS=Cobol; then fail "a component that is not there was found"; fi

# Fortran, where it is installed: by pkg-config, CMake and fpm, and with a module that this compiler makes of its sources
if pkg-config --exists halo_fortran; then
    program="$EXAMPLES/fpm/app/main.f90"
    read -ra fortran < <(pkg-config --cflags --libs halo_fortran)
    mkdir "$work/mod" "$work/module"
    gfortran -J"$work/mod" "$program" "${fortran[@]}" "${rpath[@]}" -o "$work/pc_fortran"
    expect_everywhere digests "Fortran" "$work/pc_fortran"
    sources="$prefix/share/halo/fortran"
    (cd "$work/module" && gfortran -c "$sources"/halo_{types,c,handles}.f90 "$sources/halo.f90")
    gfortran -I"$work/module" -J"$work/mod" "$program" "$work"/module/*.o "${flags[@]}" "${rpath[@]}" -o "$work/own_module"
    expect digests 1 "Fortran by the module's sources" "$work/own_module"
    use_cmake "$here/fortran" cmake_fortran -DSOLVER="$program"
    expect_everywhere digests "Fortran by CMake" "$work/cmake_fortran/uses_fortran"
    if [ -n "${FPM:-}" ]; then
        cp -r "$EXAMPLES/fpm" "$work/fpm"
        (cd "$work/fpm" && run "$work/fpm.txt" "$FPM" install --prefix "$work/fpm_prefix" --flag "$(pkg-config --cflags halo_fortran)" \
            --link-flag "$(pkg-config --libs-only-L halo_fortran) ${rpath[*]}")
        expect_everywhere digests "Fortran by fpm" "$work/fpm_prefix/bin/mean"
    else
        echo "left out: fpm"
    fi
fi

# Python, where there is a libhalo.so
if [ -n "${PYTHON_PACKAGE:-}" ] && [ -e "$lib/libhalo.so" ]; then
    for candidate in python3 /usr/bin/python3; do
        if "$candidate" -W ignore -c "import cffi, numpy, setuptools, pip, wheel" 2>/dev/null; then python="$candidate"; fi
    done
    if [ -n "${python:-}" ]; then
        cp -r "$PYTHON_PACKAGE" "$work/python_source" # pip leaves files in it
        run "$work/pip.txt" "$python" -W ignore -m pip -q install --no-index --no-deps --no-build-isolation --target "$work/python" "$work/python_source"
        expect_everywhere digests "Python" env PYTHONPATH="$work/python" ${NEEDS_PATH:+LD_LIBRARY_PATH="$lib"} "$python" "$here/digest.py"
    else
        echo "left out: Python, which wants cffi, numpy, setuptools, pip and wheel"
    fi
fi

# They all had the same library.
if [ -e "$lib/libhalo.so" ]; then
    for program in "$work"/pc_* "$work"/{plain,openmpi,mpich,cmake_fortran}/uses_* "$work"/fpm_prefix/bin/*; do
        [ -x "$program" ] || continue
        [ "$(ldd "$program" | sed -n 's/.*libhalo\.so.* => \([^ ]*\) .*/\1/p')" -ef "$lib/libhalo.so" ] || fail "$program has another libhalo.so"
    done
fi

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
