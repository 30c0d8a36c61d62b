#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Debian packages: built, looked at, and installed by dpkg into a root of their own, over this system's, without a network; there programs are built and run.
# Where no such root may be made: unpacked into a folder. usage: debs.sh SOURCE BUILD [option of cmake...]     BUILD: of the preset deb
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
source="$(cd "$1" && pwd)"
mkdir -p "$2"
build="$(cd "$2" && pwd)"
shift 2
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

fail() { echo "FAILED: $*"; exit 1; }
logged() { "$@" >"$work/log.txt" 2>&1 || { tail -50 "$work/log.txt"; fail "$*"; }; }

for tool in dpkg-shlibdeps file; do command -v $tool >/dev/null || { echo "skipped: no $tool (dpkg-dev, file)"; exit 77; }; done
logged cmake -S "$source" --preset deb -B "$build" -G Ninja "$@"
logged cmake --build "$build" -j "${JOBS:-2}"
rm -f "$build"/*.deb
(cd "$build" && logged cpack -G DEB)
mapfile -t debs < <(find "$build" -maxdepth 1 -name '*.deb' | sort)
echo "${#debs[@]} packages: $(basename -a "${debs[@]}" | sed 's/_.*//' | tr '\n' ' ')"

# What lies where, and of what kind it is
for deb in "${debs[@]}"; do
    name="$(dpkg-deb -f "$deb" Package)"
    tree="$work/$name"
    dpkg-deb -R "$deb" "$tree"
    [ -n "$(dpkg-deb -f "$deb" Description | sed -n 2p)" ] || fail "$name: no description"
    for file in copyright changelog.gz changelog.Debian.gz; do [ -e "$tree/usr/share/doc/$name/$file" ] || fail "$name: no $file"; done
    (cd "$tree" && find usr -type f -o -type l) >>"$work/files.txt"
    while read -r object; do
        ! readelf -dW "$object" | grep -qE 'R(UN)?PATH' || fail "$name: $object has a run path"
        ! readelf -SW "$object" | grep -qE ' \.(symtab|debug_info) ' || fail "$name: $object is not stripped"
        [[ "$object" == */bin/* ]] || [ ! -x "$object" ] || fail "$name: $object is executable"
    done < <(find "$tree" -type f -exec sh -c 'head -c 4 "$1" | grep -q ELF' _ {} \; -print)
    grep -rIlE "$source|$build" "$tree" && fail "$name: the files above know where it was built"
done
[ -z "$(sort "$work/files.txt" | uniq -d)" ] || fail "in two packages: $(sort "$work/files.txt" | uniq -d)"
for module in "$build"/lib/halo/*.so; do grep -q "/halo/$(basename "$module")$" "$work/files.txt" || fail "in no package: $module"; done
diff <(cd "$source/include" && ls) <(ls "$work/libhalo-dev/usr/include") || fail "libhalo-dev has other headers than include"
library="$(find "$work" -maxdepth 1 -name 'libhalo[0-9]*' -printf '%f\n')"
! grep -E 'lib.*\.so$' <(cd "$work/$library" && find usr) || fail "$library has a file that another version would have too"
depends() { dpkg-deb -f "$(printf '%s\n' "${debs[@]}" | grep "/$1_")" Depends; }
[[ "$(depends libhalo-dev)" == *"$library (= "* ]] || fail "libhalo-dev does not depend on its library"
for mpi in openmpi mpich; do
    if [ -d "$work/libhalo-mpi-$mpi" ] && [[ "$(depends "libhalo-mpi-$mpi")" != *lib"$mpi"* ]]; then fail "libhalo-mpi-$mpi does not depend on its MPI"; fi
done
[[ "$(depends "$library")" != *mpi* ]] || fail "the library depends on an MPI"
names() { sed -n 's/^ \(halo_[a-z0-9_]*\)@.*/\1/p' "$work/$library/DEBIAN/symbols" | sort; }
names | diff - <(nm -D --defined-only "$work/$library"/usr/lib/*/libhalo.so.?.?.? | sed -n 's/.* T \([^@]*\).*/\1/p' | sort) || fail "the list of symbols is not that of the library"
if command -v lintian >/dev/null; then
    # Whose packages they are is not known, and CPack has its own way to call ldconfig.
    lintian --no-cfg --allow-root --fail-on error,warning --suppress-tags bogus-mail-host,bogus-mail-host-in-debian-changelog,initial-upload-closes-no-bugs,maintscript-calls-ldconfig \
        "${debs[@]}" >"$work/log.txt" 2>&1 || { grep "^[EW]:" "$work/log.txt"; fail "lintian"; }
fi

# In a root of their own
FPM="$("$source/scripts/fpm.sh" "$build/fpm")"
export FPM PYTHON_PACKAGE="$source/bindings/python"
root="$work/root" # of the next shell's own mounts
in_root() {
    cat >"$work/in_root.sh" <<'INNER'
set -eu
mount -t tmpfs none "$root/upper"
mkdir "$root/upper/files" "$root/upper/work" "$root/all"
mount -t overlay none -o "lowerdir=/,upperdir=$root/upper/files,workdir=$root/upper/work" "$root/all"
[ "${1:-}" = try ] && exit 0
mkdir -p "$root/all/mnt/debs" "$root/all/mnt/use" "$root/all/mnt/work"
cp $debs "$root/all/mnt/debs/"
cp -r "$here/." "$root/all/mnt/use/"
cp -r "$source/bindings/python" "$root/all/mnt/python"
[ -z "$FPM" ] || cp -r "$build/fpm" "$root/all/mnt/fpm"
mount -t proc none "$root/all/proc"
for folder in /dev /sys; do mount --rbind $folder "$root/all$folder"; done
ip link set lo up 2>/dev/null || true
exec chroot "$root/all" /bin/bash -c 'set -eu; export TMPDIR=/mnt/work HOME=/mnt/work
! find /usr/lib /usr/local /usr/include -name "libhalo*.so*" -o -name halo.h 2>/dev/null | grep . || { echo "libhalo is installed here already"; exit 1; }
dpkg -i /mnt/debs/*.deb
OFFLINE=yes FPM="${FPM:+/mnt/fpm/fpm/fpm}" PYTHON_PACKAGE=/mnt/python WORK=/mnt/work EXAMPLES=/usr/share/doc/libhalo-doc/examples /bin/bash /mnt/use/consume.sh /usr
for page in halo_info halo_launch; do [ -e /usr/share/man/man1/$page.1.gz ]; done
dpkg --purge $(dpkg-query -W -f "\${Package} \${Maintainer}\n" | sed -n "s/ libhalo authors.*//p")
! find /usr -name "libhalo*" | grep . || { echo "purged, and files are left"; exit 1; }'
INNER
    unshare --mount --net --fork --pid --kill-child env root="$root" debs="${debs[*]}" here="$here" source="$source" build="$build" PATH=/usr/sbin:/usr/bin:/sbin:/bin bash "$work/in_root.sh" "$@"
}
mkdir -p "$root/upper"
if [ "$(id -u)" -eq 0 ] && in_root try 2>/dev/null; then
    rm -rf "$root/all"
    in_root
    echo "works: installed, used and purged in a root of its own, without a network"
else
    echo "no root of its own may be made here: packages are unpacked into a folder"
    prefix="$work/unpacked"
    for deb in "${debs[@]}"; do dpkg-deb -x "$deb" "$prefix"; done
    mkdir "$work/use"
    sed -i "s#^prefix=/usr#prefix=$prefix/usr#" "$prefix"/usr/lib/*/pkgconfig/halo.pc
    export LD_LIBRARY_PATH
    LD_LIBRARY_PATH="$(dirname "$(find "$prefix" -name libhalo.so)")"
    WORK="$work/use" EXAMPLES="$prefix/usr/share/doc/libhalo-doc/examples" NEEDS_PATH=yes "$here/consume.sh" "$prefix/usr"
fi
