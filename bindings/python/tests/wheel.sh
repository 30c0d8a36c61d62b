#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Build the wheel in both forms without a network, install each into an environment of its own, and run the example with it. usage: wheel.sh PYTHON BUILD
set -euo pipefail
here="$(cd "$(dirname "$0")/.." && pwd)"
python="$1"
build="$2"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
unset PYTHONPATH LIBHALO

fail() { echo "FAILED: $*"; exit 1; }
wheel() { # folder, NAME=VALUE...: the wheel's path
    rm -rf "$work/source"
    mkdir "$work/source"
    cp -r "$here"/{src,pyproject.toml,setup.py} "$work/source" # pip leaves files in it
    env "${@:2}" "$python" -W ignore -m pip -q wheel --no-index --no-deps --no-build-isolation -w "$work/$1" "$work/source" >&2
    ls "$work/$1"/*.whl
}
environment() { # folder, wheel
    "$python" -m venv --system-site-packages "$work/$1"
    "$work/$1/bin/python" -m pip -q install --no-index --no-deps --force-reinstall "$2"
}
run() { # environment, NAME=VALUE..., command
    (cd "$work" && timeout 180 env "${@:2}")
}

cmake --install "$build" --prefix "$work/prefix" >"$work/install.txt"
lib="$(dirname "$(find "$work/prefix" -name libhalo.so)")"
example="$here/../../examples/python/heat.py"

thin="$(wheel thin)"
[[ "$thin" == *-py3-none-any.whl ]] || fail "the thin wheel is $thin"
environment with_thin "$thin"
run with_thin LD_LIBRARY_PATH="$lib" "$work/with_thin/bin/python" "$example" || fail "thin wheel, LD_LIBRARY_PATH"
run with_thin LIBHALO="$lib/libhalo.so" "$work/with_thin/bin/python" "$(dirname "$example")/levels.py" || fail "thin wheel, LIBHALO"
if run with_thin LIBHALO="$work/nothing.so" "$work/with_thin/bin/python" "$example" 2>"$work/refused.txt"; then fail "there is no library"; fi
grep -q "nothing.so cannot be opened" "$work/refused.txt" || { cat "$work/refused.txt"; fail "the text"; }

whole="$(wheel whole LIBHALO_BUNDLE="$lib")"
[[ "$whole" == *-py3-none-linux_*.whl ]] || fail "the whole wheel is $whole"
environment with_whole "$whole"
mv "$work/prefix" "$work/gone"
run with_whole "$work/with_whole/bin/python" "$example" || fail "whole wheel"
run with_whole "$work/with_whole/bin/python" -c "import halo; print(halo.info(None, halo.INFO_MODULES))" >"$work/modules.txt"
for module in "$work"/gone/lib*/halo/libhalo_*.so "$work"/gone/lib/*/halo/libhalo_*.so; do
    [ -e "$module" ] || continue
    name="$(basename "$module" .so)"
    kind="${name#libhalo_}"
    grep -qE "^${kind/_/ }[ ,]" "$work/modules.txt" || { cat "$work/modules.txt"; fail "$name was not found in the wheel"; }
done
echo "both wheels work"
