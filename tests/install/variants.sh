#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# libhalo built in other ways: libhalo.a alone, link-time optimisation, nothing hidden by the compiler, within another project, by the lines of README.md. Each
# is used, with the digests of the first. usage: variants.sh SOURCE BUILD VARIANT [option of cmake...]
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
source="$(cd "$1" && pwd)"
mkdir -p "$2"
build="$(cd "$2" && pwd)"
variant="$3"
shift 3
rm -rf "$build"/{prefix,use}
devices=(-DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON -DHALO_HIP_ARCHITECTURES=none) # whose compilers take long
case "$variant" in
static) options=(-DBUILD_SHARED_LIBS=OFF) ;;
lto) options=(-DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON -DHALO_STATIC=ON) ;;
visible) options=(-DCMAKE_CXX_VISIBILITY_PRESET=default -DCMAKE_C_VISIBILITY_PRESET=default -DHALO_STATIC=ON) ;;
fetch | readme) options=() ;;
*) echo "no variant $variant" && exit 2 ;;
esac

fail() { echo "FAILED: $variant: $*"; exit 1; }
logged() { "$@" >"$build/log.txt" 2>&1 || { tail -50 "$build/log.txt"; fail "$*"; }; }

if [ "$variant" = fetch ]; then
    logged cmake -S "$here/fetch" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DHALO_SOURCE="$source" -DCMAKE_INSTALL_PREFIX="$build/prefix" -DHALO_WERROR=ON "${devices[@]}" "$@"
    logged cmake --build "$build" -j "${JOBS:-2}"
    [ "$("$build/uses_c" | sort -u | wc -l)" -eq 16 ] || fail "not 16 digests"
    logged "$build/uses_cxx"
    if [ -x "$build/uses_fortran" ]; then cmp <("$build/uses_c" | sort) <("$build/uses_fortran" | sort) || fail "Fortran"; fi
    logged cmake --install "$build"
    [ "$(find "$build/prefix" -type f | wc -l)" -eq 1 ] || fail "more is installed than what the project asks for"
    echo "works: within another project"
    exit 0
fi

if [ "$variant" = readme ]; then # with examples, benchmarks and CMake's own generator
    rm -rf "$build/source"
    mkdir "$build/source"
    (cd "$source" && git ls-files -z | xargs -0 cp -p --parents -t "$build/source")
    for option in "$@"; do export "${option#-D}"; done # compilers' launchers, which CMake takes from the environment too
    mapfile -t lines < <("$here/readme_lines.sh")
    for line in "${lines[@]}"; do (cd "$build/source" && logged eval "${line//\$HOME\/halo/$build/prefix}"); done
else
    logged cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF -DHALO_EXAMPLES=OFF -DHALO_BENCHMARKS=OFF \
        -DCMAKE_INSTALL_PREFIX="$build/prefix" -DHALO_WERROR=ON "${devices[@]}" "${options[@]}" "$@"
    logged cmake --build "$build" -j "${JOBS:-2}"
    logged cmake --install "$build"
fi
mkdir "$build/use"
PYTHON_PACKAGE="$source/bindings/python" WORK="$build/use" EXAMPLES="$build/prefix/share/doc/halo/examples" NEEDS_PATH=yes "$here/consume.sh" "$build/prefix"
